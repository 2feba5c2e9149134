package agent

import (
	"errors"

	"rein/event"
	"rein/model"
)

// Queued is a message of the user that waits while the session is at work.
type Queued struct {
	ID    int // names the message in its session: 1, 2, 3, …
	Steer bool
	Parts []model.Part
}

// ErrIdle means that the session is not running a turn: Send the message.
var ErrIdle = errors.New("the session is not running a turn")

// Steer gives the model a message while the session is at work: with its next request, after the calls that run now. It
// may be called from any goroutine. ErrIdle means that the turn is over and the message was not taken.
func (s *Session) Steer(parts ...model.Part) error { return s.enqueue(true, parts) }

// Queue keeps a message until the model has answered and calls nothing more; the same Send then continues with it. Messages
// keep their order. It may be called from any goroutine. ErrIdle means that the turn is over and the message was not taken.
func (s *Session) Queue(parts ...model.Part) error { return s.enqueue(false, parts) }

// Queued returns the messages of Steer and Queue that the model has not got. A turn that is cancelled, or that stops at a
// limit, leaves them: the model gets them in the next turn unless Unqueue takes them back.
func (s *Session) Queued() []Queued {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Queued(nil), s.queue...)
}

// Unqueue takes a message back and reports whether it was still there.
func (s *Session) Unqueue(id int) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, q := range s.queue {
		if q.ID == id {
			s.queue = append(s.queue[:i:i], s.queue[i+1:]...)
			return true
		}
	}
	return false
}

func (s *Session) enqueue(steer bool, parts []model.Part) error {
	if len(parts) == 0 {
		return errors.New("a message needs at least one part")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.now == nil || s.closing {
		return ErrIdle
	}
	s.queuedIDs++
	s.queue = append(s.queue, Queued{ID: s.queuedIDs, Steer: steer, Parts: parts})
	s.now.relay.poke()
	return nil
}

// dequeue takes the next message for the model. done means that the model has called nothing: then a queued message is
// taken too, and when there is none the session takes no further ones.
func (s *Session) dequeue(done bool) (Queued, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	at := -1
	for i, q := range s.queue {
		if q.Steer {
			at = i
			break
		}
	}
	if at < 0 && done && len(s.queue) > 0 {
		at = 0
	}
	if at < 0 {
		s.closing = done && !s.helped()
		return Queued{}, false
	}
	q := s.queue[at]
	s.queue = append(s.queue[:at:at], s.queue[at+1:]...)
	return q, true
}

// deliver gives the model what the user wrote meanwhile, and reports whether there was anything. After the end of an
// answer it takes one queued message: the next one waits for the next answer.
func (w *work) deliver(done bool) (delivered bool, err error) {
	for {
		q, ok := w.dequeue(done && !delivered)
		if !ok {
			break
		}
		err := w.prompt(q.Parts, 0)
		if refused, ok := errors.AsType[halt](err); ok {
			w.live(event.Notice, refused.reason) // what is at work continues
			continue
		}
		if err != nil {
			return true, err
		}
		delivered = true
	}
	if reported, err := w.hearReports(done && !delivered); err != nil || reported {
		delivered = true
	}
	if done && !delivered || err != nil {
		return delivered, err
	}
	for _, text := range w.takeHints() {
		if err := w.keep(event.Event{Kind: event.Hinted, Text: text}, model.UserText(text)); err != nil {
			return delivered, err
		}
	}
	return delivered, nil
}

// Hint gives the model a message of the program with its next request, in this turn or the next one.
func (s *Session) Hint(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.hints = append(s.hints, text)
}

func (s *Session) takeHints() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	hints := s.hints
	s.hints = nil
	return hints
}

// Use gives an idle session another agent, such as one with another model. The journal records how the session runs then
// when its next turn begins. ErrBusy means that the session is at work.
func (s *Session) Use(a *Agent) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.now != nil {
		return ErrBusy
	}
	s.agent, s.started = a, false
	later := s.later()
	s.tools, s.broken = s.allTools()
	s.specs = append(specs(s.tools), later...)
	return nil
}
