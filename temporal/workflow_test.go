package temporal

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/testsuite"
	"go.temporal.io/sdk/workflow"

	"rein/event"
	"rein/guard"
)

const twoNotes = `
turns:
- calls: [{name: note, id: c1, args: {path: a, text: one}}, {name: note, id: c2, args: {path: b, text: two}}]
- calls: [{name: read, id: c3, args: {path: a}}]
- text: ready
`

const oneRisk = `
turns:
- calls: [{name: risky, id: c1, args: {path: a, text: one}}, {name: note, id: c2, args: {path: b, text: two}}]
- text: ready
- text: again
`

func send(env *testsuite.TestWorkflowEnvironment, after time.Duration, m Message) {
	env.RegisterDelayedCallback(func() { env.SignalWorkflow(SendName, m) }, after)
}

func closeAfter(env *testsuite.TestWorkflowEnvironment, after time.Duration) {
	env.RegisterDelayedCallback(func() { env.SignalWorkflow(CloseName, "") }, after)
}

func (w *world) file(name string) string {
	text, err := os.ReadFile(filepath.Join(w.root, name))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		w.t.Fatal(err)
	}
	return string(text)
}

// last is how the session stopped, and with which answer.
func (w *world) last(id string) (last event.Event) {
	for e, err := range w.store.Events(w.t.Context(), id, 0) {
		if err != nil {
			w.t.Fatal(err)
		}
		last = e
	}
	return last
}

func TestASessionRuns(t *testing.T) {
	w := newWorld(t, twoNotes)
	env := w.env()
	send(env, time.Second, Message{ID: "m1", Text: "go"})
	send(env, 2*time.Second, Message{ID: "m1", Text: "go"}) // a client that did not hear of the first
	closeAfter(env, time.Hour)
	env.ExecuteWorkflow(WorkflowName, Session{ID: "s1", Host: "host"})
	if err := env.GetWorkflowError(); err != nil {
		t.Fatal(err)
	}
	if last := w.last("s1"); last.Stop != event.Done || last.Text != "ready" {
		t.Errorf("it stopped with %+v", last)
	}
	if w.file("a") != "one\n" || w.file("b") != "two\n" {
		t.Errorf("the files are %q and %q", w.file("a"), w.file("b"))
	}
	if s := state(t, env); s.Steps != 7 || s.Due != "" || s.Carried.Message.Calls != 3 || s.Usage.Output == 0 {
		t.Errorf("the state is %+v", s)
	}
}

// A person answers after two days; who is no person does not count, nor an answer to something else, nor a second one.
func TestAPersonAnswersAfterTwoDays(t *testing.T) {
	w := newWorld(t, strings.ReplaceAll(oneRisk, "one}", "person}"))
	env := w.env()
	var check []func()
	send(env, time.Second, Message{Text: "go"})
	env.RegisterDelayedCallback(func() {
		s := state(t, env)
		if len(s.Pending) != 1 || !s.Pending[0].PersonOnly || s.Stop != event.Waiting || w.file("a") != "" || w.file("b") != "two\n" {
			t.Errorf("it waits with %+v", s)
			return
		}
		p := s.Pending[0]
		for _, row := range []struct {
			rule string
			a    Answer
			says string // ""; it counts
		}{
			{"by nobody", Answer{Request: p.ID, Hash: p.Hash, Approved: true}, "does not say who"},
			{"by a rule", Answer{Request: p.ID, Hash: p.Hash, Approved: true, By: guard.ByRule("all")}, "only a person"},
			{"for another call", Answer{Request: p.ID, Hash: "x", Approved: true, By: guard.ByPerson("Ada")}, "another one"},
			{"for no call", Answer{Request: "c2", Hash: p.Hash, Approved: true, By: guard.ByPerson("Ada")}, "no such approval request"},
			{"for a scope that is none", Answer{Request: p.ID, Hash: p.Hash, Approved: true, By: guard.ByPerson("Ada"), Scope: "world"}, "no scope"},
			{"by a person", Answer{Request: p.ID, Hash: p.Hash, Approved: true, By: guard.ByPerson("Ada"), From: "test"}, ""},
			{"a second one", Answer{Request: p.ID, Hash: p.Hash, By: guard.ByPerson("Bob")}, "no such approval request"},
		} {
			got := &answered{}
			env.UpdateWorkflow(AnswerName, row.rule, got, row.a)
			check = append(check, func() {
				if row.says == "" && got.err != nil || row.says != "" && (got.err == nil || !strings.Contains(got.err.Error(), row.says)) {
					t.Errorf("%s: %+v", row.rule, got)
				}
			})
		}
	}, 48*time.Hour)
	closeAfter(env, 49*time.Hour)
	began := time.Now()
	env.ExecuteWorkflow(WorkflowName, Session{ID: "s1", Host: "host"})
	if err := env.GetWorkflowError(); err != nil {
		t.Fatal(err)
	}
	for _, answer := range check {
		answer()
	}
	if last := w.last("s1"); last.Stop != event.Done || last.Text != "ready" || w.file("a") != "person\n" || w.file("b") != "two\n" {
		t.Errorf("it stopped with %+v after %v", last, time.Since(began))
	}
	for e := range w.store.Events(t.Context(), "s1", 0) {
		if e.Kind == event.Granted && e.Call.ID == "c1" && (e.Answer == nil || e.Answer.By != "user Ada" || e.Answer.From != "test") {
			t.Errorf("it is recorded as %+v", e.Answer)
		}
	}
}

