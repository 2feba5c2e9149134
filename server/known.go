package server

import (
	"context"
	"net/http"
	"path/filepath"
	"slices"

	"github.com/danielgtaylor/huma/v2"

	"rein/server/api"
	"rein/server/audit"
	"rein/server/auth"
	"rein/server/signin"
)

// knownOperations are what sessions of a workspace have beside its files: kinds of sub-agents, skills, tools, memory.
func (s *Server) knownOperations(a huma.API) {
	add(a, auth.Viewer, huma.Operation{OperationID: "list-agents", Method: http.MethodGet, Path: "/v1/agents", Summary: "Kinds of sub-agents, also those that are not used, with the reason", Tags: []string{"agents"}},
		inRoom(s, func(_ context.Context, w *workspace, _ InDir) ([]api.Agent, error) { return agentsOf(w) }))
	add(a, auth.Viewer, huma.Operation{OperationID: "list-skills", Method: http.MethodGet, Path: "/v1/skills", Summary: "Skills that sessions have, with what the scanner found in them", Tags: []string{"skills"}},
		inRoom(s, func(_ context.Context, w *workspace, _ InDir) (api.Skills, error) { return s.skillsOf(w) }))
	add(a, auth.Viewer, huma.Operation{OperationID: "list-tools", Method: http.MethodGet, Path: "/v1/tools", Summary: "Tools that new sessions have", Tags: []string{"tools"}},
		inRoom(s, func(_ context.Context, w *workspace, _ InDir) ([]api.Tool, error) { return toolsOf(w) }))
	s.memoryOperations(a)
}

func agentsOf(w *workspace) ([]api.Agent, error) {
	found, err := w.newest().Agents()
	all := []api.Agent{}
	for _, a := range found {
		v := api.Agent{Name: a.Name, Description: a.Description, Source: a.Source, State: "used", Notes: a.Notes, Tools: a.Tools, Without: a.Without, Mode: a.Mode,
			Model: a.Model, Effort: a.Effort, Isolation: a.Isolation, MaxTurns: a.MaxTurns, Budget: a.Budget, Background: a.Background, Skills: a.Skills, Prompt: a.Prompt}
		switch {
		case a.Problem != "":
			v.State, v.Why = "broken", a.Problem
		case a.Untrusted:
			v.State, v.Prompt = "untrusted", ""
		case a.HiddenBy != "":
			v.State, v.Why = "hidden", a.HiddenBy
		}
		all = append(all, v)
	}
	return all, err
}

func toolsOf(w *workspace) ([]api.Tool, error) {
	set, err := w.newest().Tools()
	all := []api.Tool{}
	for _, t := range set.All() {
		all = append(all, api.Tool{Name: t.Name, Description: t.Description, Effect: t.Effect.String(), Input: t.Input.Raw(), Later: set.Deferred(t.Name)})
	}
	return all, err
}

func (s *Server) skillsOf(w *workspace) (api.Skills, error) {
	c, store := w.newest().Skills(), w.newest().SkillStore()
	out := api.Skills{Skills: []api.Skill{}, Problems: append([]string{}, c.Problems()...)}
	pins, err := store.Load()
	for _, k := range c.All() {
		v := api.Skill{Name: k.Name, About: k.About, From: k.From, Dir: k.Dir, Hint: k.Hint, Allowed: k.Allowed, HideModel: k.HideModel, HideUser: k.HideUser,
			Warnings: k.Warnings, Findings: []api.SkillFinding{}, Text: string(s.mask([]byte(c.Text(k.Name))))}
		if k.Fork {
			v.Agent = "-"
			if k.Agent != "" {
				v.Agent = k.Agent
			}
		}
		for _, f := range k.Findings() {
			v.Findings = append(v.Findings, api.SkillFinding{Severity: f.Severity.String(), Rule: f.Rule, File: f.File, Line: f.Line, Why: f.Why, Text: f.Text})
		}
		slices.SortStableFunc(v.Findings, func(a, b api.SkillFinding) int { return severity(b) - severity(a) })
		if pin, ok := pins[k.Name]; ok && filepath.Dir(k.Dir) == store.Dir {
			v.Added, v.Changed = pin.Source, pin.Tree != k.Tree()
		}
		out.Skills = append(out.Skills, v)
	}
	return out, err
}

func severity(f api.SkillFinding) int {
	return slices.Index([]string{"low", "medium", "high", "critical"}, f.Severity)
}

func (s *Server) memoryOperations(a huma.API) {
	type memoryInput struct {
		InDir
		Query    string `query:"q" maxLength:"200" doc:"words; the best entries come first. Empty: the newest first"`
		Proposed bool   `query:"proposed" doc:"only those that wait for a user"`
		Limit    int    `query:"limit" minimum:"1" maximum:"1000" default:"200"`
	}
	add(a, auth.Viewer, huma.Operation{OperationID: "list-memory", Method: http.MethodGet, Path: "/v1/memory", Summary: "What sessions remember for later ones", Tags: []string{"memory"}},
		inRoom(s, func(ctx context.Context, w *workspace, in memoryInput) ([]api.Memory, error) {
			store := w.newest().Memory()
			defer store.Close()
			find := store.Here
			if in.Proposed {
				find = store.Proposals
			}
			found, err := find(ctx, w.dir, in.Query, in.Limit)
			all := []api.Memory{}
			for _, e := range found {
				all = append(all, api.Memory{ID: e.ID, Scope: e.Scope, Category: e.Category, Text: string(s.mask([]byte(e.Text))), Importance: e.Importance, Tags: e.Tags,
					Created: e.Created, Expires: e.Expires, Session: e.Source, Proposed: e.Proposed, Why: e.Why})
			}
			return all, err
		}))
	type entryInput struct {
		ID int64 `path:"id" minimum:"1"`
		InDir
	}
	add(a, auth.Operator, huma.Operation{OperationID: "confirm-memory", Method: http.MethodPost, Path: "/v1/memory/{id}/confirm", Summary: "Let sessions see what was only proposed", Tags: []string{"memory"}, DefaultStatus: http.StatusNoContent},
		func(ctx context.Context, in *entryInput) (*nothing, error) {
			return nil, s.changeMemory(ctx, signin.Of(ctx), in.Dir, in.ID, true)
		})
	add(a, auth.Operator, huma.Operation{OperationID: "delete-memory", Method: http.MethodDelete, Path: "/v1/memory/{id}", Summary: "Forget one entry", Tags: []string{"memory"}, DefaultStatus: http.StatusNoContent},
		func(ctx context.Context, in *entryInput) (*nothing, error) {
			return nil, s.changeMemory(ctx, signin.Of(ctx), in.Dir, in.ID, false)
		})
}

// changeMemory confirms an entry of the user or of the workspace, or deletes it. One of another project does not exist here.
func (s *Server) changeMemory(ctx context.Context, c signin.Client, dir string, id int64, confirm bool) error {
	w, err := s.room(c.User, dir)
	if err != nil {
		return err
	}
	store := w.newest().Memory()
	defer store.Close()
	e, ok, err := store.Get(ctx, id)
	if err != nil {
		return err
	}
	if !ok || e.Project != "" && e.Project != w.dir {
		return problem(http.StatusNotFound, "no_entry", "there is no such entry")
	}
	what := "forgot"
	if confirm {
		what, e.Proposed, e.Why = "confirmed", false, ""
		_, err = store.Put(ctx, e)
	} else {
		_, err = store.Delete(ctx, id)
	}
	if err == nil {
		s.note(c, audit.Entry{What: what, Dir: w.dir, Text: e.Line(80)})
	}
	return err
}
