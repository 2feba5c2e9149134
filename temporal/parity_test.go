package temporal

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"slices"
	"strings"
	"testing"
	"time"

	"rein/agent"
	"rein/event"
	"rein/guard"
	"rein/hook"
	"rein/model"
	"rein/schema"
)

// scripts are sessions that run in one process and on Temporal, with the same transcripts.
var scripts = []struct {
	name   string
	turns  string
	change func(*agent.Agent)
	deny   bool // the approval requests are denied
	more   string
	stop   event.Stop
}{
	{name: "an answer", turns: "turns: [{text: hello}]"},
	{name: "two messages", turns: "turns: [{text: hello}, {text: good}]", more: "how are you?"},
	{name: "calls at once", turns: twoNotes},
	{name: "calls that wait for one another", turns: `
turns:
- calls: [{name: note, id: c1, args: {path: a, text: one}}, {name: note, id: c2, args: {path: a, text: two}}, {name: read, id: c3, args: {path: a}}]
- text: ready`},
	{name: "calls that are wrong", turns: `
turns:
- calls: [{name: nothing, id: c1, args: {}}, {name: read, id: c2, args: {file: a}}, {name: read, id: c3, args: {path: missing}}, {name: note, id: c4, args: '{"path": "a", "text": "x"'}]
- text: ready`},
	{name: "thinking, and a text beside calls", turns: `
turns:
- {think: I look first., text: I look., calls: [{name: note, id: c1, args: {path: a, text: one}}]}
- text: ready`},
	{name: "an approval", turns: oneRisk, more: "once more"},
	{name: "a denial", turns: oneRisk, deny: true},
	{name: "two approvals", turns: `
turns:
- calls: [{name: risky, id: c1, args: {path: a, text: one}}, {name: risky, id: c2, args: {path: b, text: two}}]
- text: ready`},
	{name: "a sub-agent", turns: `
turns:
- calls: [{name: agent, id: c1, args: {task: look at it, agent: helper}}]
- text: ready
conversations:
- when: look at it
  turns:
  - calls: [{name: note, id: d1, args: {path: a, text: one}}]
  - text: it is one`},
	{name: "a sub-agent that waits", turns: `
turns:
- calls: [{name: agent, id: c1, args: {task: look at it, agent: helper}}, {name: note, id: c2, args: {path: b, text: two}}]
- text: ready
conversations:
- when: look at it
  turns:
  - calls: [{name: risky, id: d1, args: {path: a, text: one}}]
  - text: it is one`},
	{name: "a list of sub-agents", turns: `
turns:
- calls: [{name: agent, id: c1, args: {task: "look at {item}", agent: helper, items: [x, y, z]}}]
- text: ready
conversations:
- when: look at
  turns:
  - text: it is there`},
	{name: "sub-agents of sub-agents", turns: `
turns:
- calls: [{name: agent, id: c1, args: {task: look at it, agent: helper}}]
- text: ready
conversations:
- when: look at it
  turns:
  - calls: [{name: agent, id: d1, args: {task: ask around, agent: helper}}]
  - text: it is one
- when: ask around
  turns:
  - calls: [{name: risky, id: e1, args: {path: a, text: one}}]
  - text: they say one`},
	{name: "a typed answer", turns: `turns: [{text: three}, {text: '{"n": 3}'}]`, change: func(a *agent.Agent) {
		a.Output, _ = schema.Parse(json.RawMessage(`{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]}`))
	}},
	{name: "an answer of the wrong type, twice", turns: `turns: [{text: three}, {text: four}]`, change: func(a *agent.Agent) {
		a.Output, _ = schema.Parse(json.RawMessage(`{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]}`))
	}, stop: event.Failed},
	{name: "the limit of requests", turns: `turns: [{repeat: 5, calls: [{name: read, id: c1, args: {path: a}}]}]`, change: func(a *agent.Agent) { a.MaxTurns = 3 }, stop: event.MaxTurns},
	{name: "the limit of calls", turns: `
turns:
- calls: [{name: read, id: c1, args: {path: a}}, {name: read, id: c2, args: {path: a}}]
- text: that is all`, change: func(a *agent.Agent) { a.Limits.Message = agent.Amount{Calls: 2} }, stop: event.Budget},
	{name: "the limit of tokens", turns: `
turns:
- {calls: [{name: read, id: c1, args: {path: a}}], usage: {input: 900, output: 50}}
- text: that is all`, change: func(a *agent.Agent) { a.Budget = 1000 }, stop: event.Budget},
	{name: "the limit of tokens, and calls in the last answer", turns: `turns: [{repeat: 50, calls: [{name: read, id: c1, args: {path: a}}], usage: {input: 900, output: 50}}]`,
		change: func(a *agent.Agent) { a.Budget = 4000 }, stop: event.Budget},
	{name: "a plan first", turns: `
turns:
- text: I will read it.
- calls: [{name: read, id: c1, args: {path: a}}]
- text: ready`, change: func(a *agent.Agent) { a.ThinkFirst = true }},
	{name: "a failure of the provider", turns: `
turns:
- calls: [{name: read, id: c1, args: {path: a}}]
- error: {status: 400, text: it does not like it}`, stop: event.Failed},
	{name: "a pause, and an answer that cannot be read", turns: `
turns:
- {text: …, stop: pause}
- {text: 'a call, perhaps', stop: malformed}
- text: ready`},
	{name: "a compaction", turns: `
context: 8000
turns:
- calls: [{name: note, id: c1, args: {path: a, text: ` + strings.Repeat("words and more words ", 100) + `}}]
- {repeat: 8, calls: [{name: read, id: c2, args: {path: a}}]}
- text: ready`},
	{name: "a compaction that hooks see", turns: `
context: 8000
turns:
- calls: [{name: note, id: c1, args: {path: a, text: ` + strings.Repeat("words and more words ", 100) + `}}]
- {repeat: 8, calls: [{name: read, id: c2, args: {path: a}}]}
- text: ready`, change: compactHooks(false)},
	{name: "a compaction that a hook denies", turns: `
context: 8000
turns:
- calls: [{name: note, id: c1, args: {path: a, text: ` + strings.Repeat("words and more words ", 100) + `}}]
- {repeat: 8, calls: [{name: read, id: c2, args: {path: a}}]}
- text: ready`, change: compactHooks(true)},
}

