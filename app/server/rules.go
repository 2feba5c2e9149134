package server

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"path/filepath"
	"slices"
	"time"

	"rein/app/catalogue"
	"rein/app/harness"
	"rein/app/server/api"
	"rein/app/settings"
	"rein/guard"
)

// Bounds of a simulation.
const (
	mostReplayed = 5000 // calls
	mostRejudged = 200  // calls that are listed
	replayTime   = 15 * time.Second
)

// ruleOperations show the rules, explain and simulate them, and change those of the user.
type ruleOperations struct {
	*workspaces
	*auditLog
	past *recordedList
}

func (o ruleOperations) table() []apiOperation {
	const tag = "rules"
	return []apiOperation{
		operationAt(RoleViewer, "GET /v1/rules", "list-rules", tag, "The rules that hold in a workspace, with their files", inWorkspace(o.workspaces, o.list)),
		operationAt(RoleViewer, "POST /v1/rules/explain", "explain-call", tag, "What a call would do, and what is decided about it; nothing runs", o.explain),
		operationAt(RoleViewer, "POST /v1/rules/simulate", "simulate-rules", tag, "What the rules, and further ones, decide about the calls of recorded sessions", o.simulate),
		operationAt(roleOperator, "POST /v1/rules", "change-rule", tag, "Add a rule to the user's settings or take it away, after the checks of rein rules check", o.change),
	}
}

func (o ruleOperations) list(_ context.Context, w *servedWorkspace, _ ofDir) (api.Rules, error) {
	d := w.h.Dirs()
	out := api.Rules{Dir: w.dir, Rules: []api.Rule{}, Warnings: []api.RuleWarning{}, Project: settings.ProjectFile(d, w.dir), User: filepath.Join(d.Config, "settings.json")}
	g, warnings, err := harness.Guards(d, w.dir)
	if err != nil {
		return out, err
	}
	for _, r := range catalogue.RulesIn(d, w.dir, g.Rules.List) {
		out.Rules = append(out.Rules, api.Rule(r))
	}
	for _, x := range warnings {
		out.Warnings = append(out.Warnings, api.RuleWarning{Source: x.Source, Text: x.Text})
	}
	return out, nil
}

func (o ruleOperations) explain(ctx context.Context, in api.ExplainCall) (api.Explained, error) {
	w, err := o.find(senderOf(ctx).User, in.Dir)
	if err != nil {
		return api.Explained{}, err
	}
	place := catalogue.JudgingPlace{Mode: cmp.Or(in.Mode, "supervised"), Isolation: cmp.Or(in.Isolation, "full"), Root: w.dir}
	c, err := place.Named(cmp.Or(in.Tool, "bash"), in.Call, settings.ToolNames())
	if err != nil {
		return api.Explained{}, problem(http.StatusUnprocessableEntity, "input", err.Error())
	}
	g, _, err := harness.Guards(w.h.Dirs(), w.dir)
	if err != nil {
		return api.Explained{}, err
	}
	if err := catalogue.JudgingGuards(g).Allow(in.Allowed); err != nil {
		return api.Explained{}, problem(http.StatusUnprocessableEntity, "input", err.Error())
	}
	return explainedOf(c.Call.Name, catalogue.JudgingGuards(g).Explain(ctx, c)), nil
}

// simulate judges the calls of the workspace's sessions again, the newest sessions first, until a bound is reached.
func (o ruleOperations) simulate(ctx context.Context, in api.Simulation) (out api.Simulated, err error) {
	w, err := o.find(senderOf(ctx).User, in.Dir)
	if err != nil {
		return out, err
	}
	out.Changed, out.Offer = []api.Rejudged{}, []string{}
	now, _, err := harness.Guards(w.h.Dirs(), w.dir)
	if err != nil {
		return out, err
	}
	then, _, err := harness.GuardsWith(w.h.Dirs(), w.dir, in.Allow, in.Ask, in.Deny)
	if err != nil {
		return out, err
	}
	recorded, err := o.past.All()
	if err != nil {
		return out, err
	}
	end, since := time.Now().Add(replayTime), time.Now().AddDate(0, 0, -cmp.Or(in.Days, 30))
	var all []catalogue.JudgedCall
	for _, r := range recorded {
		if r.Dir != w.dir || r.Last.Before(since) {
			continue
		}
		if len(all) >= mostReplayed || time.Now().After(end) {
			out.More = true
			break
		}
		calls, err := catalogue.ReplayCalls(ctx, r.ID, w.h.Store().Events(r.ID, 0), func(string) (catalogue.JudgingGuards, error) { return catalogue.JudgingGuards(now), nil })
		if err != nil && ctx.Err() != nil {
			return out, err
		}
		out.Sessions++ // one that cannot be read whole counts with no calls
		all = append(all, calls...)
	}
	counts, changed, more := catalogue.CompareRules(ctx, catalogue.JudgingGuards(then), all, mostRejudged)
	out.Calls, out.Allow, out.Ask, out.Deny, out.More = len(all), counts[guard.Allow], counts[guard.Ask], counts[guard.Deny], out.More || more
	for _, x := range all {
		if x.WasAsked {
			out.Asked++
		}
	}
	for _, x := range changed {
		out.Changed = append(out.Changed, rejudgedOf(x, o.masked(x.Text)))
	}
	offer, saves := catalogue.SmallestRules(all[:min(len(all), 1000)])
	for _, r := range offer {
		out.Offer = append(out.Offer, r.String())
	}
	out.Saves = saves
	return out, nil
}

