package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"rein/event"
	"rein/guard"
	"rein/journal"
	"rein/model"
	"rein/tool"
	"rein/toolcall"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// scripted is a model that answers each request with the next of its turns. It keeps the requests.
type scripted struct {
	turns []turn
	mu    sync.Mutex // several sub-agents may ask it at once
	asked []*model.Request
}

type turn func(*model.Request) (model.Chunk, error)

func (s *scripted) Info() model.Info { return model.Info{Provider: "script", Name: "test"} }

func (s *scripted) Stream(ctx context.Context, r *model.Request) iter.Seq2[model.Chunk, error] {
	return func(yield func(model.Chunk, error) bool) {
		s.mu.Lock()
		n := len(s.asked)
		if n < len(s.turns) {
			s.asked = append(s.asked, r)
		}
		s.mu.Unlock()
		if n == len(s.turns) {
			yield(model.Chunk{}, errors.New("the script is at its end"))
			return
		}
		c, err := s.turns[n](r)
		if err == nil && ctx.Err() != nil {
			err = context.Cause(ctx)
		}
		yield(c, err)
	}
}

func answer(stop model.Stop, parts ...model.Part) turn {
	return func(*model.Request) (model.Chunk, error) {
		return model.Chunk{Kind: model.Done, Stop: stop, Usage: model.Usage{Input: 10, Output: 5},
			Message: &model.Message{Role: model.Assistant, Parts: parts}}, nil
	}
}

func says(text string) turn { return answer(model.StopEnd, model.Text(text)) }

func calls(ids ...string) turn {
	var parts []model.Part
	for _, id := range ids {
		name, id, _ := strings.Cut(id, ":")
		parts = append(parts, model.Part{Kind: model.CallKind, ID: id, Name: name, Args: "{}"})
	}
	return answer(model.StopCalls, parts...)
}

type noArgs struct{}

func instrument(name string, run func(context.Context, *tool.Reply) error) *tool.Tool {
	return tool.New(name, "for tests", tool.Writes, func(ctx context.Context, _ noArgs, r *tool.Reply) error { return run(ctx, r) })
}

// fixture is an agent with three tools that count their runs: do is allowed, ask needs an approval, look only reads.
type fixture struct {
	Agent
	options SessionOptions
	model   *scripted
	ran     atomic.Int32
}

func (f *fixture) start() *Session { return f.Start(f.options) }

func newFixture(t *testing.T, turns ...turn) *fixture {
	t.Helper()
	f := &fixture{model: &scripted{turns: turns}}
	do := instrument("do", func(_ context.Context, r *tool.Reply) error {
		f.ran.Add(1)
		_, err := r.WriteString("did it")
		return err
	})
	ask, look := *do, *do
	ask.Name = "ask"
	look.Name, look.Effect = "look", tool.Reads
	tools, err := tool.NewSet(do, &ask, &look)
	if err != nil {
		t.Fatal(err)
	}
	g := guard.Func(func(_ context.Context, c guard.Case) guard.Verdict {
		if c.Call.Name == "ask" {
			return guard.Verdict{Decision: guard.Ask, Reason: "it is a test"}
		}
		return guard.Verdict{}
	})
	f.Agent = Agent{Model: f.model, Calls: &toolcall.Runner{Tools: tools, Guard: g, Mode: guard.Full}}
	return f
}

// drain returns the kinds of what happened, and the last event.
func drain(t *testing.T, events iter.Seq2[event.Event, error]) (story string, last event.Event, err error) {
	t.Helper()
	var kinds []string
	for e, eventErr := range events {
		kinds = append(kinds, string(e.Kind))
		last, err = e, eventErr
	}
	return strings.Join(kinds, " "), last, err
}