// compactHooks are hooks that see compactions, and change what the model reads; with deny the first one does not let it happen.
func compactHooks(deny bool) func(*agent.Agent) {
	return func(a *agent.Agent) {
		a.Calls.Hooks = hook.NewSet(hook.Hook{Name: "before", Event: hook.PreCompact, Run: func(_ context.Context, in hook.Input) (hook.Output, error) {
			if deny {
				return hook.Output{Decision: hook.Deny, Reason: "not now"}, nil
			}
			return hook.Output{Notice: "before " + in.Why}, nil
		}}, hook.Hook{Name: "after", Event: hook.PostCompact, Run: func(_ context.Context, in hook.Input) (hook.Output, error) {
			return hook.Output{Notice: fmt.Sprint("after ", in.Why, " ", in.Text != "")}, nil
		}})
	}
}

func TestTheSameTranscript(t *testing.T) {
	for _, row := range scripts {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			worlds := make([]*world, 5)
			for i := range worlds {
				worlds[i] = newWorld(t, row.turns)
				worlds[i].change = row.change
			}
			here, whole, spread, spreadWhole := worlds[0], worlds[2], worlds[3], worlds[4] // worlds[1] is a host and a worker for models
			spread.levels, spreadWhole.levels = agent.MaxDepth, agent.MaxDepth
			messages := []string{"go"}
			if row.more != "" {
				messages = append(messages, row.more)
			}
			last := here.alone("s1", row.deny, messages)
			if want := row.stop; last.Stop != want && !(want == "" && last.Stop == event.Done) {
				t.Errorf("in one process it stopped with %+v", last)
			}
			want := calm(here.recorded(here.store, "s1"))
			if row.name == "a compaction" && !strings.Contains(strings.Join(want, ""), `"kind":"compacted"`) {
				t.Error("nothing was compacted")
			}
			whole.state = func() State { return State{Host: "host"} }
			spreadWhole.state = whole.state
			for _, w := range worlds[1:] {
				if w.levels > 0 && !strings.Contains(row.turns, "name: agent,") {
					continue
				}
				w.durable("s1", row.deny, messages)
				same(t, want, calm(w.recorded(w.store, "s1")))
				if here.file("a") != w.file("a") || here.file("b") != w.file("b") {
					t.Errorf("the files differ: %q and %q", here.file("a"), w.file("a"))
				}
			}
			if row.stop != event.Failed && slices.Contains(whole.queues, DefaultModels+" ask") {
				t.Errorf("a host that asks models left something to others: %q", whole.queues)
			}
		})
	}
}

