package temporal

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"rein/guard"
)

// A sender that can be told that too many messages wait is told. What came as a signal waits, and is not lost.
func TestManyMessagesWait(t *testing.T) {
	w := newWorld(t, oneRisk)
	env := w.env()
	send(env, time.Second, Message{Text: "go"})
	update := func(id, text string) *answered {
		got := &answered{}
		env.UpdateWorkflow(MessageName, "update-"+id, got, Message{ID: id, Text: text, Steer: true})
		return got
	}
	var taken []*answered
	var again, late, long *answered
	env.RegisterDelayedCallback(func() {
		for i := range mostMessages {
			taken = append(taken, update(fmt.Sprint("u", i), "steer"))
		}
		again, late = update("u1", "steer"), update("late", "steer")
		for i := range 5 {
			env.SignalWorkflow(SendName, Message{ID: fmt.Sprint("s", i), Text: fmt.Sprint("signal ", i), Steer: true})
		}
	}, time.Hour)
	env.RegisterDelayedCallback(func() {
		if s := state(t, env); len(s.Messages) != mostMessages {
			t.Errorf("%d messages wait", len(s.Messages))
		}
		env.SetContinueAsNewSuggested(true) // what waits would be lost
		env.SignalWorkflow(RetryName, "")
	}, 2*time.Hour)
	env.RegisterDelayedCallback(func() {
		env.SetContinueAsNewSuggested(false)
		p := state(t, env).Pending[0]
		env.UpdateWorkflow(AnswerName, "yes", &answered{}, Answer{Request: p.ID, Hash: p.Hash, Approved: true, By: guard.ByPerson("Ada")})
	}, 3*time.Hour)
	env.RegisterDelayedCallback(func() { long = update("long", strings.Repeat("x", mostWaiting+1)) }, 4*time.Hour)
	closeAfter(env, 5*time.Hour)
	env.ExecuteWorkflow(WorkflowName, Session{ID: "s1", Host: "host"})
	if err := env.GetWorkflowError(); err != nil {
		t.Fatal(err)
	}
	for i, one := range append(taken, again) {
		if one.err != nil || !one.accepted {
			t.Fatalf("the message %d is refused: %v", i, one.err)
		}
	}
	for _, one := range []struct {
		got  *answered
		says string
	}{{late, "as many as may wait do (200)"}, {long, "would be too long with this one"}} {
		if one.got.err == nil || one.got.accepted || !strings.Contains(one.got.err.Error(), one.says) {
			t.Errorf("%+v does not say %q", one.got, one.says)
		}
	}
	lines := strings.Join(w.recorded(w.store, "s1"), "\n")
	for text, n := range map[string]int{`"steer"`: mostMessages, "signal 0": 1, "signal 4": 1} {
		if got := strings.Count(lines, text); got < n {
			t.Errorf("%q is recorded %d times, not %d", text, got, n)
		}
	}
}

func TestMessagesKeepTheirOrder(t *testing.T) {
	s := &session{}
	for _, m := range []Message{{Text: "a"}, {Text: "b", Steer: true}, {Text: "c"}, {Text: "d", Steer: true}, {}} {
		s.take(m)
	}
	var order string
	for _, m := range s.Messages {
		order += m.Text
	}
	if order != "bdac" {
		t.Errorf("the order is %s", order)
	}
}
