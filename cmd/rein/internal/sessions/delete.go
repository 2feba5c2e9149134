package sessions

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"rein/cmd/rein/internal/cli"
	"rein/cmd/rein/internal/console"
	"rein/harness/settings"
	"rein/journal"
)

func newSessionsDelete() *cobra.Command {
	var yes bool
	cmd := &cobra.Command{
		Use:   "delete ID…",
		Short: "Delete sessions: the conversation, kept outputs, and the history for undo_edit",
		Long: `Delete sessions: the conversation, kept outputs, and the history for undo_edit. An ID may be shortened while it
names one session only. A session that is open in another process is not deleted.`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			d := settings.DefaultDirs()
			ids, err := sessionsNamed(d.Sessions, args)
			if err != nil {
				return err
			}
			if !yes {
				if err := confirmed(cmd, fmt.Sprintf("Delete %s?", strings.Join(ids, ", "))); err != nil {
					return err
				}
			}
			for _, id := range ids {
				if err := deleteSession(d, id); err != nil {
					return err
				}
				fmt.Fprintln(cmd.ErrOrStderr(), "Deleted", id)
			}
			return nil
		},
	}
	cmd.Flags().BoolVarP(&yes, "yes", "y", false, "do not ask")
	return cmd
}

// sessionsNamed gives the ids of all that are named, each once, or fails before anything is done.
func sessionsNamed(sessions string, names []string) (ids []string, err error) {
	for _, name := range names {
		id, _, err := cli.SessionNamed(sessions, name)
		if err != nil {
			return nil, err
		}
		if !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	return ids, nil
}

// confirmed asks the person at the terminal. Only y means yes.
func confirmed(cmd *cobra.Command, prompt string) error {
	if !console.NewTerminal(os.Stdin, os.Stderr).Present() {
		return cli.Fail(cli.ExitUsage, errors.New("nobody is there to confirm: add --yes"))
	}
	line, err := console.Lines{In: cmd.InOrStdin(), Out: cmd.ErrOrStderr(), Prompt: prompt + " [y/N] "}.Line(cmd.Context())
	if err == nil && (line == "y" || line == "Y" || line == "yes") {
		return nil
	}
	return cli.Fail(cli.ExitDenied, errors.New("nothing was deleted"))
}

// deleteSession removes a session's directory and its kept outputs.
func deleteSession(d settings.Dirs, id string) error {
	dir := filepath.Join(d.Sessions, id)
	f, _, err := journal.Open(dir)
	if err != nil {
		return cli.Fail(cli.ExitInput, fmt.Errorf("%s is not deleted: %w", id, err))
	}
	outputs, _ := filepath.Glob(filepath.Join(d.Output, id+"-*")) // the pattern is right
	for _, name := range outputs {
		err = errors.Join(err, os.RemoveAll(name))
	}
	return errors.Join(err, os.Remove(filepath.Join(dir, journal.FileName)), f.Close(), os.RemoveAll(dir))
}
