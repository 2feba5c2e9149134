package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	store "rein/app/sessions"
	"rein/internal/plaintext"
)

// doctorTotals is what doctor prints with --json at the end.
type doctorTotals struct {
	Sessions  int      `json:"sessions"`
	Bad       int      `json:"bad"`
	Leftovers []string `json:"leftovers,omitempty"`
}

func newSessionsDoctor() *cobra.Command {
	var repair, asJSON bool
	cmd := &cobra.Command{
		Use:   "doctor [ID…]",
		Short: "Check sessions, and repair them with --repair",
		Long: `Check sessions, all of them without an ID: whether each line of the journal can be read, whether events or data are
missing, whether a crash left something behind. With --repair, lines that cannot be read go to damaged.jsonl beside the
journal, of which a copy is kept; leftovers of crashes are deleted, and the index is made again. A problem that is left
gives exit code 1.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			return withSessions(cmd, func(s *store.Store) error {
				bad, end, err := checkSessions(cmd, s, args, repair)
				if err != nil {
					return err
				}
				if repair && len(args) == 0 {
					if err := s.Rebuild(cmd.Context()); err != nil {
						return err
					}
				}
				return reportSessions(cmd, bad, end, asJSON)
			})
		},
	}
	cmd.Flags().BoolVar(&repair, "repair", false, "repair what can be repaired")
	cmd.Flags().BoolVar(&asJSON, "json", false, "as JSON lines: the sessions with problems, then the totals")
	return cmd
}

// checkSessions checks the sessions that are named, or all.
func checkSessions(cmd *cobra.Command, s *store.Store, names []string, repair bool) (bad []store.Checked, end doctorTotals, err error) {
	if len(names) == 0 {
		bad, end.Sessions, end.Leftovers, err = s.CheckAll(repair)
		end.Bad = len(bad)
		return bad, end, err
	}
	ids, err := findSessions(cmd, s, names)
	if err != nil {
		return nil, end, err
	}
	for _, id := range ids {
		c, err := s.Check(id, repair)
		if err != nil {
			return nil, end, err
		}
		if len(c.Problems) > 0 {
			bad = append(bad, c)
		}
	}
	end.Sessions, end.Bad = len(ids), len(bad)
	return bad, end, nil
}

func reportSessions(cmd *cobra.Command, bad []store.Checked, end doctorTotals, asJSON bool) error {
	left := 0
	for _, c := range bad {
		if c.Unrepaired() {
			left++
		}
	}
	if asJSON {
		if err := errors.Join(printJSONLines(cmd, bad), printJSONLines(cmd, []doctorTotals{end})); err != nil {
			return err
		}
	} else {
		printSessionsReport(cmd, bad, end)
	}
	if left > 0 {
		return asSeen(withExitCode(exitError, fmt.Errorf("sessions with problems: %d", left)))
	}
	return nil
}

func printSessionsReport(cmd *cobra.Command, bad []store.Checked, end doctorTotals) {
	out := cmd.OutOrStdout()
	for _, c := range bad {
		fmt.Fprintf(out, "%s: %s\n", c.ID, plaintext.Counted(c.Events, "event"))
		for _, p := range c.Problems {
			where, done := "", ""
			if p.Line > 0 {
				where = fmt.Sprintf("line %d: ", p.Line)
			}
			if p.Repaired != "" {
				done = " — " + p.Repaired
			}
			fmt.Fprintf(out, "  %s%s%s\n", where, oneLine(p.Text, 300), done)
		}
		if c.Copy != "" {
			fmt.Fprintf(out, "  the journal as it was: %s\n", c.Copy)
		}
	}
	for _, name := range end.Leftovers {
		fmt.Fprintf(out, "%s was left behind by a crash\n", name)
	}
	fmt.Fprintf(out, "%s checked, %d with problems\n", plaintext.Counted(end.Sessions, "session"), end.Bad)
}