func TestStopReasons(t *testing.T) {
	rows := []struct {
		rule  string
		turns []turn
		set   func(*fixture)
		stop  event.Stop
		text  string
		runs  int32
	}{
		{"done when nothing is called", []turn{says("hello")}, nil, event.Done, "hello", 0},
		{"done after calls", []turn{calls("do:1", "do:2"), says("ready")}, nil, event.Done, "ready", 2},
		{"calls run although the model stopped for another reason", []turn{answer(model.StopEnd, model.Part{Kind: model.CallKind, ID: "1", Name: "do", Args: "{}"}), says("ready")}, nil, event.Done, "ready", 1},
		{"max turns", []turn{calls("do:1"), calls("do:2"), calls("do:3")}, func(f *fixture) { f.MaxTurns = 2 }, event.MaxTurns, "", 2},
		{"budget", []turn{calls("do:1"), says("never")}, func(f *fixture) { f.Budget = 15 }, event.Budget, "", 1},
		{"denied when no person is connected", []turn{calls("ask:1"), says("could not")}, nil, event.Denied, "could not", 0},
		{"a user's denial does not stop the turn as denied", []turn{calls("ask:1"), says("fine")}, func(f *fixture) {
			f.Calls.Approver = guard.ApproverFunc(func(context.Context, guard.Case, guard.Verdict) (guard.Answer, error) { return guard.Answer{}, nil })
		}, event.Done, "fine", 0},
		{"waiting", []turn{calls("ask:1", "do:2")}, later, event.Waiting, "waiting for an approval of 1", 1},
		{"error of the model", []turn{func(*model.Request) (model.Chunk, error) { return model.Chunk{}, errors.New("no such model") }}, nil, event.Failed, "no such model", 0},
		{"a dead journal", []turn{says("never")}, func(f *fixture) { f.options.Journal = dead{} }, event.Failed, "disk full", 0},
		{"a paused answer continues", []turn{answer(model.StopPause, model.Text("…")), says("ready")}, nil, event.Done, "ready", 0},
		{"after a malformed call the model gets another request", []turn{answer(model.StopMalformed), says("ready")}, nil, event.Done, "ready", 0},
		{"malformed three times in a row", []turn{answer(model.StopMalformed), answer(model.StopMalformed), answer(model.StopMalformed)}, nil, event.Failed, "the provider could not read the model's calls, three times in a row", 0},
		{"a truncated call never runs", []turn{answer(model.StopLength, model.Part{Kind: model.CallKind, ID: "1", Name: "do", Args: "{", Truncated: true}), says("ready")}, nil, event.Done, "ready", 0},
	}
	for _, row := range rows {
		t.Run(row.rule, func(t *testing.T) {
			f := newFixture(t, row.turns...)
			if row.set != nil {
				row.set(f)
			}
			_, last, err := drain(t, f.start().Send(t.Context(), model.Text("go")))
			if last.Kind != event.Stopped || last.Stop != row.stop || last.Text != row.text || f.ran.Load() != row.runs {
				t.Errorf("got %s %q after %d runs, want %s %q after %d", last.Stop, last.Text, f.ran.Load(), row.stop, row.text, row.runs)
			}
			if (err != nil) != (row.stop == event.Failed) {
				t.Errorf("error %v with %s", err, row.stop)
			}
		})
	}
}

func later(f *fixture) {
	f.Calls.Approver = guard.ApproverFunc(func(context.Context, guard.Case, guard.Verdict) (guard.Answer, error) {
		return guard.Answer{Choice: guard.Later}, nil
	})
}

func approving(f *fixture) {
	f.Calls.Approver = guard.ApproverFunc(func(context.Context, guard.Case, guard.Verdict) (guard.Answer, error) {
		return guard.Answer{Choice: guard.Approved, By: guard.ByPerson("")}, nil
	})
}

type dead struct{}

func (dead) Append(...event.Event) error { return errors.New("disk full") }

func TestResultsKeepTheOrderOfTheCalls(t *testing.T) {
	f := newFixture(t, calls("do:a", "nope:b", "do:c"), says("ready"))
	if _, _, err := drain(t, f.start().Send(t.Context(), model.Text("go"))); err != nil {
		t.Fatal(err)
	}
	sent := f.model.asked[1].Messages
	results := sent[len(sent)-1]
	var ids []string
	for _, p := range results.Parts {
		ids = append(ids, fmt.Sprint(p.ID, p.Failed))
	}
	if results.Role != model.Results || !slices.Equal(ids, []string{"afalse", "btrue", "cfalse"}) {
		t.Errorf("got %s %v", results.Role, ids)
	}
}

func TestLeavingTheLoopCancels(t *testing.T) {
	f := newFixture(t, calls("wait:1"))
	began, ended := make(chan struct{}), make(chan error, 1)
	wait := instrument("wait", func(ctx context.Context, _ *tool.Reply) error {
		close(began)
		<-ctx.Done()
		ended <- ctx.Err()
		return ctx.Err()
	})
	f.Calls.Tools, _ = tool.NewSet(wait)
	j, _, err := journal.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	f.options.Journal = j
	for e := range f.start().Send(t.Context(), model.Text("go")) {
		if e.Kind == event.Granted {
			<-began // a call that is cancelled before it begins never runs
			break
		}
	}
	select {
	case <-ended:
	case <-time.After(5 * time.Second):
		t.Fatal("the tool was not cancelled")
	}
}

