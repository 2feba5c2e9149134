package rules

import (
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"rein/cmd/rein/internal/cli"
	"rein/event"
	"rein/guard"
	"rein/guard/rule"
	"rein/guard/standard"
	"rein/harness"
	"rein/harness/settings"
	"rein/tool"
)

func newRulesSimulate() *cobra.Command {
	return &cobra.Command{
		Use:   "simulate SESSION…",
		Short: "What these rules would ask, allow and deny in recorded sessions, and which rules would save approval requests",
		Args:  cobra.MinimumNArgs(1),
		RunE:  simulate,
	}
}

// asked is one call of a recorded session, as it would be judged now.
type asked struct {
	c       guard.Case
	v       guard.Verdict
	p       standard.Programs
	refused bool // a person or a guard denied the call then; not set when no person was connected
	wasAsk  bool // a person was asked then
}

func simulate(cmd *cobra.Command, ids []string) error {
	d := settings.DefaultDirs()
	var all []asked
	counts := map[guard.Decision]int{}
	asks := 0
	for _, id := range ids {
		calls, err := replay(cmd, d, id)
		if err != nil {
			return err
		}
		all = append(all, calls...)
	}
	for _, a := range all {
		counts[a.v.Decision]++
		if a.wasAsk {
			asks++
		}
	}
	out := cmd.OutOrStdout()
	fmt.Fprintf(out, "%d calls: a person was asked %d times then; now %d would run, %d ask, %d be denied\n",
		len(all), asks, counts[guard.Allow], counts[guard.Ask], counts[guard.Deny])
	chosen, saved := smallest(all)
	if len(chosen) == 0 {
		_, err := fmt.Fprintln(out, "no rule would save an approval request without allowing something that was denied")
		return err
	}
	fmt.Fprintf(out, "these %d rules would save %d approval requests and allow nothing that was denied:\n", len(chosen), saved)
	for _, r := range chosen {
		fmt.Fprintf(out, "  %q\n", r.String())
	}
	return nil
}

// replay judges the calls of a recorded session by the rules that hold now.
func replay(cmd *cobra.Command, d settings.Dirs, id string) ([]asked, error) {
	id, err := cli.FindSession(cmd, id)
	if err != nil {
		return nil, err
	}
	store := cli.Store(cmd)
	defer store.Close()
	var all []asked
	at := map[string]int{}
	mode, root := guard.Supervised, ""
	var g harness.GuardSet
	for e, err := range store.Events(id, 0) {
		if err != nil {
			return nil, cli.Fail(cli.ExitInput, fmt.Errorf("%s: %w", id, err))
		}
		switch {
		case e.Kind == event.Started && e.Start != nil:
			if m, err := guard.ParseMode(e.Start.Mode); err == nil {
				mode = m
			}
			root = e.Start.Dir
			if g, _, err = harness.Guards(d, root); err != nil {
				return nil, err
			}
		case e.Kind == event.Called && e.Call != nil && e.Intent != nil && g.Rules != nil:
			c := guard.Case{Session: id, Call: *e.Call, Intent: *e.Intent, Mode: mode, Isolation: guard.FullIsolation, Root: root}
			if _, again := at[e.Call.ID]; again {
				continue // the session was suspended, and went on later
			}
			at[e.Call.ID] = len(all)
			v, _ := g.Decide(cmd.Context(), c)
			all = append(all, asked{c: c, v: v, p: g.Programs})
		case e.Kind == event.ApprovalRequested && e.Call != nil:
			if i, ok := at[e.Call.ID]; ok {
				all[i].wasAsk = true
			}
		case e.Kind == event.Replied && e.Call != nil && e.Verdict != nil && e.Result != nil && e.Result.Kind == tool.Denied:
			if i, ok := at[e.Call.ID]; ok {
				all[i].refused = true
			}
		}
	}
	return all, nil
}

// smallest picks rules greedily: of the lasting answers to calls that cover nothing refused, the one that saves most
// approval requests for each rule that it adds comes first.
func smallest(all []asked) (chosen []rule.Rule, saved int) {
	left := lasting(all)
	for {
		var best []rule.Rule
		most, ratio := saved, 0.0
		for _, set := range left {
			added := without(set, chosen)
			n := saves(all, append(chosen[:len(chosen):len(chosen)], added...))
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

// lasting are the rules that lasting answers to the asked calls would have made, a list for each call.
func lasting(all []asked) (sets [][]rule.Rule) {
	for _, a := range all {
		if a.v.Decision != guard.Ask || a.refused {
			continue
		}
		if set := rule.Offer(a.c, a.v, a.p); len(set) > 0 {
			sets = append(sets, set)
		}
	}
	return sets
}

// without gives the rules that are not among those.
func without(rules, those []rule.Rule) (rest []rule.Rule) {
	for _, r := range rules {
		if !slices.ContainsFunc(those, func(o rule.Rule) bool { return o.String() == r.String() }) {
			rest = append(rest, r)
		}
	}
	return rest
}

// saves counts the approval requests that rules together would make unnecessary; none if they cover a call that was denied.
func saves(all []asked, list []rule.Rule) int {
	n := 0
	for _, a := range all {
		rules := &rule.Set{List: list, Programs: a.p}
		if a.v.Decision != guard.Ask && !a.refused || rules.Covers(a.c, a.v.Severity) == nil {
			continue
		}
		if a.refused {
			return 0
		}
		n++
	}
	return n
}
