package temporal

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"rein/event"
	"rein/guard"
)

// A host that makes the workspace of a session gets its next steps itself, hears what was kept, tells the model where the workspace is another
// one, and hears of the end of the session.
func TestAHostThatMakesTheWorkspace(t *testing.T) {
	for rule, says := range map[string]func() State{"step by step": nil, "a turn in a step": func() State { return State{Host: "host"} }} {
		t.Run(rule, func(t *testing.T) {
			w := newWorld(t, oneRisk)
			w.state = says
			var kept []string
			ended, told, moved, busy := 0, false, false, 2
			one := w.worked()
			w.open = func(ctx context.Context, o Opening) (Opened, error) {
				kept = append(kept, o.Kept)
				a, _, err := one.Agent(ctx, o.Session.ID, o.About)
				if err != nil {
					return Opened{}, err
				}
				s, err := o.load(ctx, a)
				opened := Opened{Session: s, Host: "host-own", Ends: true}
				if moved {
					opened.Host = "host-other"
				}
				if moved && !told {
					opened.Tell = "it is another one"
				}
				opened.Keep = func(_ context.Context, now bool) (string, error) {
					if busy--; busy >= 0 { // the step is done again, and finds that nothing is left but this
						return "", errors.New("the bucket answers 503")
					}
					told = told || now
					return fmt.Sprint("kept-", len(kept)), nil
				}
				return opened, err
			}
			w.end = func(_ context.Context, o Opening) error {
				ended++
				if o.Kept == "" || o.Session.ID != "s1" {
					t.Errorf("the host hears of the end of %+v", o)
				}
				return nil
			}
			env := w.env()
			send(env, time.Second, Message{Text: "go"})
			env.RegisterDelayedCallback(func() {
				if s := state(t, env); s.Host != "host-own" || s.Kept == "" || !s.Ends {
					t.Errorf("after its first steps: %+v", s)
				}
				moved = true
				env.SignalWorkflow(MoveName, "host")
				p := state(t, env).Pending[0]
				env.UpdateWorkflow(AnswerName, "yes", &answered{}, Answer{Request: p.ID, Hash: p.Hash, Approved: true, By: guard.ByPerson("Ada")})
			}, time.Hour)
			closeAfter(env, 2*time.Hour)
			env.ExecuteWorkflow(WorkflowName, Session{ID: "s1", Host: "host", About: json.RawMessage(`{}`)})
			var kinds []event.Kind
			for e := range w.store.Events(t.Context(), "s1", 0) {
				if e.Kind == event.Hinted && e.Text == "it is another one" || e.Kind == event.Replied {
					kinds = append(kinds, e.Kind)
				}
			}
			if last := w.last("s1"); env.GetWorkflowError() != nil || last.Stop != event.Done || ended != 1 || !told {
				t.Errorf("%v; it stopped with %+v; ended %d times, told %v", env.GetWorkflowError(), last, ended, told)
			}
			if want := []event.Kind{event.Replied, event.Replied, event.Hinted}; !slices.Equal(kinds, want) {
				t.Errorf("the model gets %v", kinds)
			}
			if kept[0] != "" || slices.Contains(kept[3:], "") {
				t.Errorf("the steps hear of %q", kept)
			}
			if first, last := w.queues[0], w.queues[len(w.queues)-1]; first != "host work" || last != "host-other end" {
				t.Errorf("the steps were %q", w.queues)
			}
		})
	}
}
