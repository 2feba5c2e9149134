package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"slices"

	"github.com/spf13/cobra"

	"rein/app/replay"
	"rein/app/sessions"
	"rein/event"
)

// newDiff is the command rein diff.
func newDiff() *cobra.Command {
	var asJSON, all, force bool
	var page string
	cmd := &cobra.Command{
		Use:   "diff A B",
		Short: "Compare two recorded runs: calls, decisions, files, cost and time",
		Long: `Compare two recorded sessions step by step. Steps are aligned by what they are, not by where they stand: the same call at
another place counts as moved. A and B are sessions, or files that rein sessions export --json wrote.

The exit code is 0 when both runs made the same calls and the same was decided about each, and 1 when that differs. With
--all, results, answers and files count too. Errors have other exit codes (2 for a wrong command line, 42 for a session
that is not there), never 0 or 1.

` + namingHelp,
		Example: `  rein diff q7bzd abcde
  rein diff baseline.json abcde --html diff.html`,
		Args: cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			d, err := diffOf(cmd, args[0], args[1])
			if err == nil {
				err = showDiff(cmd, d, page, asJSON, force)
			}
			switch {
			case exitCode(err) == exitError:
				return withExitCode(exitUsage, err) // 1 means that the runs differ
			case err != nil:
				return err
			case !d.Equal(all):
				return withExitCode(exitError, asSeen(errors.New(d.Summary())))
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "as JSON")
	cmd.Flags().StringVar(&page, "html", "", "write one HTML page to this file, both runs side by side")
	cmd.Flags().BoolVar(&force, "force", false, "overwrite the file of --html")
	cmd.Flags().BoolVar(&all, "all", false, "results, answers and files count for the exit code too")
	return cmd
}

func diffOf(cmd *cobra.Command, a, b string) (*replay.Diff, error) {
	store := openStore(cmd)
	defer store.Close()
	x, err := readRun(cmd, store, a)
	if err != nil {
		return nil, err
	}
	y, err := readRun(cmd, store, b)
	if err != nil {
		return nil, err
	}
	d := replay.Compare(x, y)
	d.Sent = d.CompareRecordings(recordingOf(cmd, x.Session), recordingOf(cmd, y.Session))
	return d, nil
}

// readRun reads the run of a session, or of the file of an exported one.
func readRun(cmd *cobra.Command, store *sessions.Store, name string) (*replay.Run, error) {
	recorded := func(id string) iter.Seq2[event.Event, error] { return store.Events(id, 0) }
	if info, err := os.Stat(name); err == nil && info.Mode().IsRegular() {
		text, err := readNamedFile(cmd, name)
		if err != nil {
			return nil, withExitCode(exitInput, err)
		}
		var exported struct {
			Program, ID string
			Events      []event.Event
		}
		if err := json.Unmarshal(text, &exported); err != nil || exported.Program != "rein" {
			return nil, withExitCode(exitInput, fmt.Errorf("%s is no session that rein sessions export --json wrote", name))
		}
		return replay.Read(exported.ID, func(id string) iter.Seq2[event.Event, error] {
			if id != exported.ID {
				return recorded(id)
			}
			return withoutErrors(slices.Values(exported.Events))
		})
	}
	id, err := store.Find(cmd.Context(), name)
	if err != nil {
		return nil, sessionError(err)
	}
	run, err := replay.Read(id, recorded)
	if err != nil {
		return nil, withExitCode(exitInput, err)
	}
	return run, nil
}

func withoutErrors(events iter.Seq[event.Event]) iter.Seq2[event.Event, error] {
	return func(yield func(event.Event, error) bool) {
		for e := range events {
			if !yield(e, nil) {
				return
			}
		}
	}
}

func showDiff(cmd *cobra.Command, d *replay.Diff, page string, asJSON, force bool) error {
	if page != "" {
		if err := writeNewFile(page, force, func(w io.Writer) error { return d.WriteHTML(w) }); err != nil {
			return err
		}
		fmt.Fprintln(cmd.ErrOrStderr(), "Wrote", page)
	}
	if !asJSON {
		return d.WriteText(cmd.OutOrStdout())
	}
	type side struct {
		Session string `json:"session"`
		Model   string `json:"model"`
		Mode    string `json:"mode"`
		replay.Spent
	}
	of := func(r *replay.Run) side { return side{r.Session, r.Model, r.Mode, r.Spent()} }
	return printJSON(cmd.OutOrStdout(), struct {
		A side `json:"a"`
		B side `json:"b"`
		*replay.Diff
	}{of(d.A), of(d.B), d})
}