func TestADenialReachesTheModel(t *testing.T) {
	w := newWorld(t, oneRisk)
	env := w.env()
	send(env, time.Second, Message{Text: "go"})
	env.RegisterDelayedCallback(func() {
		p := state(t, env).Pending[0]
		env.UpdateWorkflow(AnswerName, "no", &answered{}, Answer{Request: p.ID, Hash: p.Hash, By: guard.ByPerson(""), Words: "not now"})
	}, time.Hour)
	closeAfter(env, 2*time.Hour)
	env.ExecuteWorkflow(WorkflowName, Session{ID: "s1", Host: "host"})
	if last := w.last("s1"); last.Stop != event.Done || w.file("a") != "" {
		t.Errorf("it stopped with %+v, and wrote %q", last, w.file("a"))
	}
	if lines := strings.Join(w.recorded(w.store, "s1"), "\n"); !strings.Contains(lines, "The user denied this call: not now") {
		t.Errorf("the model is not told: %s", lines)
	}
}

// A cancel ends a turn that waits, and one whose call is at work; messages that came before it stay.
func TestCancel(t *testing.T) {
	t.Run("a turn that waits", func(t *testing.T) {
		w := newWorld(t, oneRisk)
		env := w.env()
		send(env, time.Second, Message{Text: "go"})
		env.RegisterDelayedCallback(func() { env.SignalWorkflow(CancelName, "") }, time.Hour)
		send(env, 2*time.Hour, Message{Text: "go on"})
		closeAfter(env, 3*time.Hour)
		env.ExecuteWorkflow(WorkflowName, Session{ID: "s1", Host: "host"})
		var stops []event.Stop
		for e := range w.store.Events(t.Context(), "s1", 0) {
			if e.Kind == event.Stopped {
				stops = append(stops, e.Stop)
			}
		}
		if !slices.Equal(stops, []event.Stop{event.Waiting, event.Cancelled, event.Done}) || w.file("a") != "" {
			t.Errorf("it stopped with %v, and wrote %q", stops, w.file("a"))
		}
	})
	for rule, says := range map[string]func() State{"a call at work": nil, "a call at work in the step of a whole turn": func() State { return State{Host: "host"} }} {
		t.Run(rule, func(t *testing.T) {
			w := newWorld(t, twoNotes)
			w.state = says
			env := w.env()
			begun := make(chan struct{})
			w.tools = map[string]func(context.Context) error{"read": func(ctx context.Context) error {
				close(begun)
				<-ctx.Done()
				return ctx.Err()
			}}
			send(env, time.Second, Message{Text: "go"})
			go func() {
				<-begun
				env.SignalWorkflow(CancelName, "")
				env.SignalWorkflow(CloseName, "")
			}()
			env.ExecuteWorkflow(WorkflowName, Session{ID: "s1", Host: "host"})
			if last := w.last("s1"); last.Stop != event.Cancelled {
				t.Errorf("it stopped with %+v", last)
			}
		})
	}
}

