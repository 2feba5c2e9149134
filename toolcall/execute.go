package toolcall

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"sync"
	"time"

	"rein/event"
	"rein/guard"
	"rein/tool"
)

// Work does one granted call.
type Work func(ctx context.Context, call Granted, r *tool.Reply) error

// Granted is a call that may run, as Around sees it: what runs can be looked at and not changed.
type Granted struct{ g *granted }

// Call gives the call with its final arguments; a copy, so that what runs is what was approved.
func (g Granted) Call() tool.Call {
	c := g.g.call
	c.Args = bytes.Clone(c.Args)
	return c
}

// Tool gives the tool that will run.
func (g Granted) Tool() *tool.Tool { return g.g.tool }

// Intent gives what the call would do.
func (g Granted) Intent() tool.Intent { return g.g.intent }

// run approves, orders and executes the judged calls; it returns when each has its result.
func (t *turn) run(calls []*judged) {
	ready := t.grantAllowed(calls)
	if len(calls) == 1 {
		if calls[0] != nil {
			t.drive(calls[0], ready[0], nil)
		}
		return
	}
	before := t.order(calls)
	done := make([]chan struct{}, len(calls))
	var all sync.WaitGroup
	for i, j := range calls {
		if j == nil {
			continue
		}
		done[i] = make(chan struct{})
		waits := make([]chan struct{}, len(before[i]))
		for n, k := range before[i] {
			waits[n] = done[k]
		}
		all.Go(func() {
			defer close(done[i])
			t.drive(j, ready[i], waits)
		})
	}
	all.Wait()
}

// grantAllowed grants the calls that need no asking, and records them together.
func (t *turn) grantAllowed(calls []*judged) []*granted {
	ready := make([]*granted, len(calls))
	grants := make([]*granted, 0, len(calls))
	for i, j := range calls {
		switch {
		case j == nil:
		case j.verdict.Decision == guard.Allow:
			ready[i] = t.grant(j, "guard")
			grants = append(grants, ready[i])
		default:
			t.asking++
		}
	}
	t.recordGranted(grants...) // a dead journal cancels the turn, and drive sees that
	return ready
}

// drive takes one judged call to its result.
func (t *turn) drive(j *judged, g *granted, waits []chan struct{}) {
	var err error
	if g == nil {
		g, err = t.approve(j)
	}
	if err == nil {
		err = t.await(waits)
	}
	if err == nil {
		t.finish(j.index, guard.Verdict{}, t.noted(g, t.execute(g)))
		if t.slots != nil {
			<-t.slots
		}
		return
	}
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

// ended is nil while the turn lives, else why no call of it may go on.
func (t *turn) ended() error {
	if t.ctx.Err() == nil {
		return nil
	}
	if dead, ok := errors.AsType[journalError](context.Cause(t.ctx)); ok {
		return dead
	}
	return &tool.Error{Kind: tool.Cancelled, Text: "Cancelled before it was finished."}
}

// execute runs a granted call within its limits and gives its result.
func (t *turn) execute(g *granted) tool.Result {
	limit := t.limits.Timeout
	if g.tool.Timeout > 0 {
		limit = g.tool.Timeout
	}
	ctx, cancel := context.WithTimeoutCause(t.ctx, limit, deadline{limit})
	defer cancel()
	reply := t.newReply(g)
	start := time.Now()
	ended := make(chan error, 1)
	t.begin()
	go func() {
		defer t.end()
		ended <- t.work(ctx, g, reply)
	}()
	var err error
	select {
	case err = <-ended:
	case <-ctx.Done():
		err = t.late(ctx, g, ended)
	}
	if err != nil && t.ctx.Err() != nil {
		err = t.ended()
	}
	return t.finished(g, reply, err, time.Since(start))
}

type deadline struct{ limit time.Duration }

func (d deadline) Error() string { return fmt.Sprintf("it took longer than %v", d.limit) }

// late gives a call that is past its deadline, or cancelled, a moment to end by itself; after that it is abandoned.
func (t *turn) late(ctx context.Context, g *granted, ended <-chan error) error {
	grace := time.NewTimer(t.limits.Grace)
	defer grace.Stop()
	select {
	case <-ended:
	case <-grace.C:
		t.audit(g.call, "the tool ignored its context and was abandoned")
	}
	return context.Cause(ctx)
}

// work runs the tool, wrapped by Around; a panic becomes an error without its stack.
func (t *turn) work(ctx context.Context, g *granted, reply *tool.Reply) (err error) {
	defer func() {
		if p := recover(); p != nil {
			t.logPanic("a tool", g.call, p, debug.Stack())
			err = panicError(g.call)
		}
	}()
	if t.Around == nil {
		return g.tool.Run(ctx, g.call.Args, reply)
	}
	work := func(ctx context.Context, _ Granted, r *tool.Reply) error {
		return g.tool.Run(ctx, g.call.Args, r)
	}
	return t.Around(work)(ctx, Granted{g}, reply)
}

func panicError(call tool.Call) error {
	return &tool.Error{Kind: tool.Panicked, Text: fmt.Sprintf("The tool %s broke down. That is a fault in the tool, not in the call.", call.Name)}
}

func (t *turn) logPanic(who string, call tool.Call, p any, stack []byte) {
	t.audit(call, fmt.Sprintf("panic: %v", p))
	if t.Log != nil {
		t.Log.Error(who+" panicked", slog.String("tool", call.Name), slog.String("call", call.ID), slog.Any("panic", p), slog.String("stack", string(stack)))
	}
}

func (t *turn) audit(call tool.Call, text string) {
	t.record(event.Event{Kind: event.Audit, Text: text, Call: &tool.Call{ID: call.ID, Name: call.Name}})
}

func (t *turn) begin() {
	if t.Running != nil {
		t.Running.Add(1)
	}
}

func (t *turn) end() {
	if t.Running != nil {
		t.Running.Done()
	}
}