// TestResume suspends or kills a session at each step between called and replied, and resumes it from its journal.
func TestResume(t *testing.T) {
	rows := []struct {
		rule  string
		until event.Kind // the journal ends after this event of call 1; "" is a suspended turn
		runs  int32      // of the call in both processes
		says  string     // in the result for the model
		tool  string
	}{
		{"suspended: the call runs once, after the approval", "", 1, "did it", "ask"},
		{"killed after called: it runs once", event.Called, 1, "did it", "ask"},
		{"killed while the request was pending: it is requested again", event.ApprovalRequested, 1, "did it", "ask"},
		{"killed after granted: it is not repeated", event.Granted, 0, "outcome is unknown", "ask"},
		{"killed after replied: the result is kept", event.Replied, 0, "did it", "ask"},
		{"allowed by the guards, and killed after granted: it is not repeated", event.Granted, 0, "outcome is unknown", "do"},
		{"killed after granted, and it only reads: it runs again", event.Granted, 1, "did it", "look"},
	}
	for _, row := range rows {
		t.Run(row.rule, func(t *testing.T) {
			dir := t.TempDir()
			first := newFixture(t, calls(row.tool+":1"), says("ready"))
			if row.until == "" {
				later(first)
			} else {
				approving(first)
			}
			j, _, err := journal.Open(dir)
			if err != nil {
				t.Fatal(err)
			}
			first.options.Journal = &cut{Journal: j, after: row.until}
			drain(t, first.start().Send(t.Context(), model.Text("go")))
			j.Close()

			second := newFixture(t, says("ready"))
			approving(second)
			j, _, err = journal.Open(dir)
			if err != nil {
				t.Fatal(err)
			}
			defer j.Close()
			s, err := second.Load(SessionOptions{Journal: j}, journal.Read(filepath.Join(dir, journal.FileName)))
			if err != nil {
				t.Fatal(err)
			}
			events := s.Resume(t.Context())
			if !s.Waiting() {
				events = s.Send(t.Context(), model.Text("go on"))
			}
			_, last, err := drain(t, events)
			if err != nil || last.Stop != event.Done || last.Text != "ready" {
				t.Fatalf("got %+v, %v", last, err)
			}
			if second.ran.Load() != row.runs {
				t.Errorf("ran %d times in the second process, want %d", second.ran.Load(), row.runs)
			}
			replied := 0 // also of a call whose outcome is unknown, so that whoever reads the journal sees its end
			for e, err := range journal.Read(filepath.Join(dir, journal.FileName)) {
				if err == nil && e.Kind == event.Replied && strings.Contains(e.Result.Text, row.says) {
					replied++
				}
			}
			if replied != 1 {
				t.Errorf("%d results are recorded", replied)
			}
			sent, _ := json.Marshal(second.model.asked[0].Messages)
			if strings.Count(string(sent), row.says) != 1 {
				t.Errorf("%q is not in the result once: %s", row.says, sent)
			}
			if err := model.Check(second.model.asked[0].Messages); err != nil {
				t.Errorf("the history is broken: %v", err)
			}
		})
	}
}

// cut is a journal whose process is killed after an event: later ones are lost.
type cut struct {
	event.Journal
	after event.Kind
	dead  bool
	also  *cut // another journal of the same process
}

func (c *cut) Append(events ...event.Event) error {
	for i, e := range events {
		if c.dead {
			return nil
		}
		if err := c.Journal.Append(events[i : i+1]...); err != nil {
			return err
		}
		c.dead = e.Kind == c.after
		if c.dead && c.also != nil {
			c.also.dead = true
		}
	}
	return nil
}

func TestSendWhileWaitingIsRefusedAndNothingIsLost(t *testing.T) {
	f := newFixture(t, calls("ask:1"), says("ready"))
	later(f)
	s := f.start()
	drain(t, s.Send(t.Context(), model.Text("go")))
	if _, _, err := drain(t, s.Send(t.Context(), model.Text("more"))); !errors.Is(err, ErrWaiting) {
		t.Fatalf("got %v", err)
	}
	approving(f)
	if _, last, err := drain(t, s.Resume(t.Context())); err != nil || last.Stop != event.Done || f.ran.Load() != 1 {
		t.Errorf("got %+v, %v", last, err)
	}
}

func TestOneSendAtATime(t *testing.T) {
	f := newFixture(t, says("ready"))
	s := f.start()
	for range s.Send(t.Context(), model.Text("go")) {
		if _, _, err := drain(t, s.Send(t.Context(), model.Text("again"))); !errors.Is(err, ErrBusy) {
			t.Fatalf("got %v", err)
		}
		break
	}
}