func (o ruleOperations) change(ctx context.Context, in api.RuleChange) (api.RuleChanged, error) {
	out := api.RuleChanged{Warnings: []api.RuleWarning{}}
	c := senderOf(ctx)
	w, err := o.mayChange(c, in.Dir, in.Scope)
	if err != nil {
		return out, err
	}
	o.changing.Lock()
	defer o.changing.Unlock()
	change := catalogue.RuleChange{Decision: in.Decision, Here: in.Scope == "project", Remove: in.Remove, Check: in.Check}
	change.Rule, change.Match, change.NotMatch, change.Why = in.Rule, in.Match, in.NotMatch, in.Why
	if in.High {
		have, err := o.list(ctx, w, ofDir{})
		if err != nil {
			return out, err
		}
		if !slices.ContainsFunc(have.Rules, func(r api.Rule) bool { return r.High && r.Mine && r.Decision == in.Decision && r.Rule == in.Rule }) {
			return out, problem(http.StatusForbidden, "by_hand", "only the file itself can let a rule approve calls of high severity")
		}
		change.Risk = "high"
	}
	warnings, was, err := catalogue.ChangeRule(w.h.Dirs(), w.dir, change)
	if _, ok := errors.AsType[catalogue.RuleError](err); ok {
		return out, problem(http.StatusUnprocessableEntity, "input", err.Error())
	}
	if err != nil {
		return out, err
	}
	if in.Remove && !was {
		return out, problem(http.StatusNotFound, "no_rule", "this rule is not in your settings any more")
	}
	for _, x := range warnings {
		out.Warnings = append(out.Warnings, api.RuleWarning{Source: x.Source, Text: x.Text})
	}
	if out.Done = !in.Check; out.Done {
		o.note(c, api.Entry{What: map[bool]string{true: "removed_rule", false: "added_rule"}[in.Remove], Dir: w.dir, Text: in.Decision + " " + in.Rule + " (" + in.Scope + ")"})
	}
	return out, nil
}

// explainedOf returns what was explained about a call of a tool.
func explainedOf(name string, x catalogue.Explanation) api.Explained {
	out := api.Explained{Tool: name, Parts: []api.CallPart{}, Effects: append([]string{}, x.Effects...), Decision: x.Verdict.Decision.String(), By: x.By, Guards: x.Guards.Decision.String(),
		Checks: append([]string{}, x.Guards.Rules...), Reason: guard.Printable(x.Guards.Reason), RuleAt: x.Guards.RuleAt, Always: []string{}}
	if x.Guards.Decision != guard.Allow {
		out.Severity = x.Guards.Severity.String()
	}
	for _, p := range x.Parts {
		out.Parts = append(out.Parts, api.CallPart{Class: p.Class, Words: p.Words})
	}
	if x.Held != nil {
		out.Held = x.Held.String() + " (" + x.Held.Source + ")"
	}
	for _, r := range x.Always {
		out.Always = append(out.Always, r.String())
	}
	return out
}

// rejudgedOf returns a call that is decided otherwise, with its text without secrets.
func rejudgedOf(x catalogue.JudgementChange, text string) api.Rejudged {
	return api.Rejudged{Session: x.Case.Session, Call: x.Case.Call.ID, Tool: x.Case.Call.Name, Text: text, Before: x.Verdict.Decision.String(), After: x.After.String(), Refused: x.Refused}
}
