package catalogue

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"rein/app/extend"
	"rein/app/harness"
)

func listAgents(_ context.Context, h *harness.Harness) (List, error) {
	all, err := h.Agents()
	return AgentList(all), err
}

// AgentList lists kinds of sub-agents.
func AgentList(all []extend.AgentFile) (list List) {
	for _, a := range all {
		f := agentFields(a)
		list.Entries = append(list.Entries, Entry{ID: a.Name, Name: a.Name, About: a.Description, Fields: f, Text: Lines(12, f) + "\n" + a.Prompt + "\n\n", Value: a})
	}
	return list
}

func showAgent(ctx context.Context, h *harness.Harness, r Request) (string, error) {
	list, err := listAgents(ctx, h)
	found := list.Named(r.Name)
	if err == nil && len(found) == 0 {
		err = inputError("there is no agent %q: rein agents list", r.Name)
	}
	return JoinTexts(found), err
}

// JoinTexts joins the texts of entries.
func JoinTexts(all []Entry) string {
	var b strings.Builder
	for _, e := range all {
		b.WriteString(e.Text)
	}
	return b.String()
}

// AgentState says whether a kind is used, or is broken, untrusted or hidden; and why, where there is more to say.
func AgentState(a extend.AgentFile) (state, why string) {
	switch {
	case a.Problem != "":
		return "broken", a.Problem
	case a.Untrusted:
		return "untrusted", ""
	case a.HiddenBy != "":
		return "hidden", a.HiddenBy
	}
	return "used", ""
}

// sampling is how a model chooses its words, as JSON; "" where it is left to the provider.
func sampling(s any) string {
	text, err := json.Marshal(s)
	if err != nil || string(text) == "{}" {
		return ""
	}
	return string(text)
}

func agentFields(a extend.AgentFile) []Field {
	list := func(all []string) string { return strings.Join(all, ", ") }
	state, why := AgentState(a)
	state = map[string]string{"broken": "not usable: ", "untrusted": "not trusted", "hidden": "hidden by "}[state] + why
	tools, turns, budget := "all of its parent", "", ""
	if a.Tools != nil {
		tools = list(a.Tools)
	}
	if a.MaxTurns > 0 {
		turns = fmt.Sprint(a.MaxTurns)
	}
	if a.Budget > 0 {
		budget = fmt.Sprintf("%d tokens", a.Budget)
	}
	all := Fields("name", a.Name, "source", cmp.Or(a.Source, "built in"), "state", state, "when", a.Description, "tools", tools, "without", list(a.Without),
		"only", list(a.Only), "denied", list(a.Deny), "asks", list(a.Ask), "mode", a.Mode, "model", a.Model, "effort", a.Effort, "sampling", sampling(a.Sampling), "isolation", a.Isolation,
		"skills", list(a.Skills), "max turns", turns, "budget", budget, "background", yesOrNo(a.Background))
	for _, note := range a.Notes {
		all = append(all, Fields("note", note)...)
	}
	return all
}
