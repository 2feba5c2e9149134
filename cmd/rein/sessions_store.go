package main

import (
	"errors"

	"github.com/spf13/cobra"

	"rein/app/harness"
	"rein/app/sessions"
	"rein/app/settings"
	"rein/journal"
)

// openStore returns the recorded sessions of this user. Close it at the end.
func openStore(cmd *cobra.Command) *sessions.Store {
	return harness.SessionStore(settings.DefaultDirs(), warningsTo(cmd))
}

// sessionError gives an error of the store the exit code of the process.
func sessionError(err error) error {
	for _, input := range []error{journal.ErrNoSession, journal.ErrHeld, journal.ErrNewer, journal.ErrExists, sessions.ErrAmbiguous, sessions.ErrNotAMessage} {
		if errors.Is(err, input) {
			return withExitCode(exitInput, err)
		}
	}
	return err
}

// findSession returns the id of the session that a text names: see sessions.Store.Find.
func findSession(cmd *cobra.Command, text string) (string, error) {
	store := openStore(cmd)
	defer store.Close()
	id, err := store.Find(cmd.Context(), text)
	return id, sessionError(err)
}
