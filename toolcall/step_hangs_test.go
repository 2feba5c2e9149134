package toolcall

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"rein/guard"
	"rein/tool"
)

// A file system that does not answer, in a step before the call runs, holds back neither the turn nor the next one.
func TestAStepThatHangsIsGivenUp(t *testing.T) {
	hang := func(i tool.Intent) {
		if i.Writes[0] == "a" {
			time.Sleep(time.Hour)
		}
	}
	for _, row := range []struct {
		step string
		set  func(r *Runner)
	}{
		{"looking at what the call would do", func(r *Runner) {
			r.Normalize = func(i tool.Intent) tool.Intent {
				hang(i)
				return i
			}
		}},
		{"checking the call", func(r *Runner) {
			r.Guard = guard.Func(func(_ context.Context, c guard.Case) guard.Verdict {
				hang(c.Intent)
				return guard.Verdict{}
			})
		}},
		{"keeping the files as they are", func(r *Runner) {
			r.Snapshot = func(_ context.Context, g Granted) (func(*tool.Reply), error) {
				hang(g.Intent())
				return func(*tool.Reply) {}, nil
			}
		}},
	} {
		t.Run(row.step, func(t *testing.T) {
			for _, limit := range []time.Duration{0, time.Second} {
				synctest.Test(t, func(t *testing.T) {
					ran := 0
					write := named("write", tool.Writes, writes, func(context.Context, pathArgs, *tool.Reply) error { ran++; return nil })
					r := Runner{Mode: guard.Full, Tools: set(t, write), Guard: allowAll, Limits: Limits{Timeout: limit}}
					row.set(&r)
					j := &memory{}
					start := time.Now()
					results, err := r.Run(t.Context(), Scope{Journal: j}, []tool.Call{call("1", "write", "a"), call("2", "write", "b")})
					want := max(limit, leastStep)
					if limit == 0 {
						want = DefaultTimeout
					}
					if took := time.Since(start); err != nil || took != want+time.Second {
						t.Errorf("took %v, want %v; %v", took, want, err)
					}
					if got := results[0]; got.Kind != tool.TimedOut || !strings.Contains(got.Text, row.step+" took longer than") || !strings.Contains(got.Text, "mounted directories") {
						t.Errorf("got %+v", got)
					}
					if results[1].Failed || ran != 1 {
						t.Errorf("the next call: %+v, ran %d", results[1], ran)
					}
					if !strings.Contains(j.story(), "audit") {
						t.Errorf("journal: %s", j.story())
					}
					time.Sleep(2 * time.Hour) // what was given up ends
				})
			}
		})
	}
}

// What a snapshot gives after it was given up is ended, so that no call seems to be at work forever.
func TestALateSnapshotIsEnded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ended := false
		r := Runner{Mode: guard.Full, Tools: set(t, named("write", tool.Writes, writes, func(context.Context, pathArgs, *tool.Reply) error { return nil })), Guard: allowAll,
			Snapshot: func(context.Context, Granted) (func(*tool.Reply), error) {
				time.Sleep(time.Hour)
				return func(r *tool.Reply) { r.Note("late"); ended = true }, nil
			}}
		if _, err := r.Run(t.Context(), Scope{Journal: &memory{}}, []tool.Call{call("1", "write", "a")}); err != nil {
			t.Error(err)
		}
		time.Sleep(2 * time.Hour)
		synctest.Wait()
		if !ended {
			t.Error("the snapshot was not ended")
		}
	})
}
