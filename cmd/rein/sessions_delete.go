package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	store "rein/app/sessions"
)

func newSessionsDelete() *cobra.Command {
	var yes, asJSON bool
	cmd := &cobra.Command{
		Use:   "delete ID…",
		Short: "Delete sessions: the conversation, its sub-agents' sessions, and kept outputs",
		Long: `Delete sessions: the conversation, the sessions of its sub-agents, and kept outputs. What its calls did
to files can still be undone with rein undo. A session that is open in another process is not deleted.

` + namingHelp,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return withSessions(cmd, func(s *store.Store) error {
				ids, err := findSessions(cmd, s, args)
				if err != nil {
					return err
				}
				if !yes {
					if err := confirmDeletion(cmd, fmt.Sprintf("Delete %s?", strings.Join(ids, ", "))); err != nil {
						return err
					}
				}
				for _, id := range ids {
					if err := s.Delete(id); err != nil {
						return err
					}
					if asJSON {
						err = printJSONLines(cmd, []noteResult{{ID: id}})
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

// confirmDeletion asks, and returns an error unless the answer is yes.
func confirmDeletion(cmd *cobra.Command, question string) error {
	ok, err := confirmQuestion(cmd, question)
	if err == nil && !ok {
		err = withExitCode(exitDenied, errors.New("nothing was deleted"))
	}
	return err
}

// findSessions returns the ids of all that are named, each once, or fails before anything is done.
func findSessions(cmd *cobra.Command, s *store.Store, names []string) (ids []string, err error) {
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
