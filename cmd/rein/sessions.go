package main

import (
	"github.com/spf13/cobra"

	store "rein/app/sessions"
)

const namingHelp = `A session is named by its ID, by its name, or by the beginning of one of them, while that names one session only.`

// newSessions is the command rein sessions.
func newSessions() *cobra.Command {
	cmd := newSessionsList()
	cmd.Use, cmd.Aliases = "sessions", []string{"session"}
	cmd.AddCommand(newSessionsList(), newSessionsShow(), newSessionsSearch(), newSessionsName(), newSessionsTag(), newSessionsFork(), newSessionsRewind(), newSessionsDelete(), newSessionsPrune(), newSessionsDoctor(), newSessionsExport(), newSessionsImport(), newSessionsContext(), newSessionsCompact())
	return cmd
}

// withSessions runs do with the recorded sessions and gives its error the exit code.
func withSessions(cmd *cobra.Command, do func(*store.Store) error) error {
	s := openStore(cmd)
	defer s.Close()
	return sessionError(do(s))
}

// withSession runs do with the session that a text names.
func withSession(cmd *cobra.Command, text string, do func(s *store.Store, id string) error) error {
	return withSessions(cmd, func(s *store.Store) error {
		id, err := s.Find(cmd.Context(), text)
		if err != nil {
			return err
		}
		return do(s, id)
	})
}
