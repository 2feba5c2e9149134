package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"rein/harness/settings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"rein/event"
	"rein/journal"
)

func newSessions() *cobra.Command {
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
				return encodeLines(cmd, all)
			}
			return listSessions(cmd, all)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "as JSON lines")
	cmd.AddCommand(newSessionsShow())
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
		fmt.Fprintf(table, "%s\t%s\t%d\t%s\t%s\t%s\n", s.ID, last, s.Calls, ended, s.Dir, oneLine(s.Title, 60))
	}
	return table.Flush()
}

// sessionDir gives the directory of a session that there is.
func sessionDir(sessions, id string) (string, error) {
	dir, err := journal.Dir(sessions, id)
	if err == nil {
		_, err = os.Stat(filepath.Join(dir, journal.FileName))
	}
	if errors.Is(err, os.ErrNotExist) || errors.Is(err, journal.ErrNoSession) {
		err = fmt.Errorf("%w: %q (rein sessions lists them)", journal.ErrNoSession, id)
	}
	if err != nil {
		return "", coded{exitInput, err}
	}
	return dir, nil
}

func newSessionsShow() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "show ID",
		Short: "Print one session",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			dir, err := sessionDir(settings.DefaultDirs().Sessions, args[0])
			if err != nil {
				return err
			}
			name := filepath.Join(dir, journal.FileName)
			s := &screen{out: cmd.OutOrStdout(), times: true}
			enc := json.NewEncoder(cmd.OutOrStdout())
			enc.SetEscapeHTML(false)
			for e, err := range journal.Read(name) {
				switch {
				case errors.Is(err, journal.ErrTorn):
					fmt.Fprintln(cmd.ErrOrStderr(), "rein: warning:", err)
					return nil
				case err != nil:
					return coded{exitInput, fmt.Errorf("%s: %w", name, err)}
				case asJSON:
					err = enc.Encode(e)
				default:
					err = s.show(recorded(e))
				}
				if err != nil {
					return err
				}
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "the events as they are recorded")
	return cmd
}

// recorded makes an event of the journal one that the screen shows: what the model said was live then.
func recorded(e event.Event) event.Event {
	if e.Kind == event.Responded {
		e.Kind = event.Delta
		if e.Text != "" {
			e.Text += "\n"
		}
	}
	return e
}

func encodeLines[T any](cmd *cobra.Command, all []T) error {
	enc := json.NewEncoder(cmd.OutOrStdout())
	enc.SetEscapeHTML(false)
	for _, v := range all {
		if err := enc.Encode(v); err != nil {
			return err
		}
	}
	return nil
}
