package main

import (
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/spf13/cobra"

	"rein/app/inbox"
	store "rein/app/sessions"
	"rein/app/settings"
	"rein/internal/plaintext"
)

func newSessionsPrune() *cobra.Command {
	var days int
	var dry, yes, asJSON bool
	cmd := &cobra.Command{
		Use:   "prune",
		Short: "Delete sessions in which nothing has happened for some days",
		Long: `Delete sessions in which nothing has happened for some days, with their sub-agents' sessions and kept outputs. Sessions with a
name or a tag stay, and so does one that waits for an answer or that a process has open. What their calls did to files can still be
undone with rein undo. The setting sessions.days does the same when a session begins or is resumed, and in a server, at most once a day.`,
		Example: `  rein sessions prune --days 90 --dry-run     list them, and delete nothing`,
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			d := settings.DefaultDirs()
			if days == 0 {
				layers, _, err := settings.Load(d, "")
				if err != nil {
					return err
				}
				days = settings.Merge(layers).Sessions.Days
			}
			if days == 0 {
				return withExitCode(exitUsage, errors.New("say how many days: --days 90, or the setting sessions.days"))
			}
			open, err := inbox.New(d.Sessions).Open()
			if err != nil {
				return err
			}
			return withSessions(cmd, func(s *store.Store) error {
				since := time.Now().AddDate(0, 0, -days)
				old, err := s.Old(cmd.Context(), since, open)
				if err != nil {
					return err
				}
				if !dry && !yes && len(old) > 0 {
					if err := confirmDeletion(cmd, fmt.Sprintf("Delete %s of more than %s ago?", plaintext.Counted(len(old), "session"), plaintext.Counted(days, "day"))); err != nil {
						return err
					}
				}
				if !dry {
					old, err = s.Prune(cmd.Context(), since, open)
				}
				return errors.Join(err, printPruned(cmd, old, dry, asJSON))
			})
		},
	}
	cmd.Flags().Var(rangeFlag(&days, 1, math.MaxInt32), "days", "without an event for so many days (default: the setting sessions.days)")
	cmd.Flags().BoolVar(&dry, "dry-run", false, "list them, and delete nothing")
	cmd.Flags().BoolVarP(&yes, "yes", "y", false, "do not ask")
	cmd.Flags().BoolVar(&asJSON, "json", false, "a JSON line for each session")
	return cmd
}

// printPruned lists the sessions that are deleted, or would be.
func printPruned(cmd *cobra.Command, all []store.Session, dry, asJSON bool) error {
	if asJSON {
		return printJSONLines(cmd, all)
	}
	for _, s := range all {
		if _, err := fmt.Fprintf(cmd.OutOrStdout(), "%s  %s  %s\n", s.ID, s.Last.Local().Format("2006-01-02"), printable(s.Title)); err != nil {
			return err
		}
	}
	did := "deleted"
	if dry {
		did = "would be deleted"
	}
	_, err := fmt.Fprintf(cmd.ErrOrStderr(), "%s %s\n", plaintext.Counted(len(all), "session"), did)
	return err
}
