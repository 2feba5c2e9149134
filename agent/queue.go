package agent

import (
	"errors"
	"slices"

	"rein/model"
)

// Queued is a message of the user that waits while the session is at work.
type Queued struct {
	ID    int // names the message in its session: 1, 2, 3, …
	Steer bool
	Parts []model.Part
	Task  int64 // the number of the event in the parent's journal, where Parts are the task of a sub-agent; else 0
}

// queue has what waits for the model while the session is at work. The session's mutex guards it.
type queue struct {
	messages []Queued
	lastID   int
	closed   bool   // the run ends, and takes no further messages
	hints    []hint // of the program, for the next request
}

type hint struct{ about, text string }

// next takes the next message for the model. done means that the model has called nothing: then a message of Add is taken too.
func (q *queue) next(done bool) (m Queued, ok bool) {
	at := slices.IndexFunc(q.messages, func(m Queued) bool { return m.Steer })
	if at < 0 && done && len(q.messages) > 0 {
		at = 0
	}
	if at < 0 {
		return Queued{}, false
	}
	m = q.messages[at]
	q.remove(at)
	return m, true
}

func (q *queue) remove(at int) { q.messages = append(q.messages[:at:at], q.messages[at+1:]...) }

// ErrIdle means that the session is not running a turn: Send the message.
var ErrIdle = errors.New("the session is not running a turn")

// Steer gives the model a message while the session is at work: with its next request, after the calls that run now. It
// may be called from any goroutine. ErrIdle means that the turn is over and the message was not taken.
func (s *Session) Steer(parts ...model.Part) error { return s.enqueue(true, parts) }

// Queue has the messages that wait while a session is at work. Its methods may be called from any goroutine.
type Queue struct{ session *Session }

// Queue returns the session's queue.
func (s *Session) Queue() Queue { return Queue{s} }

// Add keeps a message until the model has answered and calls nothing more; the same Send then continues with it. Messages
// keep their order. ErrIdle means that the turn is over and the message was not taken.
func (q Queue) Add(parts ...model.Part) error { return q.session.enqueue(false, parts) }

func (s *Session) enqueue(steer bool, parts []model.Part) error {
	if err := sendable(parts); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.running == nil || s.queue.closed {
		return ErrIdle
	}
	s.queue.lastID++
	s.queue.messages = append(s.queue.messages, Queued{ID: s.queue.lastID, Steer: steer, Parts: parts})
	s.running.events.poke()
	return nil
}

// List returns the messages of Steer and Add that the model has not got. A turn that is cancelled, or that stops at a
// limit, leaves them: the model gets them in the next turn unless Remove takes them back.
func (q Queue) List() []Queued {
	s := q.session
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.queue.messages)
}

// Remove takes a message back and reports whether it was still there.
func (q Queue) Remove(id int) bool {
	s := q.session
	s.mu.Lock()
	defer s.mu.Unlock()
	at := slices.IndexFunc(s.queue.messages, func(m Queued) bool { return m.ID == id })
	if at >= 0 {
		s.queue.remove(at)
	}
	return at >= 0
}

// Hint gives the model a message of the program with its next request, in this turn or the next one.
func (q Queue) Hint(text string) { q.HintAbout("", text) }

// HintAbout is a Hint in place of one about the same that the model has not got.
func (q Queue) HintAbout(about, text string) {
	s := q.session
	s.mu.Lock()
	defer s.mu.Unlock()
	s.queue.hints = slices.DeleteFunc(s.queue.hints, func(h hint) bool { return about != "" && h.about == about })
	s.queue.hints = append(s.queue.hints, hint{about, text})
}

func (r *run) takeHints() []hint {
	r.mu.Lock()
	defer r.mu.Unlock()
	hints := r.queue.hints
	r.queue.hints = nil
	return hints
}

// dequeue takes the next message for the model. When the model has called nothing, there is no message and no background sub-agent
// is at work, the run takes no further ones.
func (r *run) dequeue(done bool) (Queued, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	m, ok := r.queue.next(done)
	if !ok {
		r.queue.closed = done && !r.subAgents.inBackground()
	}
	return m, ok
}

// deliver gives the model what has come for it meanwhile: messages of the user, reports of background sub-agents, hints. It reports
// whether there was anything. After the end of an answer it takes one queued message: the next one waits for the next answer.
func (r *run) deliver(done bool) (delivered bool, err error) {
	for {
		m, ok := r.dequeue(done && !delivered)
		if !ok {
			break
		}
		err := r.prompt(m.Parts, 0)
		if refused, ok := errors.AsType[halt](err); ok {
			r.notice(refused.reason) // what is at work continues
			continue
		}
		if err != nil {
			r.mu.Lock()
			r.queue.messages = slices.Insert(r.queue.messages, 0, m) // it is not recorded
			r.mu.Unlock()
			return true, err
		}
		delivered = true
	}
	reported, err := r.deliverReports(done && !delivered)
	delivered = delivered || reported
	if done && !delivered || err != nil {
		return delivered, err
	}
	for _, h := range r.takeHints() {
		if err := r.tell(h.text); err != nil {
			return delivered, err
		}
	}
	return delivered, nil
}
