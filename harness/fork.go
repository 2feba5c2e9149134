package harness

import (
	"context"
	"errors"
	"fmt"
	"os"
	"rein/journal"
	"time"
)

// Fork begins a new session with the past of a recorded one, up to and with the event of number at; 0 means all of it. The
// recorded session stays as it is, and the new one keeps how it ran.
func (h *Harness) Fork(ctx context.Context, id string, at int64, n NewSession) (*Session, error) {
	name, err := journalFile(h.dirs.Sessions, id)
	if err != nil {
		return nil, err
	}
	fork := journal.NewID(time.Now())
	dir, err := journal.Dir(h.dirs.Sessions, fork)
	if err != nil {
		return nil, err
	}
	if err := copyJournal(name, dir, fork, at); err != nil {
		return nil, inputError(fmt.Errorf("fork session %s: %w", id, errors.Join(err, os.RemoveAll(dir))))
	}
	return h.Resume(ctx, fork, n)
}

// copyJournal copies the events of a journal up to a number into the journal of a new session.
func copyJournal(name, dir, id string, at int64) (err error) {
	f, _, err := journal.Open(dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	found := at == 0
	for e, err := range journal.Read(name) {
		if errors.Is(err, journal.ErrTorn) {
			break
		}
		if err != nil {
			return err
		}
		if found = found || e.Seq == at; at != 0 && e.Seq > at {
			break
		}
		e.Session = id
		if err := f.Append(e); err != nil {
			return err
		}
	}
	if !found {
		return fmt.Errorf("it has no event %d", at)
	}
	return nil
}
