package main

import (
	"errors"
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"rein/event"
	"rein/guard"
	"rein/journal"
	"rein/sandbox"
)

func newRulesSimulate() *cobra.Command {
	return &cobra.Command{
		Use:   "simulate SESSION…",
		Short: "What these rules would have asked, allowed and denied over recorded sessions, and which would save questions",
		Args:  usageArgs(cobra.MinimumNArgs(1)),
		RunE:  simulate,
	}
}

// asked is one call of a recorded session, as it would be judged now.
type asked struct {
	c       guard.Case
	v       guard.Verdict
	refused bool // a person or a rule said no then
	wasAsk  bool // a person was asked then
}

func simulate(cmd *cobra.Command, ids []string) error {
	d := newDirs()
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
		asks += boolToInt(a.wasAsk)
	}
	out := cmd.OutOrStdout()
	fmt.Fprintf(out, "%d calls: a person was asked %d times then; now %d would run, %d ask, %d be denied\n",
		len(all), asks, counts[guard.Allow], counts[guard.Ask], counts[guard.Deny])
	chosen, saved := smallest(all)
	if len(chosen) == 0 {
		_, err := fmt.Fprintln(out, "no rule would save a question without letting through something that was refused")
		return err
	}
	fmt.Fprintf(out, "these %d rules would save %d questions and let through nothing that was refused:\n", len(chosen), saved)
	for _, r := range chosen {
		fmt.Fprintf(out, "  %q\n", r.String())
	}
	return nil
}

func boolToInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

// replay judges the calls of a recorded session by the rules that hold now.
func replay(cmd *cobra.Command, d dirs, id string) ([]asked, error) {
	dir, err := journal.Dir(d.sessions, id)
	if err != nil {
		return nil, coded{exitInput, err}
	}
	var all []asked
	at := map[string]int{}
	mode, root := guard.Supervised, ""
	var g *guards
	for e, err := range journal.Read(filepath.Join(dir, journal.FileName)) {
		if errors.Is(err, journal.ErrTorn) {
			break
		}
		if err != nil {
			return nil, coded{exitInput, fmt.Errorf("%s: %w", id, err)}
		}
		switch {
		case e.Kind == event.Started && e.Start != nil:
			if m, err := guard.ParseMode(e.Start.Mode); err == nil {
				mode = m
			}
			root = e.Start.Dir
			if g, _, err = newGuards(root, nil, d, nil, nil, sandbox.None{}, nil); err != nil {
				return nil, err
			}
		case e.Kind == event.Called && e.Call != nil && e.Intent != nil && g != nil:
			c := guard.Case{Session: id, Call: *e.Call, Intent: *e.Intent, Mode: mode, Walls: guard.FullWalls, Root: root}
			at[e.Call.ID] = len(all)
			all = append(all, asked{c: c, v: g.now(cmd.Context(), c)})
		case e.Kind == event.Question && e.Call != nil:
			if i, ok := at[e.Call.ID]; ok {
				all[i].wasAsk = true
			}
		case e.Kind == event.Replied && e.Call != nil && e.Verdict != nil && e.Result != nil && e.Result.Failed:
			if i, ok := at[e.Call.ID]; ok {
				all[i].refused = true
			}
		}
	}
	return all, nil
}

// smallest picks rules greedily: of those that cover no refused call, the one that saves most questions first.
func smallest(all []asked) (chosen []guard.Rule, saved int) {
	done := make([]bool, len(all))
	for {
		var best *guard.Rule
		most := 0
		for _, candidate := range offers(all) {
			if n := saves(all, done, candidate); n > most {
				most, best = n, &candidate
			}
		}
		if best == nil {
			return chosen, saved
		}
		chosen, saved = append(chosen, *best), saved+most
		rules := &guard.Rules{List: chosen}
		for i, a := range all {
			done[i] = done[i] || rules.Covers(a.c, a.v.Severity) != nil
		}
	}
}

// offers are the rules that lasting answers to the asked calls would have made.
func offers(all []asked) []guard.Rule {
	var rules []guard.Rule
	seen := map[string]bool{}
	for _, a := range all {
		if a.v.Decision != guard.Ask || a.refused {
			continue
		}
		for _, r := range guard.Offer(a.c, a.v, guard.Programs{}) {
			if !seen[r.String()] {
				seen[r.String()] = true
				rules = append(rules, r)
			}
		}
	}
	return rules
}

// saves counts the questions that a rule would save; none where it covers something that was refused.
func saves(all []asked, done []bool, r guard.Rule) int {
	rules := &guard.Rules{List: []guard.Rule{r}}
	n := 0
	for i, a := range all {
		covered := rules.Covers(a.c, a.v.Severity) != nil
		if covered && a.refused {
			return 0
		}
		if covered && !done[i] && a.v.Decision == guard.Ask {
			n++
		}
	}
	return n
}
