package extend_test

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"rein/agent"
	"rein/app/extend"
	"rein/event"
	"rein/guard"
	"rein/journal"
	"rein/model"
	"rein/tool"
	"rein/toolcall"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// brain is a model that decides by what it reads. It may be asked by many sessions at once.
type brain func(ctx context.Context, r *model.Request) (*model.Message, error)

func (brain) Info() model.Info { return model.Info{Provider: "script", Name: "brain"} }

func (b brain) Stream(ctx context.Context, r *model.Request) iter.Seq2[model.Chunk, error] {
	return func(yield func(model.Chunk, error) bool) {
		m, err := b(ctx, r)
		if err != nil {
			yield(model.Chunk{}, err)
			return
		}
		stop := model.StopEnd
		if len(m.Calls()) > 0 {
			stop = model.StopCalls
		}
		yield(model.Chunk{Kind: model.Done, Message: m, Stop: stop, Usage: model.Usage{Input: 10, Output: 5}}, nil)
	}
}

func says(text string) *model.Message {
	return &model.Message{Role: model.Assistant, Parts: []model.Part{model.Text(text)}}
}

func calls(name string, args ...any) *model.Message {
	m := &model.Message{Role: model.Assistant}
	for _, a := range args {
		raw, _ := json.Marshal(a)
		m.Parts = append(m.Parts, model.Part{Kind: model.CallKind, ID: model.NewID(), Name: name, Args: string(raw)})
	}
	return m
}

// isChild reports whether a sub-agent asks, and which message it got last.
func isChild(r *model.Request) bool { return strings.Contains(r.System, "You are now the sub-agent") }

// last is the text of the last message: the results of calls, or a message of the user.
func last(r *model.Request) string {
	var b strings.Builder
	for _, p := range r.Messages[len(r.Messages)-1].Parts {
		b.WriteString(p.Text)
	}
	return b.String()
}

// boss is an agent whose team has a general and a reading kind, and whose tool "touch" writes.
func boss(t testing.TB, think brain) (*agent.Agent, *extend.Team) {
	t.Helper()
	touch := tool.New("touch", "writes", tool.Writes, func(ctx context.Context, in struct {
		Path string `json:"path"`
	}, r *tool.Reply) error {
		fmt.Fprintf(r, "touched %s", in.Path)
		return nil
	})
	touch.Intent = func(raw json.RawMessage) (tool.Intent, error) { return tool.Intent{Writes: []string{"x"}}, nil }
	look := tool.New("look", "reads", tool.Reads, func(_ context.Context, _ struct{}, r *tool.Reply) error {
		fmt.Fprint(r, "looked")
		return nil
	})
	set, err := tool.NewSet(touch, look)
	if err != nil {
		t.Fatal(err)
	}
	tm := &extend.Team{Definitions: []agent.Definition{
		{About: agent.About{Name: "general", Description: "does anything"}},
		{About: agent.About{Name: "explore", Description: "reads"}, Tools: []string{"look"}, Mode: "read-only"},
	}}
	allow := guard.Func(func(context.Context, guard.Case) guard.Verdict { return guard.Verdict{} })
	return &agent.Agent{Model: think, Team: tm, Calls: &toolcall.Runner{Tools: set, Guard: allow, Mode: guard.Full}}, tm
}

func run(t testing.TB, s iter.Seq2[event.Event, error]) (all []event.Event, end event.Event) {
	t.Helper()
	for e, err := range s {
		if err != nil {
			t.Fatalf("%s: %v", e.Text, err)
		}
		all = append(all, e)
		end = e
	}
	return all, end
}

func TestFanOutGivesTheAnswersAndTheFailuresApart(t *testing.T) {
	think := func(_ context.Context, r *model.Request) (*model.Message, error) {
		switch {
		case isChild(r) && strings.Contains(last(r), "bad"):
			return nil, &model.Error{Kind: model.BadRequest, Text: "no"}
		case isChild(r) && strings.Contains(last(r), "Answer again"):
			return says(`{"n": 7}`), nil
		case isChild(r) && strings.Contains(last(r), "two"):
			return says("it is seven"), nil
		case isChild(r):
			return says("```json\n{\"n\": 1}\n```"), nil
		case len(r.Messages) == 1:
			return calls("agent", map[string]any{"task": "count {item}", "items": []string{"one", "two", "bad"},
				"schema": map[string]any{"type": "object", "properties": map[string]any{"n": map[string]any{"type": "integer"}}, "required": []string{"n"}}}), nil
		}
		return says(last(r)), nil
	}
	a, _ := boss(t, think)
	_, end := run(t, a.Start(agent.SessionOptions{}).Send(t.Context(), model.Text("go")))
	type answer struct {
		Item, Error string
		Answer      json.RawMessage
	}
	var got struct{ Answers, Failed []answer }
	if err := json.Unmarshal([]byte(end.Text), &got); err != nil {
		t.Fatalf("%q: %v", end.Text, err)
	}
	if len(got.Answers) != 2 || string(got.Answers[0].Answer) != `{"n":1}` || string(got.Answers[1].Answer) != `{"n":7}` ||
		len(got.Failed) != 1 || got.Failed[0].Item != "bad" || got.Failed[0].Error == "" {
		t.Errorf("got %s", end.Text)
	}
}

