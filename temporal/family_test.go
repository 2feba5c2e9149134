package temporal

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"rein/agent"
	"rein/event"
)

const withHelper = `
turns:
- calls: [{name: agent, id: c1, args: {task: look at it, agent: helper}}]
- text: ready
conversations:
- when: look at it
  turns:
  - calls: [{name: note, id: d1, args: {path: a, text: one}}]
  - text: it is one`

// spread is a world in which sub-agents have workflows of their own.
func spread(t *testing.T, turns string) *world {
	w := newWorld(t, turns)
	w.levels = agent.MaxDepth
	return w
}

// child is the session of the first sub-agent.
func (w *world) child(id string) (child string) {
	for e, err := range w.store.Events(w.t.Context(), id, 0) {
		if err == nil && e.Kind == event.SubAgentStarted {
			return e.Child
		}
	}
	return ""
}

// Each depth of sub-agents has a queue of its own on the host: the steps that wait for them hold places of another one.
func TestSubAgentsHaveQueues(t *testing.T) {
	w := spread(t, withHelper)
	w.durable("s1", false, []string{"go"})
	if !slices.Contains(w.queues, "host.agents1 work") || slices.Contains(w.queues, "host.agents2 work") {
		t.Errorf("the steps were on %q", w.queues)
	}
	one := Worker{Host: "host", Own: "host.1", Agents: 2}
	if got := one.queues(); !slices.Equal(got, []string{"host", "host.agents1", "host.agents2", "host.1", "host.1.agents1", "host.1.agents2"}) {
		t.Errorf("%q", got)
	}
}

// A background sub-agent works while its parent asks its model: the steps of both go on beside each other.
func TestASubAgentInTheBackground(t *testing.T) {
	w := spread(t, `
turns:
- calls: [{name: agent, id: c1, args: {task: look at it, agent: helper, background: true}}]
- calls: [{name: read, id: c2, args: {path: a}}]
- text: I wait
- text: ready
conversations:
- when: look at it
  turns:
  - calls: [{name: note, id: d1, args: {path: a, text: one}}]
  - text: it is one`)
	reads := make(chan struct{})
	w.tools = map[string]func(context.Context) error{
		"read": func(context.Context) error { close(reads); return nil },
		"note": func(ctx context.Context) error {
			select {
			case <-reads:
				return nil
			case <-time.After(20 * time.Second):
				return errors.New("the parent waits")
			}
		},
	}
	w.durable("s1", false, []string{"go"})
	all := strings.Join(w.recorded(w.store, "s1"), "\n")
	for _, text := range []string{`"text":"ready"`, "it is one", "wrote a"} {
		if !strings.Contains(all, text) {
			t.Errorf("nothing says %q", text)
		}
	}
	if n := strings.Count(all, `"kind":"sub_agent_stopped"`); n != 1 || strings.Contains(all, "the parent waits") {
		t.Errorf("%d sub-agents stopped", n)
	}
	if t.Failed() {
		t.Log(all)
	}
}

// The user's cancel reaches the call of a sub-agent.
func TestCancelReachesASubAgent(t *testing.T) {
	w := spread(t, withHelper)
	env := w.env()
	w.tools = map[string]func(context.Context) error{"note": func(ctx context.Context) error {
		env.SignalWorkflow(CancelName, "")
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(20 * time.Second):
			return errors.New("nobody cancelled it")
		}
	}}
	send(env, time.Second, Message{Text: "go"})
	env.RegisterDelayedCallback(func() { env.SignalWorkflow(CloseName, "") }, time.Hour)
	env.ExecuteWorkflow(WorkflowName, Session{ID: "s1", Host: "host"})
	for _, id := range []string{"s1", w.child("s1")} {
		if last := w.last(id); last.Stop != event.Cancelled {
			t.Errorf("%s stopped with %+v", id, last)
		}
	}
}

// The budget holds over the tree: a sub-agent gets a part of what is left, and its session of its own passes it as little as one within a step.
func TestTheBudgetOfATree(t *testing.T) {
	turns := `
turns:
- {calls: [{name: agent, id: c1, args: {task: look at it, agent: helper}}], usage: {input: 900, output: 50}}
- text: ready
conversations:
- when: look at it
  turns:
  - {repeat: 50, calls: [{name: read, id: d1, args: {path: a}}], usage: {input: 1500, output: 50}}`
	here, there := newWorld(t, turns), spread(t, turns)
	for _, w := range []*world{here, there} {
		w.change = func(a *agent.Agent) { a.Budget = 40_000 }
	}
	here.alone("s1", false, []string{"go"})
	there.durable("s1", false, []string{"go"})
	want := calm(here.recorded(here.store, "s1"))
	same(t, want, calm(there.recorded(there.store, "s1")))
	if !strings.Contains(strings.Join(want, ""), `"stop":"budget"`) {
		t.Error("no budget was used up")
	}
}

// A step that is lost while it waits for a sub-agent is taken up by another one, which waits for the same sub-agent.
func TestAParentIsLost(t *testing.T) {
	w := spread(t, withHelper)
	lost := false
	w.after = func(in StepInput) error {
		if in.Task == nil && !lost && w.child("s1") != "" {
			lost = true
			return errors.New("the host is gone")
		}
		return nil
	}
	w.durable("s1", false, []string{"go"})
	all := strings.Join(w.recorded(w.store, "s1"), "\n")
	if w.file("a") != "one\n" || !strings.Contains(all, `"text":"ready"`) || strings.Count(all, `"kind":"sub_agent_started"`) != 1 || !lost {
		t.Errorf("the file is %q:\n%s", w.file("a"), all)
	}
}