// A step that is lost with its worker is taken up by the next one: what has effects does not run again, and what only reads does.
func TestALostStep(t *testing.T) {
	for _, row := range []struct {
		rule, tool string
		ran        int
		says       string
	}{
		{"what has effects", "note", 1, "outcome is unknown"},
		{"what only reads", "read", 2, "one"},
	} {
		t.Run(row.rule, func(t *testing.T) {
			w := newWorld(t, strings.ReplaceAll(`
turns:
- calls: [{name: note, id: c0, args: {path: a, text: one}}]
- calls: [{name: TOOL, id: c1, args: {path: a}}]
- text: ready
`, "TOOL", row.tool))
			w.store = &dying{Store: w.store}
			env := w.env()
			ran, dead := 0, false
			w.tools = map[string]func(context.Context) error{row.tool: func(context.Context) error {
				if row.tool == "note" && w.file("a") == "one\n" {
					return nil // the first note
				}
				if ran++; !dead {
					dead = true
					w.store.(*dying).kill() // nothing that it does after this is seen by anybody
				}
				return nil
			}}
			send(env, time.Second, Message{Text: "go"})
			closeAfter(env, time.Hour)
			env.ExecuteWorkflow(WorkflowName, Session{ID: "s1", Host: "host"})
			last := w.last("s1")
			lines := strings.Join(w.recorded(w.store, "s1"), "\n")
			if last.Stop != event.Done || ran != row.ran || !strings.Contains(lines, row.says) {
				t.Errorf("it ran %d times, and stopped with %+v:\n%s", ran, last, lines)
			}
		})
	}
}

// dying is a store whose process can be killed: the journals that are open then take nothing more.
type dying struct {
	Store
	open []*held
}

func (d *dying) Open(ctx context.Context, session string) (Log, error) {
	log, err := d.Store.Open(ctx, session)
	if err != nil {
		return nil, err
	}
	h := &held{Log: log}
	d.open = append(d.open, h)
	return h, nil
}

func (d *dying) kill() {
	for _, h := range d.open {
		h.fail(errors.New("the process is dead"))
	}
	d.open = nil
}

// What the server suggests happens between two steps, and the next run goes on with all that the first one knew.
func TestContinueAsNew(t *testing.T) {
	w := newWorld(t, oneRisk)
	env := w.env()
	send(env, time.Second, Message{Text: "go", ID: "m1"})
	send(env, time.Hour, Message{Text: "and this", ID: "m2"})
	env.RegisterDelayedCallback(func() {
		env.SetContinueAsNewSuggested(true)
		env.SignalWorkflow(RetryName, "")
	}, 2*time.Hour)
	env.ExecuteWorkflow(WorkflowName, Session{ID: "s1", Host: "host", About: []byte(`{"a":1}`)})
	var next *workflow.ContinueAsNewError
	if err := env.GetWorkflowError(); !errors.As(err, &next) {
		t.Fatalf("got %v", err)
	}
	var in Session
	if err := converter.GetDefaultDataConverter().FromPayloads(next.Input, &in); err != nil {
		t.Fatal(err)
	}
	if in.State == nil || len(in.State.Pending) != 1 || len(in.State.Messages) != 1 || in.State.Seq == 0 || in.State.Carried.Message.Calls != 2 || string(in.About) != `{"a":1}` {
		t.Fatalf("the next run has %+v", in.State)
	}
	env = w.env()
	send(env, time.Second, Message{Text: "and this", ID: "m2"}) // sent again by a client that did not hear of it
	env.RegisterDelayedCallback(func() {
		p := state(t, env).Pending[0]
		env.UpdateWorkflow(AnswerName, "yes", &answered{}, Answer{Request: p.ID, Hash: p.Hash, Approved: true, By: guard.ByPerson("Ada")})
	}, time.Hour)
	closeAfter(env, 2*time.Hour)
	env.ExecuteWorkflow(WorkflowName, in)
	if last := w.last("s1"); env.GetWorkflowError() != nil || last.Stop != event.Done || last.Text != "again" || w.file("a") != "one\n" || w.file("b") != "two\n" {
		t.Errorf("%v; it stopped with %+v", env.GetWorkflowError(), last)
	}
}

// A session whose host is gone continues on another one. Its answer is not lost, and the step that waited for the old host is stopped.
func TestMove(t *testing.T) {
	w := newWorld(t, oneRisk)
	env := w.env()
	send(env, time.Second, Message{Text: "go"})
	env.RegisterDelayedCallback(func() {
		env.SignalWorkflow(MoveName, "host-b")
		p := state(t, env).Pending[0]
		env.UpdateWorkflow(AnswerName, "yes", &answered{}, Answer{Request: p.ID, Hash: p.Hash, Approved: true, By: guard.ByPerson("Ada")})
	}, time.Hour)
	closeAfter(env, 2*time.Hour)
	env.ExecuteWorkflow(WorkflowName, Session{ID: "s1", Host: "host-a"})
	if s := state(t, env); s.Host != "host-b" || w.last("s1").Stop != event.Done || w.file("a") != "one\n" {
		t.Errorf("%+v, %+v", s, w.last("s1"))
	}
	if want := []string{"host-a work", "rein-models ask", "host-a work", "host-b work", "rein-models ask", "host-b work"}; !slices.Equal(w.queues, want) {
		t.Errorf("the steps ran on %q", w.queues)
	}
}