// TestSamplingOfSubAgents: the parent's holds for one with the parent's model, under what its definition says; one with a model of its own has only
// that of its definition.
func TestSamplingOfSubAgents(t *testing.T) {
	var mu sync.Mutex
	asked := map[string]string{}
	think := func(_ context.Context, r *model.Request) (*model.Message, error) {
		text, err := json.Marshal(r.Sampling)
		mu.Lock()
		defer mu.Unlock()
		switch {
		case isChild(r):
			asked[last(r)] = string(text)
		case len(r.Messages) == 1:
			asked["parent"] = string(text)
			return calls("agent", map[string]any{"task": "as it is"}, map[string]any{"task": "colder", "agent": "cold"}, map[string]any{"task": "elsewhere", "agent": "other"}), nil
		}
		return says("done"), err
	}
	a, tm := boss(t, think)
	warm, cold, seed := 1.0, 0.1, int64(7)
	a.Sampling = model.Sampling{Temperature: &warm, Seed: &seed}
	own := model.Sampling{Temperature: &cold}
	tm.Definitions = append(tm.Definitions, agent.Definition{About: agent.About{Name: "cold", Description: "d"}, Sampling: own},
		agent.Definition{About: agent.About{Name: "other", Description: "d"}, Sampling: own, Model: "x/y"})
	tm.Open = func(context.Context, string) (model.Model, error) { return brain(think), nil }
	run(t, a.Start(agent.SessionOptions{}).Send(t.Context(), model.Text("go")))
	for name, want := range map[string]string{"parent": `{"temperature":1,"seed":7}`, "as it is": `{"temperature":1,"seed":7}`, "colder": `{"temperature":0.1,"seed":7}`, "elsewhere": `{"temperature":0.1}`} {
		if asked[name] != want {
			t.Errorf("%s: %s, want %s", name, asked[name], want)
		}
	}
}

func TestTheTypesOfTheAgentTool(t *testing.T) {
	a, _ := boss(t, nil)
	for _, each := range a.Team.Tools(a.Start(agent.SessionOptions{})) {
		if each.Name != "agent" {
			continue
		}
		text := string(each.Input.Raw())
		for _, want := range []string{`"enum":["general","explore"]`, `"background":{"description"`, `"schema":{"description":"a JSON Schema (an object) that each answer must fit","type":"object"}`} {
			if !strings.Contains(text, want) {
				t.Errorf("%s is not in %s", want, text)
			}
		}
		if strings.Contains(text, "isolation") {
			t.Error("an isolation that is not there is offered")
		}
		if !strings.Contains(each.Description, "- explore: reads") {
			t.Error(each.Description)
		}
	}
}

// TestBackgroundReports looks that the reports of background sub-agents come while the model works, and wake it at the end.
func TestBackgroundReports(t *testing.T) {
	gate := make(chan struct{})
	var mu sync.Mutex
	var heard []string
	think := func(ctx context.Context, r *model.Request) (*model.Message, error) {
		if isChild(r) {
			if strings.Contains(last(r), "slow") {
				<-gate
			}
			return says("report on " + last(r)), nil
		}
		mu.Lock()
		defer mu.Unlock()
		switch text := last(r); {
		case len(r.Messages) == 1:
			return calls("agent", map[string]any{"task": "slow", "background": true, "name": "s"}, map[string]any{"task": "fast", "background": true}), nil
		case strings.HasPrefix(text, "[Sub-agent"):
			heard = append(heard, text)
			if strings.Contains(text, "fast") {
				close(gate)
			}
			if len(heard) == 2 {
				return calls("agent_message", map[string]any{"id": "s", "message": "slow, once more"}), nil
			}
			return says(fmt.Sprintf("I heard %d", len(heard))), nil
		}
		return says("I wait"), nil
	}
	a, _ := boss(t, think)
	events, end := run(t, a.Start(agent.SessionOptions{}).Send(t.Context(), model.Text("go")))
	if end.Stop != event.Done || end.Text != "I heard 3" || len(heard) != 3 {
		t.Fatalf("%+v, heard %q", end, heard)
	}
	if !strings.Contains(heard[2], "slow, once more") {
		t.Errorf("the last report is %q", heard[2])
	}
	starts := map[string]int{}
	for _, e := range events {
		if e.Kind == event.SubAgentStarted {
			starts[e.Child]++
		}
	}
	if len(starts) != 2 {
		t.Errorf("sub-agents %v: the message must go to the same session", starts)
	}
}

