package toolcall

import (
	"runtime"
	"runtime/debug"
	"sync"
	"time"

	"rein/tool"
)

// part is a part of the work of a turn, such as the judgement of one call.
type part struct {
	do      func(t *turn, w *worker, call int)
	instead func(t *turn, call int, why error) // of the rest of the part, once a step of it was given up or ended the goroutine; nil: it has no steps
	call    int                                // its index; parts that are about the whole turn do not look at it
}

// relay does parts one after the other, in another goroutine. A step of a part that hangs there, as one does whose file system does not answer,
// is given up: what is to be done instead of the rest of its part is done here, and a further goroutine does the parts behind it.
func (t *turn) relay(parts []part) {
	for len(parts) > 0 {
		w := t.workers.start(t, parts)
		w.wait()
		parts = parts[w.at+1:]
		t.workers.free(w)
	}
}

// workers are what the turns of a runner have in common. Without channels, each turn has its own.
type workers struct {
	idle chan *worker
	next chan *worker // for a goroutine that has nothing to do
}

// mostRest is how long a goroutine is there for later turns.
const mostRest = 100 * time.Millisecond

func (all workers) start(t *turn, parts []part) (w *worker) {
	select {
	case w = <-all.idle:
	default:
		w = &worker{ended: make(chan struct{}, 1)}
	}
	w.turn, w.parts, w.done, w.late = t, parts, false, false
	select {
	case all.next <- w:
	default:
		go all.serve(w)
	}
	return w
}

// free keeps a worker that has done its parts, where there is room for it.
func (all workers) free(w *worker) {
	if w.done {
		w.turn, w.parts, w.instead = nil, nil, nil // nothing of the turn stays in memory
		select {
		case all.idle <- w:
			return
		default:
		}
	}
	if w.timer != nil {
		w.timer.Stop()
	}
}

func (all workers) serve(w *worker) {
	roomy()
	w.work()
	if all.next == nil {
		return
	}
	over := time.NewTimer(mostRest)
	defer over.Stop()
	for {
		select {
		case w = <-all.next:
			w.work()
		case <-over.C:
			return
		}
	}
}

// worker does parts, in a goroutine and with one timer for their steps. To hand each step to another goroutine would take longer than most steps do.
type worker struct {
	turn    *turn
	parts   []part
	at      int                                // index of the part that is at work
	instead func(t *turn, call int, why error) // of that part, or of its step
	ended   chan struct{}                      // has a value when the parts are done, the goroutine has ended, or a step was given up
	done    bool                               // all parts are
	broke   any                                // what a part panicked with, outside of its steps

	mu    sync.Mutex
	now   *step // that is at work
	hung  *step // that was given up
	left  *step // that ended the goroutine
	late  bool  // the turn has ended: steps have no time but their grace
	timer *time.Timer
	fires time.Time // when the timer does: not after now is due; zero: it does not
}

func (w *worker) work() {
	defer func() {
		if w.broke = recover(); w.broke != nil {
			w.turn.log("a step of the pipeline", tool.Call{}, w.broke, debug.Stack())
		}
		w.mu.Lock()
		defer w.mu.Unlock()
		if w.hung == nil {
			w.left, w.now = w.now, nil
			w.ended <- struct{}{}
		}
	}()
	for i, p := range w.parts {
		w.at, w.instead = i, p.instead
		p.do(w.turn, w, p.call)
	}
	w.done = true
}

// wait waits for the goroutine, and does what is to be done instead of a part that it did not end.
func (w *worker) wait() {
	select {
	case <-w.ended:
	case <-w.turn.ctx.Done():
		w.hurry()
		<-w.ended
	}
	switch {
	case w.done:
	case w.hung != nil:
		w.instead(w.turn, w.parts[w.at].call, w.hung.givenUp(w.turn))
	case w.left != nil:
		w.instead(w.turn, w.parts[w.at].call, errNoReturn)
	case w.broke != nil:
		panic(w.broke)
	default:
		runtime.Goexit() // as somebody did who was told of the turn
	}
}

// step does a step that may hang and begins now. One that was given up ends the goroutine when it returns.
func (w *worker) step(s *step, now time.Time) error {
	s.Context, s.deadline = w.turn.ctx, now.Add(s.limit)
	s.due = s.deadline
	w.watch(s)
	s.run(w.turn)
	if w.watch(nil); w.hung != nil {
		if s.after != nil {
			s.after(s.gave)
		}
		runtime.Goexit()
	}
	return s.gave
}

// watch has the step watched that is at work; nil: none is.
func (w *worker) watch(s *step) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.now = s; s == nil {
		return
	}
	if w.late {
		s.hurry()
	}
	w.alarm(s.due)
}

// hurry leaves the step that is at work, and those that follow, their grace only.
func (w *worker) hurry() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.late = true; w.now != nil {
		w.now.hurry()
		w.alarm(w.now.due)
	}
}

// alarm has the timer fire at a time or before.
func (w *worker) alarm(at time.Time) {
	switch {
	case w.timer == nil:
		w.timer = time.AfterFunc(time.Until(at), w.fired)
	case w.fires.IsZero() || at.Before(w.fires):
		w.timer.Reset(time.Until(at))
	default:
		return
	}
	w.fires = at
}

// fired gives up a step that has had its time and its grace.
func (w *worker) fired() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.fires = time.Time{}
	s := w.now
	switch {
	case s == nil:
	case time.Until(s.due) > 0 || s.hurry():
		w.alarm(s.due)
	default:
		w.now, w.hung = nil, s
		w.ended <- struct{}{}
	}
}

// roomy makes the stack of a new goroutine as large as a step of a call needs, at once. A stack that grows while the step is deep in its calls is
// copied three times, which took a tenth of the time of a call that reads a file.
//
//go:noinline
func roomy() {
	var room [12 << 10]byte
	runtime.KeepAlive(&room)
}
