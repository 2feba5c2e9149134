// Package sessions is the commands over recorded sessions: rein sessions and rein approve.
package sessions

import (
	"github.com/spf13/cobra"

	"rein/cmd/rein/internal/cli"
	store "rein/harness/sessions"
)

const namingHelp = `A session is named by its ID, by its name, or by the beginning of one of them, while that names one session only.`

// New is the command rein sessions.
func New() *cobra.Command {
	cmd := newList()
	cmd.Use, cmd.Aliases = "sessions", []string{"session"}
	cmd.AddCommand(newList(), newShow(), newSearch(), newName(), newTag(), newFork(), newRewind(), newDelete(), newDoctor(), newExport(), newImport(), newContext(), newCompact())
	return cmd
}

// withStore runs do with the recorded sessions and gives its error the exit code.
func withStore(cmd *cobra.Command, do func(*store.Store) error) error {
	s := cli.Store(cmd)
	defer s.Close()
	return cli.SessionError(do(s))
}

// withSession runs do with the session that a text names.
func withSession(cmd *cobra.Command, text string, do func(s *store.Store, id string) error) error {
	return withStore(cmd, func(s *store.Store) error {
		id, err := s.Find(cmd.Context(), text)
		if err != nil {
			return err
		}
		return do(s, id)
	})
}
