package toolcall

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf8"

	"rein/guard"
	"rein/tool"
)

func TestDeadlines(t *testing.T) {
	stuck := func(context.Context, pathArgs, *tool.Reply) error { time.Sleep(time.Hour); return nil }
	honest := func(ctx context.Context, _ pathArgs, r *tool.Reply) error {
		r.WriteString("half")
		<-ctx.Done()
		return ctx.Err()
	}
	rows := []struct {
		rule  string
		work  func(context.Context, pathArgs, *tool.Reply) error
		limit time.Duration // of the tool
		took  time.Duration
		says  string
		audit bool
	}{
		{"a tool that ignores its context is abandoned", stuck, 0, 60*time.Second + DefaultGrace, "longer than 1m0s", true},
		{"a tool's own limit", stuck, 3 * time.Second, 3*time.Second + DefaultGrace, "longer than 3s", true},
		{"a tool that stops at its deadline keeps what it wrote", honest, time.Second, time.Second, "half\nError: Stopped", false},
	}
	for _, row := range rows {
		t.Run(row.rule, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				slow := named("slow", tool.Reads, reads, row.work)
				slow.Timeout = row.limit
				var running sync.WaitGroup
				j := &memory{}
				r := Runner{Mode: guard.Full, Tools: set(t, slow), Guard: allowAll, Running: &running}
				start := time.Now()
				results, err := r.Run(t.Context(), Scope{Journal: j}, []tool.Call{call("1", "slow", "a")})
				if took := time.Since(start); err != nil || took != row.took {
					t.Errorf("took %v, want %v; %v", took, row.took, err)
				}
				if got := results[0]; got.Kind != tool.TimedOut || !strings.Contains(got.Text, row.says) {
					t.Errorf("got %+v", got)
				}
				if strings.Contains(j.story(), "audit") != row.audit {
					t.Errorf("journal: %s", j.story())
				}
				running.Wait()
			})
		})
	}
}

func TestACancelGivesEveryCallAResult(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		stuck := func(context.Context, pathArgs, *tool.Reply) error { time.Sleep(time.Hour); return nil }
		var running sync.WaitGroup
		j := &memory{}
		r := Runner{Mode: guard.Full, Tools: set(t, named("write", tool.Writes, writes, stuck)), Guard: allowAll, Running: &running}
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, cancel)
		start := time.Now()
		results, err := r.Run(ctx, Scope{Journal: j}, []tool.Call{call("1", "write", "a"), call("2", "write", "a"), call("3", "write", "b")})
		if took := time.Since(start) - time.Second; err != nil || took > 200*time.Millisecond {
			t.Errorf("returned %v after the cancel; %v", took, err)
		}
		for _, res := range results {
			if res.Kind != tool.Cancelled || res.ID == "" {
				t.Errorf("got %+v", res)
			}
		}
		if n := strings.Count(j.story(), "replied"); n != 3 {
			t.Errorf("%d replies in the journal: %s", n, j.story())
		}
		running.Wait()
	})
}

func TestAToolThatPanicsFails(t *testing.T) {
	rows := map[string]*tool.Tool{
		"in Run":    named("x", tool.Reads, reads, func(context.Context, pathArgs, *tool.Reply) error { panic("secret stack") }),
		"in Intent": named("x", tool.Reads, func(pathArgs) tool.Intent { panic("secret stack") }, says("")),
	}
	for rule, broken := range rows {
		t.Run(rule, func(t *testing.T) {
			r := Runner{Mode: guard.Full, Tools: set(t, broken), Guard: allowAll}
			results, err := r.Run(t.Context(), Scope{}, []tool.Call{call("1", "x", "a")})
			if err != nil || results[0].Kind != tool.Panicked || strings.Contains(results[0].Text, "secret") {
				t.Errorf("got %+v, %v", results[0], err)
			}
		})
	}
}

func TestErrorsAreBounded(t *testing.T) {
	huge := named("x", tool.Reads, reads, func(context.Context, pathArgs, *tool.Reply) error {
		return errors.New("\x00\xff" + strings.Repeat("long ", 1<<20))
	})
	r := Runner{Mode: guard.Full, Tools: set(t, huge), Guard: allowAll}
	results, err := r.Run(t.Context(), Scope{}, []tool.Call{call("1", "x", "a")})
	if text := results[0].Text; err != nil || len(text) > mostError+100 || !utf8.ValidString(text) || strings.Contains(text, "\x00") || !strings.Contains(text, "more]") {
		t.Errorf("%d bytes, %.60q, %v", len(text), text, err)
	}
}

