package main

import (
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"rein/app/catalogue"
	"rein/app/harness"
	"rein/app/sessions"
	"rein/app/settings"
	"rein/internal/plaintext"
)

// recordedCalls are the calls of recorded sessions that rules are tested on.
type recordedCalls struct {
	last   positiveNumber
	which  []string // sessions; none: all of the directory
	dir    string
	all    bool
	asJSON bool
}

func (r *recordedCalls) flags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.Var(&r.last, "last", "how many of the last calls (default 500)")
	f.StringArrayVar(&r.which, "session", nil, "only the calls of this session (repeat)")
	f.StringVarP(&r.dir, "cwd", "C", ".", "calls of sessions of this directory")
	f.BoolVar(&r.all, "all", false, "calls of sessions of all directories")
	f.BoolVar(&r.asJSON, "json", false, "as JSON")
}

// lastCalls is how many recorded calls rules are tested on unless the user names a number.
const lastCalls = 500

// testedRules is what a test of rules found, as JSON.
type testedRules struct {
	Calls   int            `json:"calls"`
	Before  map[string]int `json:"before"` // by decision, with the rules that hold now
	After   map[string]int `json:"after"`
	Changed []rejudgedCall `json:"changed"`
}

// rejudgedCall is a call that the rules decide otherwise.
type rejudgedCall struct {
	Session string `json:"session"`
	ID      string `json:"id"`
	Tool    string `json:"tool"`
	Text    string `json:"text"`
	Before  string `json:"before"`
	After   string `json:"after"`
	Asked   bool   `json:"asked"`  // a person was asked when it was made
	Denied  bool   `json:"denied"` // it was denied when it was made
}

// test judges the calls with the rules of the file.
func (r *recordedCalls) test(cmd *cobra.Command, file string) error {
	if _, err := readFile(file); err != nil {
		return withExitCode(exitInput, err)
	}
	d := settings.DefaultDirs()
	calls, err := r.read(cmd, d)
	if err != nil {
		return err
	}
	out := testedRules{Calls: len(calls), Before: map[string]int{}, After: map[string]int{}, Changed: []rejudgedCall{}}
	for _, c := range calls {
		out.Before[c.Verdict.Decision.String()]++
	}
	for root, of := range byRoot(calls) {
		then, warnings, err := harness.GuardsWithFile(d, root, file)
		if err != nil {
			return err
		}
		for _, w := range warnings {
			warningsTo(cmd)(w.String())
		}
		counts, changed, _ := catalogue.CompareRules(cmd.Context(), catalogue.JudgingGuards(then), of, len(of))
		for decision, n := range counts {
			out.After[decision.String()] += n
		}
		for _, c := range changed {
			out.Changed = append(out.Changed, rejudgedCall{c.Case.Session, c.Case.Call.ID, c.Case.Call.Name, c.Text, c.Verdict.Decision.String(), c.After.String(), c.WasAsked, c.Refused})
		}
	}
	if err := r.show(cmd, out); err != nil || len(out.Changed) == 0 {
		return err
	}
	return withExitCode(exitError, asPrinted(asSeen(errors.New("the rules decide recorded calls otherwise"))))
}

// byRoot are the calls of each workspace.
func byRoot(calls []catalogue.JudgedCall) map[string][]catalogue.JudgedCall {
	roots := map[string][]catalogue.JudgedCall{}
	for _, c := range calls {
		roots[c.Case.Root] = append(roots[c.Case.Root], c)
	}
	return roots
}

// read returns the last calls as the rules that hold now judge them, the oldest first.
func (r *recordedCalls) read(cmd *cobra.Command, d settings.Dirs) (calls []catalogue.JudgedCall, err error) {
	ids := r.which
	if len(ids) == 0 {
		filter := sessions.Filter{SubAgents: true}
		if !r.all {
			if filter.Dir, err = realDir(r.dir); err != nil {
				return nil, err
			}
		}
		store := openStore(cmd)
		defer store.Close()
		list, _, err := store.List(cmd.Context(), filter)
		if err != nil {
			return nil, err
		}
		for _, s := range list {
			ids = append(ids, s.ID)
		}
	}
	most := int(r.last)
	if most == 0 {
		most = lastCalls
	}
	for _, id := range ids {
		more, err := replaySession(cmd, d, id)
		if err != nil && len(r.which) > 0 {
			return nil, err
		}
		if err != nil {
			warningsTo(cmd)(fmt.Sprintf("session %s is left out: %v", id, err))
			continue
		}
		calls = append(more, calls...)
		if len(calls) >= most {
			return calls[len(calls)-most:], nil
		}
	}
	return calls, nil
}

func (r *recordedCalls) show(cmd *cobra.Command, t testedRules) error {
	slices.SortStableFunc(t.Changed, func(a, b rejudgedCall) int { return slices.Compare([]string{a.Session}, []string{b.Session}) })
	if r.asJSON {
		return printJSON(cmd.OutOrStdout(), t)
	}
	out := cmd.OutOrStdout()
	fmt.Fprintf(out, "%s; now %s; with these rules %s\n", plaintext.Counted(t.Calls, "recorded call"), decisions(t.Before), decisions(t.After))
	if len(t.Changed) == 0 {
		_, err := fmt.Fprintln(out, "none would be decided otherwise")
		return err
	}
	fmt.Fprintf(out, "decided otherwise: %d\n", len(t.Changed))
	for _, c := range t.Changed {
		then := ""
		switch {
		case c.Denied:
			then = "; it was denied then"
		case c.Asked:
			then = "; a person was asked then"
		}
		fmt.Fprintf(out, "  %s → %s  %s %s  (session %s%s)\n", c.Before, c.After, c.Tool, oneLine(c.Text, 120), c.Session, then)
	}
	return nil
}

func decisions(n map[string]int) string {
	return fmt.Sprintf("%d run, %d ask, %d are denied", n["allow"], n["ask"], n["deny"])
}
