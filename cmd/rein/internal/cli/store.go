package cli

import (
	"errors"

	"github.com/spf13/cobra"

	"rein/harness/sessions"
	"rein/harness/settings"
	"rein/journal"
)

// Store returns the recorded sessions of this user. Close it at the end.
func Store(cmd *cobra.Command) *sessions.Store {
	return sessions.New(settings.DefaultDirs(), Warn(cmd))
}

// SessionError gives an error of the store the exit code of the process.
func SessionError(err error) error {
	for _, input := range []error{journal.ErrNoSession, journal.ErrHeld, journal.ErrNewer, journal.ErrExists, sessions.ErrAmbiguous, sessions.ErrNotAMessage} {
		if errors.Is(err, input) {
			return Fail(ExitInput, err)
		}
	}
	return err
}

// FindSession returns the id of the session that a text names: see sessions.Store.Find.
func FindSession(cmd *cobra.Command, text string) (string, error) {
	store := Store(cmd)
	defer store.Close()
	id, err := store.Find(cmd.Context(), text)
	return id, SessionError(err)
}
