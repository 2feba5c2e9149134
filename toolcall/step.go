package toolcall

import (
	"context"
	"slices"
	"sync"
	"time"

	"rein/tool"
)

// step is a step of a call that may hang, and the context that it has. Who waits for the step ends the context: a timer and a place in
// the turn's context for each would take longer than most steps do.
type step struct {
	context.Context // of the turn
	deadline        time.Time
	call            tool.Call
	last            bool // the goroutine ends after it
	do              func(context.Context) error
	gave            error           // what do returned; read it when the step has ended
	ended           <-chan struct{} // closed or has a value when the step has ended

	mu    sync.Mutex
	done  chan struct{} // nil: nobody has asked for it
	err   error
	after []*func() // of the contexts below it
}

// step does a step in another goroutine. Its context ends when it has taken limit, or with the turn: why says which. It has grace
// then to end by itself, and is given up after that. A panic is an error.
func (t *turn) step(call tool.Call, limit, grace time.Duration, last bool, do func(context.Context) error) (s *step, why error, ended bool) {
	h := t.hand()
	s = &step{Context: t.ctx, call: call, last: last, deadline: time.Now().Add(limit), do: do, gave: errNoReturn, ended: h.ended, err: t.ctx.Err()}
	h.begin(s, limit)
	select {
	case _, alive := <-s.ended:
		t.free(h, s.end(context.Canceled) && alive && !last)
		return s, nil, true
	case <-h.late:
		why = deadline{limit}
	case <-t.ctx.Done():
		why = context.Cause(t.ctx)
		s.end(t.ctx.Err())
	}
	t.free(h, false)
	graceful := time.NewTimer(grace)
	defer graceful.Stop()
	select {
	case <-s.ended:
		return s, why, true
	case <-graceful.C:
		return s, why, false
	}
}

// Deadline is that of the step, or an earlier one of the turn.
func (s *step) Deadline() (time.Time, bool) {
	if at, ok := s.Context.Deadline(); ok && at.Before(s.deadline) {
		return at, true
	}
	return s.deadline, true
}

func (s *step) Done() <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.done == nil {
		s.done = make(chan struct{})
		if s.err != nil {
			close(s.done)
		}
	}
	return s.done
}

func (s *step) Err() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.err
}

// AfterFunc is what package context looks for, so that a context below this one needs no goroutine.
func (s *step) AfterFunc(f func()) (stop func() bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err != nil {
		go f()
		return func() bool { return false }
	}
	s.after = append(s.after, &f)
	return func() bool {
		s.mu.Lock()
		defer s.mu.Unlock()
		i := slices.Index(s.after, &f)
		if i >= 0 {
			s.after = slices.Delete(s.after, i, i+1)
		}
		return i >= 0
	}
}

// end ends the context, and those below it. It reports whether nobody has before.
func (s *step) end(err error) bool {
	s.mu.Lock()
	if s.err != nil {
		s.mu.Unlock()
		return false
	}
	s.err = err
	if s.done != nil {
		close(s.done)
	}
	after := s.after
	s.after = nil
	s.mu.Unlock()
	for _, f := range after {
		(*f)()
	}
	return true
}

// hand is a goroutine that does steps of a turn, one after the other, with one timer: a new goroutine with a stack of the size that a
// step needs takes longer than most steps do.
type hand struct {
	turn  *turn
	next  *hand // of those that have nothing to do
	steps chan *step
	ended chan struct{} // has a value for each step that ended; closed when the goroutine has
	late  chan struct{} // closed when a step has had its time: it is the last one

	mu    sync.Mutex
	now   *step
	timer *time.Timer
	at    time.Time // when the timer fires: not after the deadline of now; zero: it does not
}

// hand returns one that has nothing to do.
func (t *turn) hand() *hand {
	t.mu.Lock()
	defer t.mu.Unlock()
	if h := t.idle; h != nil {
		t.idle = h.next
		return h
	}
	h := &hand{turn: t, steps: make(chan *step), ended: make(chan struct{}, 1), late: make(chan struct{})}
	go h.work()
	return h
}

func (h *hand) work() {
	roomy()
	defer close(h.ended) // a step may end the goroutine
	for s := range h.steps {
		h.do(s)
		h.ended <- struct{}{}
		if s.last {
			return
		}
	}
}

func (h *hand) do(s *step) {
	defer h.turn.caught("a tool", s.call, &s.gave)
	s.gave = s.do(s)
}

// begin gives a step to the goroutine.
func (h *hand) begin(s *step, limit time.Duration) {
	h.mu.Lock()
	h.now = s
	switch {
	case h.timer == nil:
		h.timer, h.at = time.AfterFunc(limit, h.tick), s.deadline
	case h.at.IsZero() || s.deadline.Before(h.at):
		h.timer.Reset(limit)
		h.at = s.deadline
	}
	h.mu.Unlock()
	h.steps <- s
}

// tick ends the context of a step that has had its time, and looks again later where a later step still has some.
func (h *hand) tick() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.at = time.Time{}
	if left := time.Until(h.now.deadline); left > 0 {
		h.timer.Reset(left)
		h.at = h.now.deadline
	} else if h.now.end(context.DeadlineExceeded) {
		close(h.late)
	}
}

// free takes back a hand whose step has ended, or lets it go.
func (t *turn) free(h *hand, again bool) {
	if !again {
		h.timer.Stop()
		close(h.steps)
		return
	}
	t.mu.Lock()
	h.next, t.idle = t.idle, h
	t.mu.Unlock()
}

// close ends what belongs to the turn.
func (t *turn) close() {
	t.cancel(nil)
	for h := t.idle; h != nil; h = h.next {
		t.free(h, false)
		<-h.ended
	}
}
