package harness

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"sync"
	"time"

	"rein/agent"
	"rein/app/sessions"
	"rein/app/settings"
	"rein/event"
	"rein/journal"
	"rein/kit/tools/git"
	"rein/tool"
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

// MustReopen reports whether a session takes no message after this error until it is opened again: what happened in it could not be
// recorded.
func MustReopen(err error) bool {
	return errors.Is(err, journal.ErrFailed) || errors.Is(err, agent.ErrWaiting)
}

// NoSession reports whether there is no session with the id.
func NoSession(err error) bool { return errors.Is(err, journal.ErrNoSession) }

// Context returns what fills the window of a recorded session, without opening it: it may be at work in another process. The
// model is not asked and needs no key.
func (h *Harness) Context(ctx context.Context, id string) (c agent.Context, err error) {
	recorded, err := Recorded(h.dirs.Sessions, id)
	if err != nil {
		return c, err
	}
	err = h.aside(ctx, id, recorded, func(s *Session) error {
		m, err := s.models.open(ctx, s.Terms())
		if err != nil { // no key, or no server: what is known of it is enough
			m = s.models.unasked(ctx, recorded.Model)
		}
		a := s.agent(m)
		a.Compact = compaction(h.settings.Compact)
		past, err := a.Load(agent.SessionOptions{ID: id}, journal.Read(filepath.Join(h.dirs.Sessions, id, journal.FileName)))
		if err != nil {
			return inputError(fmt.Errorf("session %s: %w", id, err))
		}
		c = past.Context()
		return nil
	})
	return c, err
}

// Tools returns the tools that a new session would have, without starting one.
func (h *Harness) Tools() (set tool.Set, err error) {
	err = h.aside(context.Background(), "", event.Terms{}, func(s *Session) (err error) {
		set = s.Tools()
		if s.team != nil {
			set, err = set.Add(s.team.Tools(nil)...) // a conversation has them from its team: they are listed, and not called
		}
		return err
	})
	return set, err
}

// GitChanges compares the workspace with the last commit, or what git.Repository.Between does where there is a revision or staged is set.
// As in the tool git_diff git runs in the sandbox of a new session, and runs no code of the repository. Lines of files whose names say
// that they hold secrets are left out.
func (h *Harness) GitChanges(ctx context.Context, rev string, staged bool) (out git.Changes, err error) {
	err = h.aside(ctx, "", event.Terms{}, func(s *Session) error {
		g := git.Repository{Box: s.box, Dir: h.root, Secret: s.secretName}
		if rev == "" && !staged {
			out, err = g.Changes(ctx)
			return inputError(err)
		}
		out.Repository = true
		out.Files, out.More, err = g.Between(ctx, rev, staged)
		return inputError(err)
	})
	return out, err
}

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
	if open, ok := h.sessions.Load(id); ok {
		if err := open.(*Session).Close(ctx); err != nil {
			return nil, err
		}
	}
	if err := h.store.Rewind(id, at, ""); err != nil {
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
	_, err = os.Lstat(dir)
	empty, wrong := os.Stat(filepath.Join(dir, journal.FileName))
	if err == nil && (wrong != nil || empty.Size() > 0) { // one that was killed before its first event can begin again
		return "", inputError(fmt.Errorf("%w: %s", journal.ErrExists, want))
	}
	return want, nil
}

// SessionStore returns the sessions that are recorded in dirs; the zero value means settings.DefaultDirs(). warn gets lines for the
// user; it may be nil.
func SessionStore(dirs settings.Dirs, warn func(string)) *sessions.Store {
	if dirs == (settings.Dirs{}) {
		dirs = settings.DefaultDirs()
	}
	return sessions.New(sessions.Dirs{Sessions: dirs.Sessions, Output: dirs.Output, Worktrees: dirs.Worktrees}, warn)
}

// pruning deletes old sessions in the background, once a day, where the settings say how old.
type pruning struct {
	mu   sync.Mutex
	last time.Time
	work sync.WaitGroup
}

// DeleteOld deletes old sessions in the background where the settings say how old, at most once a day. A session that begins or is resumed
// does it; a program that runs for days calls it now and then.
func DeleteOld(h *Harness) { h.pruning.begin(h, time.Now()) }

func (p *pruning) begin(h *Harness, now time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	days := h.settings.Sessions.Days
	if days <= 0 || h.options.OneCall || now.Sub(p.last) < 24*time.Hour {
		return
	}
	p.last = now
	p.work.Go(func() {
		open, err := h.inbox.Open()
		if err == nil {
			_, err = h.store.Prune(h.suspended, now.AddDate(0, 0, -days), open)
		}
		if err != nil && h.suspended.Err() == nil {
			h.options.Warn("old sessions are not deleted: " + err.Error())
		}
	})
}
