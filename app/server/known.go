package server

import (
	"context"
	"path/filepath"
	"slices"

	"rein/app/catalogue"
	"rein/app/server/api"
)

// knownOperations show what sessions of a workspace have beside its files: kinds of sub-agents, skills, tools.
type knownOperations struct{ *workspaces }

func (o knownOperations) table() []apiOperation {
	return []apiOperation{
		operationAt(RoleViewer, "GET /v1/agents", "list-agents", "agents", "Kinds of sub-agents, also those that are not used, with the reason", inWorkspace(o.workspaces, o.agents)),
		operationAt(RoleViewer, "GET /v1/skills", "list-skills", "skills", "Skills that sessions have, with what the scanner found in them", inWorkspace(o.workspaces, o.skills)),
		operationAt(RoleViewer, "GET /v1/tools", "list-tools", "tools", "Tools that new sessions have", inWorkspace(o.workspaces, o.tools)),
	}
}

func (o knownOperations) agents(_ context.Context, w *servedWorkspace, _ ofDir) ([]api.Agent, error) {
	h := w.newest()
	found, err := h.Agents()
	all := []api.Agent{}
	for _, a := range found {
		v := api.Agent{Name: a.Name, Description: a.Description, Source: a.Source, Notes: a.Notes, Tools: a.Tools, Without: a.Without, Mode: a.Mode,
			Model: a.Model, Effort: a.Effort, Isolation: a.Isolation, MaxTurns: a.MaxTurns, Budget: a.Budget, Background: a.Background, Skills: a.Skills, Prompt: a.Prompt}
		if v.State, v.Why = catalogue.AgentState(a); v.State == "untrusted" {
			v.Prompt = ""
		}
		if a.Source == filepath.Join(h.OwnAgents().Dir, a.Name+".md") {
			v.Own = o.own(h.OwnAgents().Text(a.Name))
		}
		all = append(all, v)
	}
	return all, err
}

func (o knownOperations) tools(_ context.Context, w *servedWorkspace, _ ofDir) ([]api.Tool, error) {
	set, err := w.newest().Tools()
	all := []api.Tool{}
	for _, t := range set.All() {
		all = append(all, api.Tool{Name: t.Name, Description: t.Description, Effect: t.Effect.String(), Input: t.Input.Raw(), Later: set.Deferred(t.Name)})
	}
	return all, err
}

func (o knownOperations) skills(_ context.Context, w *servedWorkspace, _ ofDir) (api.Skills, error) {
	c, store := w.newest().Skills(), w.newest().SkillStore()
	out := api.Skills{Skills: []api.Skill{}, Problems: append([]string{}, c.Problems()...)}
	pins, err := store.Load()
	for _, k := range c.All() {
		v := api.Skill{Name: k.Name, About: k.About, From: k.From, Dir: k.Dir, Hint: k.Hint, Allowed: k.Allowed, HideModel: k.HideModel, HideUser: k.HideUser,
			Warnings: k.Warnings, Findings: []api.SkillFinding{}, Text: o.masked(c.Text(k.Name))}
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
			v.Own = o.own(store.Text(k.Name))
			if pin, ok := pins[k.Name]; ok {
				v.Added, v.Changed = pin.Source, pin.Tree != k.Tree()
			}
		}
		out.Skills = append(out.Skills, v)
	}
	return out, err
}

// own returns the text of a definition that a user may change here; "" for one with a secret, which its mask would replace.
func (o knownOperations) own(text string, err error) string {
	if err != nil || o.masked(text) != text {
		return ""
	}
	return text
}

func severity(f api.SkillFinding) int {
	return slices.Index([]string{"low", "medium", "high", "critical"}, f.Severity)
}
