package server

import (
	"context"
	"errors"
	"time"

	"rein/app/harness"
	"rein/app/inbox"
	"rein/app/server/api"
	"rein/event"
	"rein/guard"
)

// Engine runs sessions elsewhere, for a server that shows them. It keeps a copy of what is recorded of them below the sessions' directory of
// the server's harness, and tells the server of it: see Server.Recorded. Its methods may be called at once.
type Engine interface {
	// Dir is the workspace of a session, one of Options.Workspaces; "": the server does not show the session.
	Dir(session string) string
	// Begin begins a session in a workspace with its first message, and keeps that before it returns.
	Begin(ctx context.Context, dir string, n api.NewSession) (id string, err error)
	// Send gives a session a message. One with an id that was sent already is not sent again.
	Send(ctx context.Context, session, id string, steer bool, m Message) error
	// Cancel stops the turn of a session, and Continue lets one try again that waits for help.
	Cancel(ctx context.Context, session string) error
	Continue(ctx context.Context, session string) error
	// Answer fails with inbox.ErrNotPending where another answer was first, and with inbox.ErrChanged.
	Answer(ctx context.Context, r inbox.Request, a guard.Answer) error
	// Trouble is why nothing happens in a session that should be at work; nil: it is not known to be in trouble. It is called for each session of a list,
	// so it has to know. Server.Changed tells of another one.
	Trouble(session string) *api.Trouble
	// Files asks the machine that has the files of a session.
	Files(ctx context.Context, session string, q FileQuestion) (FileAnswer, error)
}

// ErrElsewhere is in the errors of an engine that says why it cannot do something now, and what to do.
var ErrElsewhere = errors.New("not now")

// Requested stores an approval request of a session that an engine runs. Recorded with its event follows.
func (s *Server) Requested(root string, r inbox.Request) error {
	w := s.rooms.of(s.o.Engine.Dir(root))
	if w == nil {
		return nil
	}
	if r.Dir = w.dir; len(r.Scopes) > 0 { // an answer from here counts once
		r.Scopes, r.Shown.Always = nil, nil
		r.Lines = r.Shown.Lines()
	}
	return w.h.Inbox().Put(r)
}

// Recorded shows what happens in a session that an engine runs, or in one of its sub-agents: root is the user's session. What is recorded
// of it is in the copy already. It is called for one session after the other, in the order of the events.
func (s *Server) Recorded(root string, e event.Event) {
	l := s.sessions.elsewhere(root)
	switch {
	case l == nil:
		return
	case e.Seq == 0:
		s.sessions.hub.Event(root, e)
		return
	case harness.Settles(e):
		if err := l.room.h.Inbox().Settle(e.Session, e.Call.ID); err != nil {
			s.o.Log.Error("the inbox", "error", err)
		}
	}
	l.recorded(e)
	if e.Session == root && e.Stop != "" && e.Stop != event.Waiting {
		s.sessions.hub.Ended(root)
	}
}

// Changed shows a session in the lists again: its trouble is another one.
func (s *Server) Changed(session string) { s.sessions.touched.Add(session) }

// elsewhere is what the server knows of a session that an engine runs; nil: it does not show the session.
func (s *allSessions) elsewhere(id string) *live {
	w := s.workspaces.of(s.engine.Dir(id))
	if w == nil {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	l := s.run[id]
	if l == nil {
		l = &live{of: s, room: w, id: id, title: s.past.Known(id).Title}
		s.run[id] = l
	}
	return l
}

// changesWait is how long changes of sessions that an engine runs wait for others before the list is read again.
const changesWait = 300 * time.Millisecond

// readAgain waits a moment and lets the list be read again.
func (s *allSessions) readAgain() {
	select {
	case <-s.ctx.Done():
	case <-time.After(changesWait):
	}
	s.past.Forget()
}
