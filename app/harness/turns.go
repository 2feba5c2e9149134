package harness

import (
	"errors"
	"iter"

	"rein/agent"
	"rein/event"
	"rein/model"
)

// What several front ends need that lead one session: each may begin a turn, give the one at work a message, and stop it. They see what
// happens by NewSession.Watch.

// ErrBusy means that the session is running a turn.
var ErrBusy = agent.ErrBusy

// Begin runs a turn to its end, for those who watch the session. It returns when the turn is at work; ErrBusy: another one is.
func (s *Session) Begin(turn iter.Seq2[event.Event, error]) error {
	begun := make(chan error, 1)
	s.running.Go(func() {
		first := true
		for _, err := range turn {
			if first {
				begun <- err
			}
			first = false
		}
		if first {
			begun <- nil
		}
	})
	if err := <-begun; errors.Is(err, ErrBusy) {
		return err
	}
	return nil // who watches sees how the turn ends
}

// Fault is why nothing more of the session can be recorded, such as a full disk: MustReopen knows the error. nil: it can.
func (o *opened) Fault() error {
	if o.record.journal == nil {
		return nil
	}
	return o.record.journal.fault()
}

// Working reports whether a turn is at work.
func (s *Session) Working() bool { return s.record.conversation.Working() }

// Interrupt stops the turn that is at work, whoever began it, and reports whether one was.
func (s *Session) Interrupt() bool { return s.record.conversation.Interrupt() }

// Deliver begins a turn with a message. While another one is at work, that one gets it: with its next request where steer is set, else
// after its answer. Then queued is the ID that Unqueue takes; it is 0 where the turn began, and where the model has the message already.
func (s *Session) Deliver(steer bool, turn iter.Seq2[event.Event, error], parts ...model.Part) (queued int, waits bool, err error) {
	for {
		if queued, err = s.Enqueue(steer, parts...); !errors.Is(err, ErrIdle) {
			return queued, err == nil, err
		}
		if err = s.Begin(turn); !errors.Is(err, ErrBusy) {
			return 0, false, err
		}
	}
}

// Enqueue is Steer or Queue, and returns the ID that Unqueue takes; 0: the model has the message already.
func (s *Session) Enqueue(steer bool, parts ...model.Part) (id int, err error) {
	return s.unsent.enqueue(steer, parts, func() *unsentMessage { return s.unsent.queue(steer, parts) })
}

// enqueue is Enqueue of a message that keep keeps until it is recorded.
func (u *unsent) enqueue(steer bool, parts []model.Part, keep func() *unsentMessage) (id int, err error) {
	s := u.of
	s.queueing.Lock() // the newest message is this one, or it has left the queue
	defer s.queueing.Unlock()
	if !s.Working() {
		return 0, ErrIdle
	}
	before := 0
	for _, q := range s.Queued() {
		before = q.ID
	}
	queue := s.record.conversation.Queue().Add
	if steer {
		queue = s.record.conversation.Steer
	}
	kept := keep() // before the model can have it
	if err = queue(parts...); err != nil {
		u.forget(func(m *unsentMessage) bool { return m == kept && !m.again })
		return 0, err
	}
	for _, q := range s.Queued() {
		if q.ID > before {
			id = q.ID
		}
	}
	u.queued(kept, id)
	return id, nil
}