func TestAroundSeesWhatRuns(t *testing.T) {
	var seen []string
	around := func(g Granted) func(error) {
		seen = append(seen, "begin "+g.Call().Name+" "+g.Intent().Writes[0])
		copy(g.Call().Args, "{}")
		g.Intent().Writes[0] = "changed"
		return func(err error) { seen = append(seen, fmt.Sprint("end ", err)) }
	}
	for _, g := range []guard.Guard{allowAll, always(guard.Deny)} {
		r := Runner{Mode: guard.Full, Tools: set(t, named("x", tool.Writes, writes, says("ran"))), Guard: g, Around: around}
		results, err := r.Run(t.Context(), Scope{}, []tool.Call{call("1", "x", "a")})
		if err != nil {
			t.Fatal(err)
		}
		if results[0].Kind != tool.Denied && results[0].Text != "ran" {
			t.Errorf("got %+v", results[0])
		}
	}
	if !slices.Equal(seen, []string{"begin x a", "end <nil>"}) {
		t.Errorf("Around saw %v", seen)
	}
}

// TestAroundChangesNothing: what Around gets are copies, of all that a call has.
func TestAroundChangesNothing(t *testing.T) {
	whole := tool.Intent{Reads: []string{"r"}, Writes: []string{"w"}, Hosts: []string{"h"},
		Questions:    &tool.Questions{List: []tool.Question{{Text: "q", Choices: []tool.Choice{{Label: "o"}}}}},
		Surroundings: &tool.Surroundings{Dashed: []string{"d"}, Git: []string{"g"}, Remotes: []string{"m"}, Links: map[string]string{"l": "l"}}}
	before, _ := json.Marshal(whole)
	ran := ""
	x := named("x", tool.Reads, func(pathArgs) tool.Intent { return whole }, func(_ context.Context, in pathArgs, _ *tool.Reply) error { ran = in.Path; return nil })
	r := Runner{Mode: guard.Full, Tools: set(t, x), Guard: allowAll, Around: func(g Granted) func(error) {
		c, i := g.Call(), g.Intent()
		copy(c.Args[len(`{"path":"`):], "b")
		i.Reads[0], i.Writes[0], i.Hosts[0], i.Questions.List[0].Text, i.Questions.List[0].Choices[0].Label = "x", "x", "x", "x", "x"
		s := i.Surroundings
		s.Dashed[0], s.Git[0], s.Remotes[0], s.Links["l"] = "x", "x", "x", "x"
		return nil
	}}
	r.Observer = ranWith(func(c guard.Case) {
		if after, _ := json.Marshal(c.Intent); string(after) != string(before) || string(c.Call.Args) != `{"path":"a"}` {
			t.Errorf("the call is %s, %s", c.Call.Args, after)
		}
	})
	if _, err := r.Run(t.Context(), Scope{}, []tool.Call{call("1", "x", "a")}); err != nil || ran != "a" {
		t.Errorf("it ran with %q, %v", ran, err)
	}
}

func TestAPanicInAroundChangesNothing(t *testing.T) {
	for name, around := range map[string]Around{
		"at the begin": func(Granted) func(error) { panic("x") },
		"at the end":   func(Granted) func(error) { return func(error) { panic("x") } },
		"nil":          func(Granted) func(error) { return nil },
	} {
		t.Run(name, func(t *testing.T) {
			r := Runner{Mode: guard.Full, Tools: set(t, named("x", tool.Writes, writes, says("ran"))), Guard: allowAll, Around: around}
			if results, err := r.Run(t.Context(), Scope{}, []tool.Call{call("1", "x", "a")}); err != nil || results[0].Text != "ran" {
				t.Errorf("got %+v, %v", results, err)
			}
		})
	}
}

// What ends in the grace that follows its deadline, or a cancel, is late, also where it says nothing of it.
func TestAToolThatEndsInItsGraceIsLate(t *testing.T) {
	for _, row := range []struct {
		cancel  time.Duration // of the turn
		takes   time.Duration
		ignores bool // it goes on for a moment
		took    time.Duration
		want    tool.Kind
	}{
		{time.Hour, time.Second - time.Millisecond, false, time.Second - time.Millisecond, ""},
		{time.Hour, time.Hour, false, time.Second, tool.TimedOut},
		{time.Hour, time.Second - time.Millisecond, true, time.Second - time.Millisecond + DefaultGrace/2, tool.TimedOut},
		{time.Second / 2, time.Hour, false, time.Second / 2, tool.Cancelled},
		{time.Second / 2, time.Second/2 - time.Millisecond, true, time.Second/2 - time.Millisecond + DefaultGrace/2, tool.Cancelled},
	} {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			defer time.AfterFunc(row.cancel, cancel).Stop()
			x := named("x", 0, nothing, func(ctx context.Context, _ pathArgs, _ *tool.Reply) error {
				select {
				case <-ctx.Done(): // it ends at once, and says nothing of it
				case <-time.After(row.takes):
				}
				if row.ignores {
					time.Sleep(DefaultGrace / 2)
				}
				return nil
			})
			x.Timeout = time.Second
			r := Runner{Mode: guard.Full, Tools: set(t, x), Guard: allowAll}
			start := time.Now()
			results, err := r.Run(ctx, Scope{}, []tool.Call{call("1", "x", "a")})
			if took := time.Since(start); err != nil || results[0].Kind != row.want || took != row.took {
				t.Errorf("%+v: took %v, %+v, %v", row, took, results[0], err)
			}
		})
	}
}
