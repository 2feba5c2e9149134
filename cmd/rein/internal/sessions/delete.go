package sessions

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"rein/cmd/rein/internal/cli"
	"rein/cmd/rein/internal/console"
	store "rein/harness/sessions"
)

func newDelete() *cobra.Command {
	var yes, asJSON bool
	cmd := &cobra.Command{
		Use:   "delete ID…",
		Short: "Delete sessions: the conversation, its sub-agents' sessions, and kept outputs",
		Long: `Delete sessions: the conversation, the sessions of its sub-agents, and kept outputs. What its calls did
to files can still be taken back with rein undo. A session that is open in another process is not deleted.

` + namingHelp,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return withStore(cmd, func(s *store.Store) error {
				ids, err := allNamed(cmd, s, args)
				if err != nil {
					return err
				}
				if !yes {
					if err := confirmed(cmd, fmt.Sprintf("Delete %s?", strings.Join(ids, ", "))); err != nil {
						return err
					}
				}
				for _, id := range ids {
					if err := s.Delete(id); err != nil {
						return err
					}
					if asJSON {
						err = cli.PrintLines(cmd, []noted{{ID: id}})
					} else {
						_, err = fmt.Fprintln(cmd.ErrOrStderr(), "Deleted", id)
					}
					if err != nil {
						return err
					}
				}
				return nil
			})
		},
	}
	cmd.Flags().BoolVarP(&yes, "yes", "y", false, "do not ask")
	cmd.Flags().BoolVar(&asJSON, "json", false, "a JSON line for each deleted session")
	return cmd
}

// allNamed gives the ids of all that are named, each once, or fails before anything is done.
func allNamed(cmd *cobra.Command, s *store.Store, names []string) (ids []string, err error) {
	for _, name := range names {
		id, err := s.Find(cmd.Context(), name)
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
