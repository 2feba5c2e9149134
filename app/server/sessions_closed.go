package server

import (
	"context"
	"errors"
	"net/http"
	"time"

	"rein/app/harness"
	"rein/app/server/api"
)

// closeIdle closes sessions that have done nothing for a while, so that they hold no memory, and other programs can open
// them. Old sessions are deleted, as the settings say.
func (s *allSessions) closeIdle() {
	for {
		select {
		case <-s.ctx.Done():
			return
		case <-time.After(min(s.config.limits().Idle/2, time.Minute)):
		}
		for _, w := range s.workspaces.all {
			harness.DeleteOld(w.newest())
		}
		s.mu.Lock()
		var idle []*live
		for id, l := range s.live {
			if l.closeIfIdle(s.config.limits().Idle) {
				idle = append(idle, l)
				delete(s.live, id)
			}
		}
		s.mu.Unlock()
		for _, l := range idle {
			if err := l.s.Close(s.ctx); err != nil {
				s.log.Warn("close an idle session", "session", l.id, "error", err)
			}
			s.hub.Ended(l.id)
		}
	}
}

// closeIfIdle marks the session as closed when nothing has happened in it for a while.
func (l *live) closeIfIdle(after time.Duration) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.cancel != nil || len(l.s.Jobs().Running()) > 0 || time.Since(l.last) < after {
		return false
	}
	l.closed = true
	return true
}

// closeNow marks an idle session as closed.
func (l *live) closeNow() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.cancel != nil {
		return false
	}
	l.closed = true
	return true
}

// shut closes a session that is open here, so that its files can change; s.opened is held.
func (s *allSessions) shut(ctx context.Context, id string) error {
	l := s.running(id)
	if l == nil {
		return nil
	}
	if !l.closeNow() {
		return problem(http.StatusConflict, "working", "the session is running a turn: stop it first")
	}
	s.mu.Lock()
	delete(s.live, id)
	s.mu.Unlock()
	return l.s.Close(ctx)
}

// delete closes the session, and removes what is recorded of it.
func (s *allSessions) delete(ctx context.Context, w *servedWorkspace, id string) error {
	s.opened.Lock()
	defer s.opened.Unlock()
	if err := s.shut(ctx, id); err != nil {
		return err
	}
	if err := w.h.Store().Delete(id); err != nil {
		return err
	}
	s.hub.Ended(id)
	s.past.Forget()
	s.hub.Publish("sessions:"+w.dir, api.Message("deleted", map[string]string{"session": id}))
	return errors.Join(s.queues.Put(id, nil), s.notSent.Put(id, nil))
}
