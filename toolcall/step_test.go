package toolcall

import (
	"context"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"rein/guard"
	"rein/tool"
)

// The context of a step is one to package context: those below it end with it, with the same error, however they are made.
func TestContextsBelowAStepEndWithIt(t *testing.T) {
	type key struct{}
	for _, row := range []struct {
		name   string
		limit  time.Duration
		cancel time.Duration // of the turn
		took   time.Duration
		err    error
	}{
		{"its deadline", 5 * time.Second, time.Minute, 5 * time.Second, context.DeadlineExceeded},
		{"the end of the turn", time.Minute, 3 * time.Second, 3 * time.Second, context.Canceled},
	} {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				outer, cancel := context.WithCancel(context.WithValue(t.Context(), key{}, "kept"))
				defer cancel()
				time.AfterFunc(row.cancel, cancel)
				before := runtime.NumGoroutine()
				waits := named("waits", 0, nothing, func(ctx context.Context, _ pathArgs, _ *tool.Reply) error {
					start := time.Now()
					if at, ok := ctx.Deadline(); !ok || at.Sub(start) != row.limit || ctx.Value(key{}) != "kept" || ctx.Err() != nil {
						t.Errorf("deadline %v %v, value %v", at.Sub(start), ok, ctx.Value(key{}))
					}
					below, stop := context.WithCancel(ctx)
					defer stop()
					further, stopFurther := context.WithTimeout(context.WithValue(below, key{}, "other"), time.Hour)
					defer stopFurther()
					gone, leave := context.WithCancel(ctx)
					if leave(); gone.Err() == nil {
						t.Error("a context below was not cancelled by itself")
					}
					called, unregistered := make(chan time.Time, 1), context.AfterFunc(ctx, func() { t.Error("called although it was stopped") })
					context.AfterFunc(ctx, func() { called <- time.Now() })
					if !unregistered() || unregistered() {
						t.Error("AfterFunc's stop reports the wrong thing")
					}
					if n := runtime.NumGoroutine(); n > before+1 {
						t.Errorf("%d goroutines, %d before", n, before)
					}
					<-further.Done()
					for _, c := range []context.Context{ctx, below, further} {
						if <-c.Done(); c.Err() != row.err || context.Cause(c) == nil || row.err == context.DeadlineExceeded && context.Cause(c) != error(deadline{row.limit}) {
							t.Errorf("%v, cause %v", c.Err(), context.Cause(c))
						}
					}
					if took := (<-called).Sub(start); took != row.took {
						t.Errorf("it ended after %v", took)
					}
					after, end := context.WithCancel(ctx)
					defer end()
					if <-after.Done(); after.Err() != row.err {
						t.Errorf("a context that is made after the end: %v", after.Err())
					}
					return ctx.Err()
				})
				waits.Timeout = row.limit
				r := Runner{Mode: guard.Full, Tools: set(t, waits), Guard: allowAll}
				results, err := r.Run(outer, Scope{}, []tool.Call{call("1", "waits", "a")})
				want := map[error]tool.Kind{context.DeadlineExceeded: tool.TimedOut, context.Canceled: tool.Cancelled}[row.err]
				if err != nil || results[0].Kind != want {
					t.Errorf("got %+v, %v", results[0], err)
				}
			})
		})
	}
}

// The steps of a call share one timer, and each has its whole time: after a long wait for an answer, and after a step with a longer limit.
func TestEachStepHasItsOwnTime(t *testing.T) {
	for _, limit := range []time.Duration{time.Second, 30 * time.Second, 3 * time.Minute} {
		for _, wait := range []time.Duration{0, 20 * time.Second, time.Minute, 10 * time.Minute} {
			for _, check := range []time.Duration{0, 40 * time.Second, -40 * time.Second} { // below zero: the tool ignores its context
				synctest.Test(t, func(t *testing.T) {
					takes := max(check, -check) + wait + limit
					slow := named("slow", tool.Writes, writes, func(ctx context.Context, _ pathArgs, _ *tool.Reply) error {
						if check < 0 {
							time.Sleep(time.Hour)
						}
						<-ctx.Done()
						return ctx.Err()
					})
					slow.Timeout = limit
					if check < 0 {
						takes += DefaultGrace
					}
					r := Runner{Mode: guard.Full, Tools: set(t, slow),
						Guard: guard.Func(func(context.Context, guard.Case) guard.Verdict {
							time.Sleep(max(check, -check))
							return guard.Verdict{Decision: guard.Ask, Reason: "it asks"}
						}),
						Approver: guard.ApproverFunc(func(context.Context, guard.Case, guard.Verdict) (guard.Answer, error) {
							time.Sleep(wait)
							return guard.Answer{Choice: guard.Approved, By: guard.ByPerson("tester")}, nil
						})}
					start := time.Now()
					results, err := r.Run(t.Context(), Scope{}, []tool.Call{call("1", "slow", "a")})
					if took := time.Since(start); err != nil || results[0].Kind != tool.TimedOut || took != takes {
						t.Errorf("limit %v, waited %v, checked %v: took %v, %+v, %v", limit, wait, check, took, results[0], err)
					}
					time.Sleep(2 * time.Hour) // what was given up ends
				})
			}
		}
	}
}

// TestPipelineAllocates bounds what the pipeline itself allocates around a tool.
func TestPipelineAllocates(t *testing.T) {
	r := Runner{Mode: guard.Full, Tools: set(t, noEffect(t)), Guard: guard.All{Guards: []guard.Guard{allowAll}}}
	calls := []tool.Call{{ID: "1", Name: "empty", Args: noArguments}}
	got := testing.AllocsPerRun(100, func() {
		if _, err := r.Run(t.Context(), Scope{}, calls); err != nil {
			t.Error(err)
		}
	})
	if got > 36 {
		t.Errorf("%v allocations, want 36 at most", got)
	}
}
