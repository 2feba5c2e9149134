package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"rein/app/catalogue"
	"rein/app/harness"
	"rein/app/settings"
	"rein/guard"
)

func newRulesSimulate() *cobra.Command {
	return &cobra.Command{
		Use:   "simulate SESSION…",
		Short: "Show what these rules would ask, allow and deny in recorded sessions, and which rules would save approval requests",
		Args:  cobra.MinimumNArgs(1),
		RunE:  simulate,
	}
}

func simulate(cmd *cobra.Command, ids []string) error {
	d := settings.DefaultDirs()
	var all []catalogue.JudgedCall
	counts := map[guard.Decision]int{}
	asks := 0
	for _, id := range ids {
		calls, err := replaySession(cmd, d, id)
		if err != nil {
			return err
		}
		all = append(all, calls...)
	}
	for _, a := range all {
		counts[a.Verdict.Decision]++
		if a.WasAsked {
			asks++
		}
	}
	out := cmd.OutOrStdout()
	fmt.Fprintf(out, "calls: %d; a person was asked about %d then; now %d would run, %d ask, %d be denied\n",
		len(all), asks, counts[guard.Allow], counts[guard.Ask], counts[guard.Deny])
	chosen, saved := catalogue.SmallestRules(all)
	if len(chosen) == 0 {
		_, err := fmt.Fprintln(out, "no rule would save an approval request without allowing something that was denied")
		return err
	}
	fmt.Fprintf(out, "approval requests that these rules would save: %d; they allow nothing that was denied:\n", saved)
	for _, r := range chosen {
		fmt.Fprintf(out, "  %q\n", r.String())
	}
	return nil
}

// replaySession judges the calls of a recorded session by the rules that hold now.
func replaySession(cmd *cobra.Command, d settings.Dirs, id string) ([]catalogue.JudgedCall, error) {
	id, err := findSession(cmd, id)
	if err != nil {
		return nil, err
	}
	store := openStore(cmd)
	defer store.Close()
	var wrong error // in the settings
	all, err := catalogue.ReplayCalls(cmd.Context(), id, store.Events(id, 0), func(root string) (catalogue.JudgingGuards, error) {
		g, _, err := harness.Guards(d, root)
		wrong = err
		return catalogue.JudgingGuards(g), err
	})
	if err != nil && wrong == nil {
		err = withExitCode(exitInput, fmt.Errorf("%s: %w", id, err))
	}
	return all, err
}
