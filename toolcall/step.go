package toolcall

import (
	"context"
	"runtime"
	"sync"
	"time"

	"rein/tool"
)

// step does a step of a call that may hang, in another goroutine. Its context ends when it has taken limit, or with the turn: why says which.
// It has grace then to end by itself, and is given up after that. The last step of a call ends the goroutine. A panic is an error.
func (t *turn) step(call tool.Call, limit, grace time.Duration, last bool, do func(context.Context) error) (s *step, why error, ended bool) {
	h := t.hands.take(t)
	s = &step{Context: t.ctx, limit: limit, deadline: time.Now().Add(limit), call: call, last: last, do: do, gave: errNoReturn, ended: h.ended}
	h.begin(s)
	select {
	case _, alive := <-s.ended:
		t.hands.free(h, alive && !last)
		if why = s.end(); s.gave == nil {
			why = nil
		}
		return s, why, true
	case <-h.late:
		why = deadline{limit}
	case <-t.ctx.Done():
		why = context.Cause(t.ctx)
	}
	t.hands.free(h, false)
	graceful := time.NewTimer(grace)
	defer graceful.Stop()
	select {
	case <-s.ended:
		return s, why, true
	case <-graceful.C:
		return s, why, false
	}
}

// step is a step of a call, and its context. Most steps never look at it, so a context with a timer is made when one does.
type step struct {
	context.Context // of the turn
	limit           time.Duration
	deadline        time.Time
	call            tool.Call
	last            bool
	do              func(context.Context) error
	gave            error           // what do returned; read it when the step has ended
	ended           <-chan struct{} // closed or has a value when the step has ended

	mu     sync.Mutex
	made   context.Context
	cancel context.CancelFunc
	over   bool
}

// own is the context of the step itself.
func (s *step) own() context.Context {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.made == nil {
		s.made, s.cancel = context.WithDeadlineCause(s.Context, s.deadline, deadline{s.limit})
		if s.over {
			s.cancel()
		}
	}
	return s.made
}

func (s *step) Deadline() (time.Time, bool) { return s.own().Deadline() }
func (s *step) Done() <-chan struct{}       { return s.own().Done() }
func (s *step) Err() error                  { return s.own().Err() }
func (s *step) Value(key any) any           { return s.own().Value(key) } // package context looks for the one that it made

// end ends the context of a step that has ended, and returns why it ended before.
func (s *step) end() (why error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.over = true
	if s.made != nil {
		why = context.Cause(s.made)
		s.cancel()
	}
	return why
}

// hands are the goroutines of a turn that have nothing to do.
type hands struct {
	mu   sync.Mutex
	idle *hand
}

// hand is a goroutine that does steps of a turn, one after the other, with one timer: a new goroutine with a stack of the size that a
// step needs takes longer than most steps do.
type hand struct {
	next  *hand // of the idle ones
	turn  *turn
	steps chan *step
	ended chan struct{} // has a value for each step that ended; closed when the goroutine has
	late  chan struct{} // closed when a step has had its time: it is the last one

	mu    sync.Mutex
	now   *step
	timer *time.Timer
	at    time.Time // when the timer fires: not after the deadline of now; zero: it does not
}

func (all *hands) take(t *turn) *hand {
	all.mu.Lock()
	defer all.mu.Unlock()
	if h := all.idle; h != nil {
		all.idle = h.next
		return h
	}
	h := &hand{turn: t, steps: make(chan *step), ended: make(chan struct{}, 1), late: make(chan struct{})}
	go h.work()
	return h
}

// free takes back a hand whose step has ended, or lets it go.
func (all *hands) free(h *hand, again bool) {
	h.mu.Lock()
	h.now = nil
	select {
	case <-h.late:
		again = false
	default:
	}
	h.mu.Unlock()
	if !again {
		h.timer.Stop()
		close(h.steps)
		return
	}
	all.mu.Lock()
	h.next, all.idle = all.idle, h
	all.mu.Unlock()
}

// close lets all go, and waits for them.
func (all *hands) close() {
	for h := all.idle; h != nil; h = h.next {
		all.free(h, false)
		<-h.ended
	}
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
func (h *hand) begin(s *step) {
	h.mu.Lock()
	h.now = s
	switch {
	case h.timer == nil:
		h.timer, h.at = time.AfterFunc(s.limit, h.tick), s.deadline
	case h.at.IsZero() || s.deadline.Before(h.at):
		h.timer.Reset(s.limit)
		h.at = s.deadline
	}
	h.mu.Unlock()
	h.steps <- s
}

// tick says that a step has had its time, and looks again later where a later step still has some.
func (h *hand) tick() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.at = time.Time{}
	if h.now == nil {
		return
	}
	if left := time.Until(h.now.deadline); left > 0 {
		h.timer.Reset(left)
		h.at = h.now.deadline
		return
	}
	close(h.late)
}

// roomy makes the stack of a new goroutine as large as a step of a call needs, at once. A stack that grows while the step is deep in its calls is
// copied three times, which took a tenth of the time of a call that reads a file.
//
//go:noinline
func roomy() {
	var room [12 << 10]byte
	runtime.KeepAlive(&room)
}
