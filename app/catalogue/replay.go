package catalogue

import (
	"cmp"
	"context"
	"iter"
	"slices"
	"strings"

	"rein/event"
	"rein/guard"
	"rein/kit/guards"
	"rein/tool"
)

// JudgedCall is one call of a recorded session, as it would be judged now.
type JudgedCall struct {
	Case     guard.Case
	Verdict  guard.Verdict
	Programs guards.Programs
	Refused  bool // a person or a guard denied the call then; not set when no person was connected
	WasAsked bool // a person was asked then
}

// ReplayCalls judges the calls of a recorded session again, by the guards that guards gives for its workspace. Isolation counts as
// full. A call that was continued after a suspension comes once.
func ReplayCalls(ctx context.Context, session string, events iter.Seq2[event.Event, error], guards func(root string) (JudgingGuards, error)) (all []JudgedCall, err error) {
	at := map[string]int{}
	mode, root := guard.Supervised, ""
	var g JudgingGuards
	for e, err := range events {
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return nil, err
		}
		switch {
		case e.Kind == event.Started && e.Start != nil:
			if m, err := guard.ParseMode(e.Start.Mode); err == nil {
				mode = m
			}
			root = e.Start.Dir
			if g, err = guards(root); err != nil {
				return nil, err
			}
		case e.Kind == event.Called && e.Call != nil && e.Intent != nil && g.Set != nil:
			if _, again := at[e.Call.ID]; again {
				continue
			}
			at[e.Call.ID] = len(all)
			a := JudgedCall{Case: guard.Case{Session: session, Call: *e.Call, Intent: *e.Intent, Mode: mode, Isolation: guard.FullIsolation, Root: root}, Programs: g.Programs}
			a.Verdict, _ = g.Decide(ctx, a.Case)
			all = append(all, a)
		case e.Kind == event.ApprovalRequested && e.Call != nil:
			if i, ok := at[e.Call.ID]; ok {
				all[i].WasAsked = true
			}
		case e.Kind == event.Replied && e.Call != nil && e.Verdict != nil && e.Result != nil && e.Result.Kind == tool.Denied:
			if i, ok := at[e.Call.ID]; ok {
				all[i].Refused = true
			}
		}
	}
	return all, nil
}

// SmallestRules picks rules greedily: of the lasting answers to calls that cover nothing that was denied, the one that saves most
// approval requests for each rule that it adds comes first. saved is how many requests all chosen rules save together.
func SmallestRules(all []JudgedCall) (chosen []guards.Rule, saved int) {
	left := lastingRules(all)
	for {
		var best []guards.Rule
		most, ratio := saved, 0.0
		for _, set := range left {
			added := rulesWithout(set, chosen)
			n := savedRequests(all, append(chosen[:len(chosen):len(chosen)], added...))
			if r := float64(n-saved) / float64(max(len(added), 1)); r > ratio {
				most, ratio, best = n, r, added
			}
		}
		if best == nil {
			return chosen, saved
		}
		chosen, saved = append(chosen, best...), most
	}
}

// lastingRules are the rules that lasting answers to the asked calls would have made, a list for each call.
func lastingRules(all []JudgedCall) (sets [][]guards.Rule) {
	for _, a := range all {
		if a.Verdict.Decision != guard.Ask || a.Refused {
			continue
		}
		if set := guards.OfferRules(a.Case, a.Verdict, a.Programs); len(set) > 0 {
			sets = append(sets, set)
		}
	}
	return sets
}

// rulesWithout returns the rules that are not among those.
func rulesWithout(rules, those []guards.Rule) (rest []guards.Rule) {
	for _, r := range rules {
		if !slices.ContainsFunc(those, func(o guards.Rule) bool { return o.String() == r.String() }) {
			rest = append(rest, r)
		}
	}
	return rest
}

// savedRequests counts the approval requests that rules together would make unnecessary; none if they cover a call that was denied.
func savedRequests(all []JudgedCall, list []guards.Rule) int {
	n := 0
	for _, a := range all {
		rules := &guards.Rules{List: list, Programs: a.Programs}
		if a.Verdict.Decision != guard.Ask && !a.Refused || rules.Covers(a.Case, a.Verdict.Severity) == nil {
			continue
		}
		if a.Refused {
			return 0
		}
		n++
	}
	return n
}

// JudgementChange is a call of the past that further rules decide otherwise.
type JudgementChange struct {
	JudgedCall
	After guard.Decision
	Text  string // the command, the files or the hosts, made printable
}

// CompareRules judges calls again with further rules: how many are decided how, and those that are decided otherwise, most of them.
func CompareRules(ctx context.Context, then JudgingGuards, all []JudgedCall, most int) (counts map[guard.Decision]int, changed []JudgementChange, more bool) {
	counts = map[guard.Decision]int{}
	for _, a := range all {
		v, _ := then.Decide(ctx, a.Case)
		counts[v.Decision]++
		switch i := a.Case.Intent; {
		case v.Decision == a.Verdict.Decision:
		case len(changed) == most:
			more = true
		default:
			text := cmp.Or(i.Command, strings.Join(slices.Concat(i.Writes, i.Hosts, i.Reads), " "))
			changed = append(changed, JudgementChange{a, v.Decision, guard.Printable(text)})
		}
	}
	return counts, changed, more
}
