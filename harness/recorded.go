package harness

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"
	"sync"

	"rein/agent"
	"rein/event"
	"rein/harness/sessions"
	"rein/journal"
	"rein/kit/providers"
)

// Recorded sessions, for front ends: they read what happened through the harness and know nothing of journals.

// Store returns the recorded sessions of all directories, to list, find, search and change them.
func (h *Harness) Store() *sessions.Store { return h.store }

// Sessions returns the recorded sessions of all directories, those of sub-agents too, newest first.
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

// recording is a journal that a front end watches: each event is shown when it is recorded, in the order of the numbers.
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

// Context returns what fills the window of a recorded session, without opening it: it may be at work in another process. The
// model is not asked and needs no key.
func (h *Harness) Context(ctx context.Context, id string) (c agent.Context, err error) {
	name, err := journalFile(h.dirs.Sessions, id)
	if err != nil {
		return c, err
	}
	recorded, err := recordedHow(name)
	if err != nil {
		return c, err
	}
	how, err := h.howResumed(recorded)
	if err != nil {
		return c, err
	}
	s, err := h.newSession(id, how)
	if err != nil {
		return c, err
	}
	defer func() { err = errors.Join(err, s.Close(ctx)) }()
	m, err := h.openModel(ctx, how)
	if err != nil { // no key, or no server: what is known of it is enough
		provider, name, _ := strings.Cut(recorded.Model, "/")
		m = named{info: info(ProviderOptions(h.settings).Facts(ctx, providers.Provider{Name: provider}, name))}
	}
	a := s.agent(m)
	a.Compact = s.compacting()
	past, err := a.Load(agent.SessionOptions{ID: id}, journal.Read(name))
	if err != nil {
		return c, inputError(fmt.Errorf("session %s: %w", id, err))
	}
	return past.Context(), nil
}
