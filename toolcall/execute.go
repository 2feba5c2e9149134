package toolcall

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"sync"
	"time"

	"rein/event"
	"rein/guard"
	"rein/tool"
)

// runAll approves, orders and executes the judged calls. It returns when each call has its result or is pending.
func runAll(t *turn, w *worker, _ int) {
	calls, ready := t.judged, t.grantAllowed(t.judged)
	if len(calls) == 1 {
		if calls[0] != nil {
			t.drive(w, calls[0], ready[0], nil)
		}
		return
	}
	before := t.order(calls)
	t.done = make([]chan struct{}, len(calls))
	for i, j := range calls {
		if j != nil {
			t.done[i] = make(chan struct{})
		}
	}
	var all sync.WaitGroup
	for i, j := range calls {
		if j == nil {
			continue
		}
		waits := make([]chan struct{}, len(before[i]))
		for n, k := range before[i] {
			waits[n] = t.done[k]
		}
		all.Go(func() {
			defer close(t.done[i])
			t.relay([]part{{func(t *turn, w *worker, _ int) { t.drive(w, j, ready[i], waits) }, notRun, i}})
			if j.holdsSlot {
				<-t.slots
			}
		})
	}
	all.Wait()
}

// drive takes one judged call to its result.
func (t *turn) drive(w *worker, j *judged, g *granted, waits []chan struct{}) {
	var err error
	recorded := g != nil
	if g == nil {
		g, err = t.approve(j)
	}
	if err == nil && g.edited {
		waits = t.earlier(j.index)
	}
	if err == nil {
		err = t.await(waits, j)
	}
	if err == nil && !recorded { // what is granted and has no result may have run: a call that a person allowed begins now
		err = t.recordGranted(g)
	}
	if err == nil && t.halted() != "" {
		err = &tool.Error{Kind: tool.Denied, Text: "Not run: " + (&Halted{t.halted()}).Error() + "."}
	}
	if err == nil {
		err = t.keep(w, g)
	}
	if err != nil {
		notRun(t, j.index, err)
		return
	}
	t.execute(w, g)
}

// notRun gives a call that may not run its result. It may be pending.
func notRun(t *turn, i int, err error) {
	j := t.judged[i]
	if errors.Is(err, errPending) {
		t.suspend(j)
		return
	}
	t.finish(j.index, j.verdict, refused(t, j.valid, err))
}

// await waits for the calls that must be done first, and for a slot.
func (t *turn) await(waits []chan struct{}, j *judged) error {
	for _, w := range waits {
		select {
		case <-w:
		case <-t.ctx.Done():
		}
	}
	if t.slots != nil && t.ctx.Err() == nil {
		select {
		case t.slots <- struct{}{}:
			j.holdsSlot = true
			return nil
		case <-t.ctx.Done():
		}
	}
	return t.ended()
}

// ended is nil while the turn continues, else why no call of it may continue.
func (t *turn) ended() error {
	if t.ctx.Err() == nil {
		return nil
	}
	if failed, ok := errors.AsType[journalError](context.Cause(t.ctx)); ok {
		return failed
	}
	return &tool.Error{Kind: tool.Cancelled, Text: "Cancelled before it was finished."}
}

// execute runs a granted call within its limits, to its result. A call is pending when its tool reports that it waits
// for an approval, as a sub-agent does.
func (t *turn) execute(w *worker, g *granted) {
	limit := t.limits.Timeout
	if g.tool.Timeout > 0 {
		limit = g.tool.Timeout
	}
	reply := t.newReply(g)
	start := time.Now()
	ran := func(t *turn, _ int, err error) { t.ran(g, reply, err, time.Since(start)) }
	w.instead = ran
	if t.Running != nil {
		t.Running.Add(1)
	}
	s := &step{call: &g.call, limit: limit, grace: t.limits.Grace, work: func(ctx context.Context) error {
		if t.Running != nil {
			defer t.Running.Done()
		}
		return t.work(ctx, g, reply)
	}}
	err := w.step(s, start)
	if s.why != nil || s.hurried || t.ctx.Err() != nil { // what ends after its time, or after the turn, is late, whatever it says
		err = cmp.Or(s.why, error(deadline{limit}))
	}
	ran(t, 0, err)
}

// ran gives a call that ran its result.
func (t *turn) ran(g *granted, reply *tool.Reply, err error, took time.Duration) {
	if err != nil && t.ctx.Err() != nil {
		err = t.ended()
	}
	if waits, ok := errors.AsType[*tool.Error](err); ok && waits.Kind == tool.Waiting {
		reply.Close()
		t.suspend(g.judged)
		return
	}
	t.finish(g.index, guard.Verdict{}, t.noted(g, t.after(g, t.finished(g, reply, err, took))))
}

type deadline struct{ limit time.Duration }

func (d deadline) Error() string { return fmt.Sprintf("it took longer than %v", d.limit) }

// work runs the tool; a panic becomes an error without its stack.
func (t *turn) work(ctx context.Context, g *granted, reply *tool.Reply) (err error) {
	defer t.endSnapshot(g.end, g.call, reply)
	if t.Around != nil {
		end := t.begin(g)
		defer func() { end(err) }()
	}
	defer t.caught("a tool", g.call, &err)
	return g.tool.Run(ctx, bytes.Clone(g.call.Args), reply)
}

// caught is deferred: it makes a panic an error of the call.
func (t *turn) caught(who string, call tool.Call, err *error) {
	if p := recover(); p != nil {
		t.logPanic(who, call, p, debug.Stack())
		*err = panicError(call)
	}
}

func panicError(call tool.Call) error {
	return &tool.Error{Kind: tool.Panicked, Text: fmt.Sprintf("The tool %s failed with an internal error. That is a fault in the tool, not in the call.", call.Name)}
}

// logPanic records a panic, and logs it with its stack.
func (t *turn) logPanic(who string, call tool.Call, p any, stack []byte) {
	t.audit(call, fmt.Sprintf("panic in %s: %v", who, p))
	t.log(who, call, p, stack)
}

// log logs a panic.
func (r *Runner) log(who string, call tool.Call, p any, stack []byte) {
	if r.Log != nil {
		r.Log.Error(who+" panicked", "tool", call.Name, "call", call.ID, "panic", p, "stack", string(stack))
	}
}

func (t *turn) audit(call tool.Call, text string) {
	t.record(event.Event{Kind: event.Audit, Text: text, Call: ref(call)})
}
