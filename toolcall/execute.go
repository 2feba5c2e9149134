package toolcall

import (
	"bytes"
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

// run approves, orders and executes the judged calls. ready has the calls that are granted already. It returns when each
// call has its result or is pending.
func (t *turn) run(calls []*judged, ready []*granted) {
	if len(calls) == 1 {
		if calls[0] != nil {
			t.drive(calls[0], ready[0], nil)
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
			t.drive(j, ready[i], waits)
		})
	}
	all.Wait()
}

// drive takes one judged call to its result.
func (t *turn) drive(j *judged, g *granted, waits []chan struct{}) {
	var err error
	if g == nil {
		g, err = t.approve(j)
	}
	if err == nil && g.edited {
		waits = t.earlier(j.index)
	}
	if err == nil {
		err = t.await(waits)
		if err == nil && t.slots != nil {
			defer func() { <-t.slots }()
		}
	}
	if err == nil && t.halted() != "" {
		err = &tool.Error{Kind: tool.Denied, Text: "Not run: " + (&Halted{t.halted()}).Error() + "."}
	}
	if err == nil {
		err = t.keep(g)
	}
	if err != nil {
		t.refusedOrPending(j, err)
		return
	}
	result, pending := t.execute(g)
	if pending {
		t.suspend(j)
		return
	}
	t.finish(j.index, guard.Verdict{}, t.noted(g, t.after(g, result)))
}

func (t *turn) refusedOrPending(j *judged, err error) {
	if errors.Is(err, errPending) {
		t.suspend(j)
		return
	}
	t.finish(j.index, j.verdict, refusal(j.call, err))
}

// await waits for the calls that must be done first, and for a slot.
func (t *turn) await(waits []chan struct{}) error {
	for _, w := range waits {
		select {
		case <-w:
		case <-t.ctx.Done():
		}
	}
	if t.slots != nil && t.ctx.Err() == nil {
		select {
		case t.slots <- struct{}{}:
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

// execute runs a granted call within its limits and returns its result. A call is pending when its tool reports that it waits
// for an approval, as a sub-agent does.
func (t *turn) execute(g *granted) (r tool.Result, pending bool) {
	limit := t.limits.Timeout
	if g.tool.Timeout > 0 {
		limit = g.tool.Timeout
	}
	reply := t.newReply(g)
	start := time.Now()
	if t.Running != nil {
		t.Running.Add(1)
	}
	s, err, ended := t.step(g.call, limit, t.limits.Grace, true, func(ctx context.Context) error {
		if t.Running != nil {
			defer t.Running.Done()
		}
		return t.work(ctx, g, reply)
	})
	if !ended {
		t.audit(g.call, "the tool ignored its context and was abandoned")
	} else if err == nil {
		err = s.gave
	}
	if err != nil && t.ctx.Err() != nil {
		err = t.ended()
	}
	if waits, ok := errors.AsType[*tool.Error](err); ok && waits.Kind == tool.Waiting {
		reply.Close()
		return r, true
	}
	return t.finished(g, reply, err, time.Since(start)), false
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
