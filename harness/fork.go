package harness

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"rein/journal"
)

// Fork begins a new session with the past of a recorded one, up to and with the event of number at; 0 means all of it. The
// recorded session stays as it is, and the new one keeps how it ran. n.ID is the id of the new session.
func (h *Harness) Fork(ctx context.Context, id string, at int64, n NewSession) (*Session, error) {
	fork, err := h.store.Fork(id, at, n.ID)
	if err != nil {
		return nil, inputError(err)
	}
	s, err := h.Resume(ctx, fork, n)
	if err != nil {
		return nil, errors.Join(err, h.store.Delete(fork))
	}
	return s, nil
}

// Rewind takes the conversation of a session back to before the message of the user with the number at, and resumes it. A
// session that this harness has open is closed first. What followed the message stays in the journal, and can be forked.
func (h *Harness) Rewind(ctx context.Context, id string, at int64, n NewSession) (*Session, error) {
	h.mu.Lock()
	open := h.sessions[id]
	h.mu.Unlock()
	if open != nil {
		if err := open.Close(ctx); err != nil {
			return nil, err
		}
	}
	if err := h.store.Rewind(id, at); err != nil {
		return nil, inputError(err)
	}
	return h.Resume(ctx, id, n)
}

// newID returns the id of a new session: the wanted one, if no session has it, or a new one.
func (h *Harness) newID(want string) (string, error) {
	if want == "" {
		return journal.NewID(time.Now()), nil
	}
	dir, err := journal.Dir(h.dirs.Sessions, want)
	if err != nil {
		return "", usageError(fmt.Errorf("%q is not an id for a session: expected at most 64 lower-case letters, digits and '-'", want))
	}
	if _, err := os.Lstat(dir); err == nil {
		return "", inputError(fmt.Errorf("%w: %s", journal.ErrExists, want))
	}
	return want, nil
}