func same(t *testing.T, want, got []string) {
	t.Helper()
	if slices.Equal(want, got) {
		return
	}
	for i := range min(len(want), len(got)) {
		if want[i] != got[i] {
			t.Errorf("line %d in one process:\n%.1000s\non Temporal:\n%.1000s", i, want[i], got[i])
			break
		}
	}
	t.Errorf("%d lines in one process, %d on Temporal", len(want), len(got))
	for _, lines := range [][]string{want, got} {
		t.Logf("beyond the others: %.3000q", lines[min(len(want), len(got)):])
	}
}

// calm brings the events of calls that run at once into one order.
func calm(lines []string) []string {
	within := func(line string) bool {
		return strings.Contains(line, `"call":{`) && !strings.Contains(line, `"kind":"called"`)
	}
	for i := 0; i < len(lines); i++ {
		end := i
		for end < len(lines) && within(lines[end]) {
			end++
		}
		slices.Sort(lines[i:end])
		i = max(i, end-1)
	}
	return lines
}

// alone runs a session in this process.
func (w *world) alone(id string, deny bool, messages []string) (last event.Event) {
	w.t.Helper()
	a := w.agent()
	a.Calls.Approver = guard.ApproverFunc((&step{}).later)
	ctx := w.t.Context()
	log, err := w.store.Open(ctx, id)
	if err != nil {
		w.t.Fatal(err)
	}
	defer log.Close()
	s := a.Start(agent.SessionOptions{ID: id, Journal: log,
		Child: func(id string) (event.Journal, error) { return w.store.Open(ctx, id) },
		Past:  func(id string) iter.Seq2[event.Event, error] { return w.store.Events(ctx, id, 0) }})
	run := func(events iter.Seq2[event.Event, error]) {
		for e, err := range events {
			if e.Kind != event.Stopped && err != nil {
				w.t.Fatal(err)
			}
			last = e
		}
	}
	for _, text := range messages {
		run(s.Send(ctx, model.Text(text)))
		for last.Stop == event.Waiting {
			var all []Pending
			for _, p := range s.Pending() {
				all = append(all, Pending{ID: p.ID, Session: p.Session, Hash: p.Hash})
			}
			p := w.first(all)
			if err := s.Answer(p.ID, answerTo(p, deny).guard()); err != nil {
				w.t.Fatal(err)
			}
			run(s.Resume(ctx))
		}
	}
	return last
}

// first is the request of those that wait which has the first arguments: calls that are judged at once ask in any order.
func (w *world) first(all []Pending) Pending {
	args := map[string]string{}
	for _, p := range all {
		for e, err := range w.store.Events(w.t.Context(), p.Session, 0) {
			if err == nil && e.Kind == event.ApprovalRequested && strings.HasSuffix(p.ID, e.Call.ID) {
				args[p.ID] = string(e.Call.Args)
			}
		}
	}
	return slices.MinFunc(all, func(a, b Pending) int { return strings.Compare(args[a.ID], args[b.ID]) })
}

func answerTo(p Pending, deny bool) Answer {
	return Answer{Request: p.ID, Hash: p.Hash, Approved: !deny, By: guard.ByPerson("Ada")}
}

// durable runs it on Temporal.
func (w *world) durable(id string, deny bool, messages []string) {
	w.t.Helper()
	env := w.env()
	var look func()
	look = func() {
		s := state(w.t, env)
		switch {
		case s.Trouble != "":
			w.t.Error(s.Trouble)
			env.SignalWorkflow(CloseName, "")
			return
		case len(s.Pending) > 0 && len(s.Answers) == 0:
			env.UpdateWorkflow(AnswerName, "", &answered{}, answerTo(w.first(s.Pending), deny))
		case s.Due == "" && s.Working == "" && len(messages) > 0:
			env.SignalWorkflow(SendName, Message{Text: messages[0]})
			messages = messages[1:]
		case s.Due == "" && s.Working == "":
			env.SignalWorkflow(CloseName, "")
			return
		}
		env.RegisterDelayedCallback(look, time.Minute)
	}
	env.RegisterDelayedCallback(look, time.Second)
	env.ExecuteWorkflow(WorkflowName, Session{ID: id, Host: "host"})
	if err := env.GetWorkflowError(); err != nil {
		w.t.Fatal(err)
	}
}
