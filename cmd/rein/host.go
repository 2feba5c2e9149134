package main

import (
	"context"
	"errors"
	"iter"
	"sync"
	"sync/atomic"

	"rein/app/harness"
	"rein/app/server"
	"rein/app/session"
	"rein/app/sessions"
	"rein/event"
	"rein/model"
	"rein/tool"
)

// opens opens a session, with what it has of its own.
type opens func(harness.NewSession) (*harness.Session, error)

// openShared opens a session that other terminals may join until the function that it gives is called. Where this system has no way to join,
// the session is as any other.
func openShared(h *harness.Harness, n harness.NewSession, open opens) (*harness.Session, func(), error) {
	shared := server.Share(h)
	s, err := open(shared.Sees(n))
	if err != nil {
		return nil, nil, err
	}
	_ = shared.Serve(s) // without a socket nobody joins
	return s, shared.Close, nil
}

// hostedSession is a session of this process on the screen, which other terminals may join. Whoever begins a turn, the screen shows it.
type hostedSession struct {
	session.Session // the same, without others
	s               *harness.Session
	turns           *session.Turns
	leave           func() // ends the connections of the others
	closed          context.CancelFunc
	store           *sessions.Store // which forgets it where nothing is recorded; nil: it has a name that was given

	mu  sync.Mutex
	own map[int]bool // ids of the messages of this terminal that wait
}

// hostSession opens a session for the screen.
func hostSession(h *harness.Harness, person frontEnd, n harness.NewSession, open opens) (*hostedSession, error) {
	var turns atomic.Pointer[session.Turns]
	n.Keeps = true
	n.Watch = func(e event.Event) {
		if t := turns.Load(); t != nil {
			t.Came(e)
		}
	}
	n.Recorded = func(e event.Event) {
		if e.Kind == event.Changed { // perhaps by another terminal
			person.Happened(e)
		}
	}
	s, leave, err := openShared(h, n, open)
	if err != nil {
		return nil, err
	}
	ctx, closed := context.WithCancel(context.Background())
	out := &hostedSession{Session: session.Local(s), s: s, leave: leave, closed: closed, own: map[int]bool{}}
	out.turns = session.NewTurns(&session.Turns{ID: s.ID(), Happened: person.Happened, Joined: person.Joined, Closed: ctx.Done(),
		Cancel: func(chan<- error) { s.Interrupt() }, Fault: s.Fault}, false)
	turns.Store(out.turns)
	if n.ID == "" {
		out.store = h.Store()
	}
	return out, nil
}

// Tools makes it a session.Toolbox.
func (s *hostedSession) Tools() tool.Set { return s.s.Tools() }

// shown returns the events of a turn that begin starts.
func (s *hostedSession) shown(ctx context.Context, turn func(context.Context) iter.Seq2[event.Event, error]) iter.Seq2[event.Event, error] {
	return s.turns.Show(ctx, func(ctx context.Context) error {
		if err := s.s.Begin(turn(ctx)); !errors.Is(err, harness.ErrBusy) {
			return err
		}
		return nil // the turn of another terminal is shown
	})
}

func (s *hostedSession) Send(ctx context.Context, text string, attached []tool.Part) iter.Seq2[event.Event, error] {
	parts := harness.Message(text, attached...)
	return s.turns.Show(ctx, func(ctx context.Context) error {
		id, _, err := s.s.Deliver(true, func(yield func(event.Event, error) bool) { s.s.Send(ctx, parts...)(yield) }, parts...)
		s.waits(id)
		return err
	})
}

func (s *hostedSession) Resume(ctx context.Context) iter.Seq2[event.Event, error] {
	if !s.s.Waiting() && !s.s.CutOff() {
		return s.turns.Show(ctx, nil)
	}
	return s.shown(ctx, s.s.Resume)
}

func (s *hostedSession) Continue() func(context.Context) iter.Seq2[event.Event, error] {
	if s.Session.Continue() == nil {
		return nil
	}
	return s.Resume
}

func (s *hostedSession) Compact(ctx context.Context, focus string) iter.Seq2[event.Event, error] {
	return s.shown(ctx, func(ctx context.Context) iter.Seq2[event.Event, error] { return s.s.Compact(ctx, focus) })
}

func (s *hostedSession) Waiting() bool { return s.Session.Waiting() || s.turns.Waiting() }

func (s *hostedSession) Steer(text string, attached []tool.Part) error {
	return s.enqueue(true, harness.Message(text, attached...))
}

func (s *hostedSession) Queue(text string, attached []tool.Part) error {
	return s.enqueue(false, harness.Message(text, attached...))
}

// Keep and Unsent make it a session.Keeper.
func (s *hostedSession) Unsent() bool { return harness.Unsent(s.s) }

func (s *hostedSession) Keep(text string, attached []tool.Part) func(sends bool) {
	return s.s.KeepWaiting(harness.Message(text, attached...)...)
}

func (s *hostedSession) enqueue(steer bool, parts []model.Part) error {
	id, err := s.s.Enqueue(steer, parts...)
	s.waits(id)
	return err
}

func (s *hostedSession) waits(id int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.own[id] = true
}

// Unqueue takes a message of this terminal back, or one that a process before this one was killed with.
func (s *hostedSession) Unqueue(id int) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return (s.own[id] || s.s.WasLeft(id)) && s.s.Unqueue(id)
}

// Close lets another terminal go on with the session.
func (s *hostedSession) Close(ctx context.Context) error {
	s.leave()
	defer s.closed()
	err := s.s.Close(ctx)
	if s.store != nil {
		deleteEmpty(s.store, s.s.ID())
	}
	return err
}