func TestWakeUpsAreBounded(t *testing.T) {
	woken, waits := 0, make(chan struct{}, 10) // a sub-agent ends only when its parent waits, else the report comes without a wake-up
	think := func(_ context.Context, r *model.Request) (*model.Message, error) {
		switch {
		case isChild(r):
			<-waits
			return says("done"), nil
		case strings.HasPrefix(last(r), "[Sub-agent"):
			woken++
			fallthrough
		case len(r.Messages) == 1:
			return calls("agent", map[string]any{"task": "again", "background": true}), nil
		}
		waits <- struct{}{}
		return says("I wait"), nil
	}
	a, _ := boss(t, think)
	a.Limits.Wakes = 3
	if _, end := run(t, a.Start(agent.SessionOptions{}).Send(t.Context(), model.Text("go"))); end.Stop != event.Done || woken > 4 || woken < 3 {
		t.Errorf("%s after %d wake-ups", end.Stop, woken)
	}
}

// TestCancelReachesTheWholeTree cancels the root while sub-agents at each depth are at work.
func TestCancelReachesTheWholeTree(t *testing.T) {
	deep := make(chan struct{}, 100)
	think := func(ctx context.Context, r *model.Request) (*model.Message, error) {
		if len(r.Messages) > 1 {
			return says("done"), nil
		}
		if strings.Contains(last(r), "0") && isChild(r) {
			deep <- struct{}{}
			<-ctx.Done()
			return nil, ctx.Err()
		}
		n := 3
		fmt.Sscanf(last(r), "depth %d", &n)
		return calls("agent", map[string]any{"task": fmt.Sprintf("depth %d", n-1)}, map[string]any{"task": fmt.Sprintf("depth %d", n-1), "background": true}), nil
	}
	a, _ := boss(t, think)
	ctx, cancel := context.WithCancel(t.Context())
	var since time.Time
	go func() {
		for range 8 {
			<-deep
		}
		since = time.Now()
		cancel()
	}()
	_, end := run(t, a.Start(agent.SessionOptions{}).Send(ctx, model.Text("depth 3")))
	if took := time.Since(since); end.Stop != event.Cancelled || took > 10*time.Second {
		t.Errorf("%s after %v", end.Stop, took)
	}
}

// disk keeps journals in a directory.
type disk struct {
	t    testing.TB
	root string
}

func (d disk) open(id string) (event.Journal, error) {
	dir, err := journal.Dir(d.root, id)
	if err != nil {
		return nil, err
	}
	f, _, err := journal.Open(dir)
	return f, err
}

func (d disk) read(id string) iter.Seq2[event.Event, error] {
	return journal.Read(filepath.Join(d.root, id, journal.FileName))
}

func (d disk) options(id string) agent.SessionOptions {
	j, err := d.open(id)
	if err != nil {
		d.t.Fatal(err)
	}
	d.t.Cleanup(func() { j.(*journal.File).Close() })
	return agent.SessionOptions{ID: id, Journal: j, Child: d.open, Past: d.read}
}

// TestABackgroundSubAgentThatWaitsSuspendsTheTurn suspends, restarts, answers, and looks that each continued once.
func TestABackgroundSubAgentThatWaitsSuspendsTheTurn(t *testing.T) {
	touched := 0
	think := func(_ context.Context, r *model.Request) (*model.Message, error) {
		switch {
		case isChild(r) && len(r.Messages) == 1:
			return calls("touch", map[string]any{"path": "x"}), nil
		case isChild(r):
			touched++
			return says("touched it"), nil
		case len(r.Messages) == 1:
			return calls("agent", map[string]any{"task": "touch", "background": true}), nil
		}
		return says(last(r)), nil
	}
	d := disk{t, t.TempDir()}
	a, _ := boss(t, think)
	a.Calls.Guard = guard.Func(func(_ context.Context, c guard.Case) guard.Verdict {
		if c.Call.Name == "touch" {
			return guard.Verdict{Decision: guard.Ask, Reason: "a test"}
		}
		return guard.Verdict{}
	})
	a.Calls.Approver = guard.ApproverFunc(func(context.Context, guard.Case, guard.Verdict) (guard.Answer, error) {
		return guard.Answer{Choice: guard.Later}, nil
	})
	o := d.options("p")
	_, end := run(t, a.Start(o).Send(t.Context(), model.Text("go")))
	if end.Stop != event.Waiting {
		t.Fatalf("%+v", end)
	}
	o.Journal.(*journal.File).Close()
	s := approved(t, a, d)
	_, end = run(t, s.Resume(t.Context()))
	if end.Stop != event.Done || !strings.Contains(end.Text, "touched it") || touched != 1 {
		t.Errorf("%+v, touched %d times", end, touched)
	}
	if s.Waiting() {
		t.Error("it still waits")
	}
}

// approved loads the session p of a directory, whose one call that waits a person approves.
func approved(t *testing.T, a *agent.Agent, d disk) *agent.Session {
	t.Helper()
	s, err := a.Load(d.options("p"), d.read("p"))
	if err != nil {
		t.Fatal(err)
	}
	pending := s.Pending()
	if len(pending) != 1 || !s.Waiting() {
		t.Fatalf("pending %+v, waiting %v", pending, s.Waiting())
	}
	if err := s.Answer(pending[0].ID, guard.Answer{Choice: guard.Approved, By: guard.ByPerson("")}); err != nil {
		t.Fatal(err)
	}
	return s
}
