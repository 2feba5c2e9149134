package harness

import (
	"context"
	"errors"
	"iter"
	"sync"

	"rein/event"
	"rein/harness/sessions"
	"rein/journal"
)

// Recorded sessions, for faces: they read what happened through the harness and know nothing of journals.

// Store gives the recorded sessions of all directories, to list, find, search and change them.
func (h *Harness) Store() *sessions.Store { return h.store }

// Sessions gives the recorded sessions of all directories, those of sub-agents too, newest first.
func (h *Harness) Sessions() ([]sessions.Session, error) {
	all, _, err := h.store.List(context.Background(), sessions.Filter{SubAgents: true})
	return all, err
}

// Events reads the recorded events of a session whose number is higher than after. What a crash cut off at the end of the
// journal is left out.
func (h *Harness) Events(id string, after int64) iter.Seq2[event.Event, error] {
	return h.store.Events(id, after)
}

// HeldElsewhere reports whether a session could not be opened because another process has it open.
func HeldElsewhere(err error) bool { return errors.Is(err, journal.ErrHeld) }

// NoSession reports whether there is no session with the id.
func NoSession(err error) bool { return errors.Is(err, journal.ErrNoSession) }

// recording is a journal that a face watches: each event is shown when it is recorded, in the order of the numbers.
type recording struct {
	*journal.File
	show func(event.Event)
	seen func(event.Event) // of the user's session: see Session.seen

	mu sync.Mutex
}

// Append records the events and shows them.
func (r *recording) Append(events ...event.Event) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := r.File.Append(events...); err != nil {
		return err
	}
	for _, e := range events {
		if r.seen != nil {
			r.seen(e)
		}
		if r.show != nil {
			r.show(e)
		}
	}
	return nil
}
