package toolcall

import (
	"context"
	"runtime"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"rein/event"
	"rein/guard"
	"rein/tool"
)

// The turns of a runner that New made share a goroutine while they follow each other closely, and none stays.
func TestTurnsShareAGoroutine(t *testing.T) {
	for _, row := range []struct {
		wait time.Duration // between the turns
		used int           // goroutines of 10 turns
	}{{0, 1}, {2 * mostRest, 10}} {
		synctest.Test(t, func(t *testing.T) { // which fails where a goroutine stays
			used := map[string]bool{}
			x := named("x", 0, nothing, func(context.Context, pathArgs, *tool.Reply) error { used[goroutine()] = true; return nil })
			r, err := New(Runner{Mode: guard.Full, Tools: set(t, x), Guard: allowAll, Approver: guard.Nobody{}})
			if err != nil {
				t.Fatal(err)
			}
			for range 10 {
				time.Sleep(row.wait)
				synctest.Wait()
				if results, err := r.Run(t.Context(), Scope{}, []tool.Call{call("1", "x", "a")}); err != nil || results[0].Failed {
					t.Errorf("got %+v, %v", results, err)
				}
			}
			if len(used) != row.used {
				t.Errorf("waited %v: %d goroutines used", row.wait, len(used))
			}
			time.Sleep(2 * mostRest)
		})
	}
}

// goroutine is the name of the goroutine, as its stack has it.
func goroutine() string {
	stack := make([]byte, 32)
	return string(stack[:runtime.Stack(stack, false)])
}

// A goroutine whose step hung, or ended it, serves no later turn, and the later turns have the whole time.
func TestAGoroutineThatHungIsNotUsedAgain(t *testing.T) {
	for name, hangs := range map[string]func(){"hangs": func() { time.Sleep(time.Hour) }, "exits": runtime.Goexit} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var ran atomic.Int32
				x := named("x", 0, nothing, func(context.Context, pathArgs, *tool.Reply) error {
					if ran.Add(1) == 1 {
						hangs()
					}
					time.Sleep(time.Second - time.Millisecond)
					return nil
				})
				x.Timeout = time.Second
				r, err := New(Runner{Mode: guard.Full, Tools: set(t, x), Guard: allowAll, Approver: guard.Nobody{}})
				if err != nil {
					t.Fatal(err)
				}
				for i := range 3 {
					results, err := r.Run(t.Context(), Scope{}, []tool.Call{call("1", "x", "a")})
					if err != nil || results[0].Failed != (i == 0) {
						t.Errorf("turn %d: got %+v, %v", i, results, err)
					}
				}
				time.Sleep(2 * time.Hour) // what was given up ends
			})
		})
	}
}

// A cancel that comes between the steps of a call leaves those that follow their grace only, and the next turn of the goroutine has its whole time.
func TestAStepAfterACancelHasItsGraceOnly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slow := named("slow", tool.Writes, writes, func(context.Context, pathArgs, *tool.Reply) error { return nil })
		ctx, cancel := context.WithCancel(t.Context())
		var judged atomic.Int32
		r, err := New(Runner{Mode: guard.Full, Tools: set(t, slow), Root: t.TempDir(), Approver: guard.Nobody{},
			Guard: guard.Func(func(context.Context, guard.Case) guard.Verdict {
				if judged.Add(1) == 2 {
					time.Sleep(30 * time.Second)
				} else {
					time.Sleep(time.Hour)
				}
				return guard.Verdict{}
			})})
		if err != nil {
			t.Fatal(err)
		}
		watch := func(e event.Event) {
			if e.Kind == event.Called && judged.Load() == 0 {
				cancel()
				synctest.Wait() // who waits for the goroutine knows it
			}
		}
		start := time.Now()
		results, err := r.Run(ctx, Scope{Watch: watch}, []tool.Call{call("1", "slow", "a")})
		if took := time.Since(start); err != nil || results[0].Kind != tool.Cancelled || took != time.Second {
			t.Errorf("took %v: %+v, %v", took, results, err)
		}
		results, err = r.Run(t.Context(), Scope{}, []tool.Call{call("2", "slow", "a")})
		if err != nil || results[0].Failed {
			t.Errorf("the next turn: %+v, %v", results, err)
		}
		time.Sleep(2 * time.Hour) // what was given up ends
	})
}

// A panic of a part outside of its steps is that of Run, and is logged with its stack.
func TestAPanicOfThePipelineIsThatOfRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { // which fails where a goroutine stays
		log := &lines{}
		r, err := New(Runner{Guard: allowAll, Approver: guard.Nobody{}, Log: log})
		if err != nil {
			t.Fatal(err)
		}
		defer func() {
			time.Sleep(2 * mostRest)
			if p := recover(); p != "a fault" || len(log.of) != 1 {
				t.Errorf("recovered %v; %d lines in the log", p, len(log.of))
			}
		}()
		faulty := newTurn(t.Context(), r, Scope{}, nil)
		faulty.relay([]part{{do: func(*turn, *worker, int) { panic("a fault") }}})
		t.Error("it did not panic")
	})
}

// lines is a log.
type lines struct{ of []string }

func (l *lines) Error(message string, _ ...any) { l.of = append(l.of, message) }
