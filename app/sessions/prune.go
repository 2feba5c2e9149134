package sessions

import (
	"context"
	"errors"
	"time"

	"rein/event"
	"rein/journal"
)

// Old returns the sessions in which nothing has happened since a time and that nobody marked: those without a name and a tag. A session that
// waits for an answer is none of them, also one of whose calls a request is open: open has the ids of those sessions. A sub-agent's session
// goes with that of its parent.
func (s *Store) Old(ctx context.Context, since time.Time, open map[string]bool) (old []Session, err error) {
	all, _, err := s.List(ctx, Filter{})
	for _, one := range all {
		if one.Last.Before(since) && one.Name == "" && len(one.Tags) == 0 && one.Stop != event.Waiting && !open[one.ID] {
			old = append(old, one)
		}
	}
	return old, err
}

// Prune deletes such sessions. One that a process has open stays. The error is that of all that could not be deleted.
func (s *Store) Prune(ctx context.Context, since time.Time, open map[string]bool) (deleted []Session, err error) {
	old, err := s.Old(ctx, since, open)
	for _, one := range old {
		if ctx.Err() != nil {
			return deleted, ctx.Err()
		}
		switch failed := s.Delete(one.ID); {
		case failed == nil:
			deleted = append(deleted, one)
		case !errors.Is(failed, journal.ErrHeld) && !errors.Is(failed, journal.ErrNoSession): // another process deletes it, too
			err = errors.Join(err, failed)
		}
	}
	return deleted, err
}
