package temporal

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"rein/event"
	"rein/guard"
)

// A host that asks models does what comes next in the same step, up to where the workflow has something for it.
func TestATurnInOneStep(t *testing.T) {
	message := Message{ID: "m2", Text: "and this", Steer: true}
	for _, row := range []struct {
		rule   string
		state  State // of the workflow, when it is asked for the third time
		models string
		fails  bool // the requests
		want   []string
	}{
		{rule: "a whole turn", state: State{Host: "host"}, want: []string{"host work"}},
		{rule: "a message has come", state: State{Host: "host", Messages: []Message{message}}, want: []string{"host work", "rein-models ask", "host work"}},
		{rule: "the user cancels", state: State{Host: "host", Cancel: true}, want: []string{"host work", "rein-models ask", "host work"}},
		{rule: "the session has another host", state: State{Host: "other"}, want: []string{"host work", "rein-models ask", "host work"}},
		{rule: "the models are those of another team", state: State{Host: "host"}, models: "rein-models-tea",
			want: []string{"host work", "rein-models-tea ask", "host work", "rein-models-tea ask", "host work", "rein-models-tea ask", "host work"}},
		{rule: "the requests fail", state: State{Host: "host"}, fails: true, want: []string{"host work", "rein-models ask", "host work"}},
	} {
		t.Run(row.rule, func(t *testing.T) {
			w := newWorld(t, twoNotes)
			asked := 0
			w.state = func() State {
				if asked++; asked < 3 {
					return State{Host: "host"}
				}
				s := row.state
				if asked > 3 { // it has done what it had to
					s = State{Host: "host"}
				}
				return s
			}
			if row.fails {
				w.store = &failing{Store: w.store, at: 4}
			}
			env := w.env()
			send(env, time.Second, Message{ID: "m1", Text: "go"})
			closeAfter(env, time.Hour)
			env.ExecuteWorkflow(WorkflowName, Session{ID: "s1", Host: "host", Models: row.models})
			if last := w.last("s1"); env.GetWorkflowError() != nil || last.Stop != event.Done || w.file("a") != "one\n" {
				t.Errorf("%v; it stopped with %+v", env.GetWorkflowError(), last)
			}
			if s := state(t, env); s.Steps != len(row.want) || !slices.Equal(w.queues, row.want) || s.Carried.Message.Calls != 3 || len(s.Messages) > 0 {
				t.Errorf("the steps were %q, with the state %+v", w.queues, s)
			}
		})
	}
}

// failing is a store that does not open a journal once.
type failing struct {
	Store
	at, opened int
}

func (f *failing) Open(ctx context.Context, session string) (Log, error) {
	if f.opened++; f.opened == f.at {
		return nil, errors.New("the store is away")
	}
	return f.Store.Open(ctx, session)
}

// A call that is at work in the middle of such a step, when its host is lost, is not run again.
func TestALostTurn(t *testing.T) {
	w := newWorld(t, oneRisk)
	w.state = func() State { return State{Host: "host"} }
	w.store = &dying{Store: w.store}
	ran := 0
	w.tools = map[string]func(context.Context) error{"risky": func(context.Context) error {
		ran++
		w.store.(*dying).kill()
		return nil
	}}
	env := w.env()
	send(env, time.Second, Message{Text: "go"})
	env.RegisterDelayedCallback(func() {
		p := state(t, env).Pending[0]
		env.UpdateWorkflow(AnswerName, "yes", &answered{}, Answer{Request: p.ID, Hash: p.Hash, Approved: true, By: guard.ByPerson("Ada")})
	}, time.Hour)
	closeAfter(env, 2*time.Hour)
	env.ExecuteWorkflow(WorkflowName, Session{ID: "s1", Host: "host"})
	if last := w.last("s1"); last.Stop != event.Done || ran != 1 {
		t.Errorf("it ran %d times, and stopped with %+v", ran, last)
	}
}