// A sub-agent that does nothing until somebody helps is given up: its parent goes on, and its workflow ends.
func TestASubAgentInTrouble(t *testing.T) {
	w := spread(t, withHelper)
	w.before = func(in StepInput) error {
		if in.Task != nil {
			return Refused(errors.New("the disk is full"))
		}
		return nil
	}
	env := w.env()
	send(env, time.Second, Message{Text: "go"})
	env.RegisterDelayedCallback(func() {
		if s := state(t, env); len(s.Children) > 0 || s.Stop != event.Done {
			t.Errorf("%+v", s)
		}
		env.SignalWorkflow(CloseName, "")
	}, time.Hour)
	env.ExecuteWorkflow(WorkflowName, Session{ID: "s1", Host: "host"})
	says := ""
	for e, err := range w.store.Events(t.Context(), "s1", 0) {
		if err == nil && e.Result != nil {
			says += e.Result.Text
		}
	}
	if !strings.Contains(says, "its session is in trouble: the disk is full") {
		t.Errorf("the model is told %q", says)
	}
}

// runFamily runs a session whose sub-agent is in the middle of a call when do is called, which then waits until its context ends or go is closed.
func (w *world) runFamily(do func(send func(signal string, arg any)), goes <-chan struct{}) {
	env := w.env()
	w.tools = map[string]func(context.Context) error{"note": func(ctx context.Context) error {
		do(env.SignalWorkflow)
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-goes:
			return nil
		case <-time.After(20 * time.Second):
			return errors.New("nothing happened")
		}
	}}
	send(env, time.Second, Message{ID: "m1", Text: "go"})
	closeAfter(env, 2*time.Hour)
	env.ExecuteWorkflow(WorkflowName, Session{ID: "s1", Host: "host"})
	if err := env.GetWorkflowError(); err != nil {
		w.t.Error(err)
	}
}

// A move takes the sub-agents along: the calls that were at work end on the old host, and the steps that follow are on the new one.
func TestAMoveTakesSubAgentsAlong(t *testing.T) {
	w := spread(t, withHelper)
	moved := false
	w.runFamily(func(send func(string, any)) {
		if !moved {
			moved = true
			send(MoveName, "host2")
		}
	}, nil)
	all := w.lines("s1")
	if !slices.Contains(w.queues, "host2 work") || !slices.Contains(w.queues, "host2.agents1 work") {
		t.Errorf("the steps were on %q", w.queues)
	}
	if last := w.last("s1"); last.Stop != event.Done || strings.Count(all, `"kind":"sub_agent_started"`) != 1 || w.last(w.child("s1")).Stop != event.Done {
		t.Errorf("it stopped with %+v:\n%s", last, all)
	}
	if got := w.file("a"); got != "one\n" {
		t.Errorf("the call ran again: %q", got)
	}
}

// A session that is closed while its sub-agent works ends its turn first.
func TestACloseWaitsForSubAgents(t *testing.T) {
	w := spread(t, withHelper)
	goes := make(chan struct{})
	w.runFamily(func(send func(string, any)) {
		send(CloseName, "")
		time.AfterFunc(200*time.Millisecond, func() { close(goes) })
	}, goes)
	if last := w.last("s1"); last.Stop != event.Done || last.Text != "ready" || w.last(w.child("s1")).Stop != event.Done {
		t.Errorf("it stopped with %+v", last)
	}
}

// A message that comes while a sub-agent works is not lost: one that steers reaches the session with its next request, another one after the turn.
func TestMessagesWhileASubAgentWorks(t *testing.T) {
	w := spread(t, strings.Replace(withHelper, "- text: ready", "- expect: {contains: be quick}\n  text: ready\n- expect: {contains: and then this}\n  text: done", 1))
	goes := make(chan struct{})
	w.runFamily(func(send func(string, any)) {
		send(SendName, Message{ID: "m2", Text: "be quick", Steer: true})
		send(SendName, Message{ID: "m3", Text: "and then this"})
		time.AfterFunc(200*time.Millisecond, func() { close(goes) })
	}, goes)
	all := w.lines("s1")
	quick, ready, then := strings.Index(all, "be quick"), strings.Index(all, `"text":"ready"`), strings.Index(all, "and then this")
	if quick < 0 || ready < quick || then < ready {
		t.Errorf("%d, %d, %d:\n%s", quick, ready, then, all)
	}
}

// lines are the events of a session.
func (w *world) lines(id string) (all string) {
	for e, err := range w.store.Events(w.t.Context(), id, 0) {
		if err != nil {
			w.t.Fatal(err)
		}
		line, err := e.Line(nil)
		if err != nil {
			w.t.Fatal(err)
		}
		all += string(line)
	}
	return all
}

// A step that is done again may ask once more for a sub-agent that is done meanwhile: its journal has the task, and nothing is done twice.
func TestASubAgentThatIsAskedForAgain(t *testing.T) {
	w := spread(t, withHelper)
	var was atomic.Pointer[agent.Assignment]
	w.before = func(in StepInput) error {
		if in.Task != nil {
			was.Store(in.Task)
		}
		return nil
	}
	env := w.env()
	send(env, time.Second, Message{Text: "go"})
	var task agent.Assignment
	env.RegisterDelayedCallback(func() {
		task = *was.Load()
		task.After = w.last(task.ID).Seq
		env.SignalWorkflow(ChildName, ChildTask{task, "host"})
	}, time.Hour)
	env.RegisterDelayedCallback(func() { env.SignalWorkflow(CloseName, "") }, 2*time.Hour)
	env.ExecuteWorkflow(WorkflowName, Session{ID: "s1", Host: "host"})
	again := w.last(task.ID)
	if err := env.GetWorkflowError(); err != nil || task.After == 0 || again.Seq != task.After || again.Stop != event.Done || w.file("a") != "one\n" {
		t.Errorf("%v, the last event was %d and is %+v", err, task.After, again)
	}
}
