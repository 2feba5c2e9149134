// Package sessions is the commands over recorded sessions: rein sessions and rein approve.
package sessions

import (
	"fmt"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"rein/cmd/rein/internal/cli"
	"rein/cmd/rein/internal/console"
	"rein/harness/settings"
	"rein/journal"
)

// New is the command rein sessions.
func New() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "sessions",
		Short: "List the recorded sessions, newest first",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			all, err := journal.List(settings.DefaultDirs().Sessions)
			if err != nil {
				return err
			}
			if asJSON {
				return cli.PrintLines(cmd, all)
			}
			return listSessions(cmd, all)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "as JSON lines")
	cmd.AddCommand(newSessionsShow(), newSessionsDelete())
	return cmd
}

func listSessions(cmd *cobra.Command, all []journal.Summary) error {
	if len(all) == 0 {
		_, err := fmt.Fprintln(cmd.ErrOrStderr(), "No sessions yet. Try: rein demo")
		return err
	}
	table := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 4, 2, ' ', 0)
	fmt.Fprintln(table, "ID\tLAST\tCALLS\tENDED\tWHERE\tWHAT")
	for _, s := range all {
		ended := string(s.Stop)
		switch {
		case s.Bad != "":
			ended = "unreadable: " + s.Bad
		case s.Torn:
			ended = "cut off by a crash"
		case ended == "":
			ended = "-"
		}
		if s.Damaged > 0 {
			ended += fmt.Sprintf(" (%d damaged)", s.Damaged)
		}
		last := "-"
		if !s.Last.IsZero() {
			last = s.Last.Local().Format("2006-01-02 15:04")
		}
		fmt.Fprintf(table, "%s\t%s\t%d\t%s\t%s\t%s\n", s.ID, last, s.Calls, ended, s.Dir, console.OneLine(s.Title, 60))
	}
	return table.Flush()
}
