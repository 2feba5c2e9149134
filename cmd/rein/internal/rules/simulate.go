package rules

import (
	"fmt"

	"github.com/spf13/cobra"

	"rein/cmd/rein/internal/cli"
	"rein/guard"
	"rein/harness"
	"rein/harness/judging"
	"rein/harness/settings"
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
	var all []judging.Asked
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
		counts[a.Verdict.Decision]++
		if a.WasAsked {
			asks++
		}
	}
	out := cmd.OutOrStdout()
	fmt.Fprintf(out, "calls: %d; a person was asked about %d then; now %d would run, %d ask, %d be denied\n",
		len(all), asks, counts[guard.Allow], counts[guard.Ask], counts[guard.Deny])
	chosen, saved := judging.Smallest(all)
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

// replay judges the calls of a recorded session by the rules that hold now.
func replay(cmd *cobra.Command, d settings.Dirs, id string) ([]judging.Asked, error) {
	id, err := cli.FindSession(cmd, id)
	if err != nil {
		return nil, err
	}
	store := cli.Store(cmd)
	defer store.Close()
	var wrong error // in the settings
	all, err := judging.Replay(cmd.Context(), id, store.Events(id, 0), func(root string) (judging.Guards, error) {
		g, _, err := harness.Guards(d, root)
		wrong = err
		return judging.Guards(g), err
	})
	if err != nil && wrong == nil {
		err = cli.Fail(cli.ExitInput, fmt.Errorf("%s: %w", id, err))
	}
	return all, err
}
