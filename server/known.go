package server

import (
	"context"
	"errors"
	"io/fs"
	"net/http"
	"path/filepath"
	"slices"

	"github.com/danielgtaylor/huma/v2"

	"rein/harness"
	"rein/server/api"
	"rein/server/audit"
	"rein/server/auth"
	"rein/server/signin"
)

// knownOperations are what sessions of a workspace have beside its files: kinds of sub-agents, skills, tools, memory.
func (s *Server) knownOperations(a huma.API) {
	add(a, auth.Viewer, huma.Operation{OperationID: "list-agents", Method: http.MethodGet, Path: "/v1/agents", Summary: "Kinds of sub-agents, also those that are not used, with the reason", Tags: []string{"agents"}},
		inRoom(s, func(_ context.Context, w *workspace, _ InDir) ([]api.Agent, error) { return s.agents(w.newest()) }))
	add(a, auth.Viewer, huma.Operation{OperationID: "list-skills", Method: http.MethodGet, Path: "/v1/skills", Summary: "Skills that sessions have, with what the scanner found in them", Tags: []string{"skills"}},
		inRoom(s, func(_ context.Context, w *workspace, _ InDir) (api.Skills, error) {
			return s.skills(w.newest())
		}))
	add(a, auth.Viewer, huma.Operation{OperationID: "list-tools", Method: http.MethodGet, Path: "/v1/tools", Summary: "Tools that new sessions have", Tags: []string{"tools"}},
		inRoom(s, func(_ context.Context, w *workspace, _ InDir) ([]api.Tool, error) { return toolsOf(w.newest()) }))
	s.definitionOperations(a, "agent", "a kind of sub-agent", func(w *workspace) definitions { return w.newest().OwnAgents() })
	s.definitionOperations(a, "skill", "a skill", func(w *workspace) definitions { return w.newest().SkillStore() })
	s.memoryOperations(a)
}

// definitions are files of the user's own, each of which defines a kind of sub-agent or a skill.
type definitions interface {
	Save(name, was, text, by string, check bool) (notes []string, err error)
	Delete(name, was string) error
}

// definitionOperations change the sub-agents and skills of the user's own. Those of a folder are changed in the folder, and trusted.
func (s *Server) definitionOperations(a huma.API, kind, what string, of func(*workspace) definitions) {
	type saveInput struct {
		Name string `path:"name" pattern:"^[a-z0-9][a-z0-9-]{0,63}$" maxLength:"64"`
		Body api.Definition
	}
	type deleteInput struct {
		Name string `path:"name" pattern:"^[a-z0-9][a-z0-9-]{0,63}$" maxLength:"64"`
		Body api.Removal
	}
	change := func(ctx context.Context, dir, name, did string, do func(definitions, string) error) error {
		c := signin.Of(ctx)
		w, err := s.mayChange(c, dir, "always")
		if err != nil {
			return err
		}
		err = do(of(w), c.User.By())
		if _, disk := errors.AsType[*fs.PathError](err); err != nil && !disk {
			return problem(http.StatusUnprocessableEntity, "definition", err.Error())
		}
		if err == nil && did != "" {
			s.note(c, audit.Entry{What: did, Dir: w.dir, Text: name})
		}
		return err
	}
	add(a, auth.Operator, huma.Operation{OperationID: "save-" + kind, Method: http.MethodPut, Path: "/v1/" + kind + "s/{name}", Summary: "Write " + what + " of the user's own, for all workspaces; new sessions have it", Tags: []string{kind + "s"}},
		func(ctx context.Context, in *saveInput) (*body[api.Defined], error) {
			out := api.Defined{Notes: []string{}}
			did := map[bool]string{false: "saved_" + kind}[in.Body.Check]
			err := change(ctx, in.Body.Dir, in.Name, did, func(d definitions, by string) error {
				notes, err := d.Save(in.Name, in.Body.Was, in.Body.Text, by, in.Body.Check)
				out.Notes = append(out.Notes, notes...)
				return err
			})
			return &body[api.Defined]{out}, err
		})
	add(a, auth.Operator, huma.Operation{OperationID: "delete-" + kind, Method: http.MethodPost, Path: "/v1/" + kind + "s/{name}/delete", Summary: "Delete " + what + " of the user's own, whose text was shown", Tags: []string{kind + "s"}, DefaultStatus: http.StatusNoContent},
		func(ctx context.Context, in *deleteInput) (*nothing, error) {
			return nil, change(ctx, in.Body.Dir, in.Name, "deleted_"+kind, func(d definitions, _ string) error { return d.Delete(in.Name, in.Body.Was) })
		})
}

func (s *Server) agents(h *harness.Harness) ([]api.Agent, error) {
	found, err := h.Agents()
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
		if a.Source == filepath.Join(h.OwnAgents().Dir, a.Name+".md") {
			v.Own = s.own(h.OwnAgents().Text(a.Name))
		}
		all = append(all, v)
	}
	return all, err
}

func toolsOf(h *harness.Harness) ([]api.Tool, error) {
	set, err := h.Tools()
	all := []api.Tool{}
	for _, t := range set.All() {
		all = append(all, api.Tool{Name: t.Name, Description: t.Description, Effect: t.Effect.String(), Input: t.Input.Raw(), Later: set.Deferred(t.Name)})
	}
	return all, err
}

func (s *Server) skills(h *harness.Harness) (api.Skills, error) {
	c, store := h.Skills(), h.SkillStore()
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
		if filepath.Dir(k.Dir) == store.Dir {
			v.Own = s.own(store.Text(k.Name))
			if pin, ok := pins[k.Name]; ok {
				v.Added, v.Changed = pin.Source, pin.Tree != k.Tree()
			}
		}
		out.Skills = append(out.Skills, v)
	}
	return out, err
}

// own returns the text of a definition that a user may change here; "" for one with a secret, which its mask would replace.
func (s *Server) own(text string, err error) string {
	if err != nil || string(s.mask([]byte(text))) != text {
		return ""
	}
	return text
}

func severity(f api.SkillFinding) int {
	return slices.Index([]string{"low", "medium", "high", "critical"}, f.Severity)
}
