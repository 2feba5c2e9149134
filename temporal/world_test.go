package temporal

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/testsuite"
	"go.temporal.io/sdk/workflow"

	"rein/agent"
	"rein/app/extend"
	"rein/event"
	"rein/guard"
	"rein/kit/script"
	"rein/model"
	"rein/tool"
	"rein/toolcall"
)

// world is a host with a workspace, a worker for models, and their store.
type world struct {
	t     *testing.T
	store Store
	root  string // the workspace
	model model.Model

	change  func(*agent.Agent)                     // of a test, before the agent is used; may be nil
	queues  []string                               // of the steps so far
	refuses error                                  // of the host, for every session; may be nil
	before  func(in StepInput) error               // of a test, before a step; may be nil
	after   func(in StepInput) error               // after it; may be nil
	tools   map[string]func(context.Context) error // of a test, beside what a tool does
	mask    func(string) string                    // of the host; nil: it knows no secrets
	open    func(context.Context, Opening) (Opened, error)
	end     func(context.Context, Opening) error
	mu      sync.Mutex
	levels  int          // how deep sub-agents have workflows of their own
	state   func() State // what the workflow says to the host, which asks models then; nil: it asks none
}

func newWorld(t *testing.T, turns string) *world {
	t.Helper()
	s, err := script.Parse([]byte(turns))
	if err != nil {
		t.Fatal(err)
	}
	return &world{t: t, store: Files{Dir: t.TempDir()}, root: t.TempDir(), model: &script.Model{Script: s}}
}

type fileArgs struct {
	Path string `json:"path"`
	Text string `json:"text,omitempty"`
}

// agent makes the agent of the world: note appends to a file, risky does it with an approval, read reads it.
func (w *world) agent() *agent.Agent {
	write := func(name string) *tool.Tool {
		t := tool.New(name, "Append to a file.", tool.Writes|tool.Reads, func(ctx context.Context, in fileArgs, r *tool.Reply) error {
			f, err := os.OpenFile(filepath.Join(w.root, in.Path), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
			if err != nil {
				return err
			}
			defer f.Close()
			if _, err := fmt.Fprintln(f, in.Text); err != nil {
				return err
			}
			if more := w.tools[name]; more != nil {
				if err := more(ctx); err != nil {
					return err
				}
			}
			_, err = fmt.Fprintf(r, "wrote %s", in.Path)
			return err
		})
		t.Intent = tool.IntentBy(func(in fileArgs) (tool.Intent, error) { return tool.Intent{Writes: []string{in.Path}}, nil })
		return t
	}
	read := tool.New("read", "Read a file.", tool.Reads, func(ctx context.Context, in fileArgs, r *tool.Reply) error {
		text, err := os.ReadFile(filepath.Join(w.root, in.Path))
		if more := w.tools["read"]; more != nil {
			if err := more(ctx); err != nil {
				return err
			}
		}
		if err == nil {
			_, err = r.Write(text)
		}
		return err
	})
	read.Intent = tool.IntentBy(func(in fileArgs) (tool.Intent, error) { return tool.Intent{Reads: []string{in.Path}}, nil })
	tools, err := tool.NewSet(write("note"), write("risky"), read)
	if err != nil {
		w.t.Fatal(err)
	}
	asks := guard.Func(func(_ context.Context, c guard.Case) guard.Verdict {
		if c.Call.Name == "risky" {
			return guard.Verdict{Decision: guard.Ask, Reason: "it is risky", PersonOnly: strings.Contains(string(c.Call.Args), "person")}
		}
		return guard.Verdict{}
	})
	a := &agent.Agent{Model: w.model, System: "You take notes.", Team: &extend.Team{Definitions: []agent.Definition{{About: agent.About{Name: "helper", Description: "helps"}}}},
		Calls: &toolcall.Runner{Tools: tools, Guard: asks, Mode: guard.Supervised, Root: w.root, Approver: guard.Nobody{}}}
	if w.change != nil {
		w.change(a)
	}
	return a
}

func (w *world) worker() Worker {
	one := w.worked()
	one.End = w.end
	if one.Open = w.open; w.mask != nil {
		one.Open = func(ctx context.Context, o Opening) (Opened, error) {
			a, _, err := one.Agent(ctx, o.Session.ID, o.About)
			if err != nil {
				return Opened{}, err
			}
			s, err := o.load(ctx, a)
			return Opened{Session: s, Mask: w.mask}, err
		}
	}
	return one
}

func (w *world) worked() Worker {
	return Worker{Store: w.store, Host: "host", Agents: w.levels,
		Agent: func(context.Context, string, json.RawMessage) (*agent.Agent, func(), error) {
			if w.refuses != nil {
				return nil, nil, w.refuses
			}
			a := w.agent()
			a.Model = named{info: w.model.Info()} // the host asks for its sub-agents only
			if a.Team != nil && w.levels == 0 {
				a.Model = w.model
			}
			return a, nil, nil
		},
		Model: func(_ context.Context, ref string) (model.Model, error) {
			if ref != w.model.Info().String() {
				return nil, Refused(fmt.Errorf("there is no model %q", ref))
			}
			return w.model, nil
		}}
}

// named is a model of which only the name is known.
type named struct {
	model.Model
	info model.Info
}

func (n named) Info() model.Info { return n.info }

// env is a server that skips time, with the workers of the world.
func (w *world) env() *testsuite.TestWorkflowEnvironment {
	var suite testsuite.WorkflowTestSuite
	suite.SetLogger(quiet{})
	env := suite.NewTestWorkflowEnvironment()
	env.SetTestTimeout(time.Minute)
	env.RegisterWorkflowWithOptions(Workflow, workflow.RegisterOptions{Name: WorkflowName})
	host, asks := w.worker().host(), w.worker().asks()
	host.signal = func(_ context.Context, session, name string, arg any) error {
		if session == "s1" {
			env.SignalWorkflow(name, arg)
			return nil
		}
		return env.SignalWorkflowByID(session, name, arg)
	}
	host.state = func(_ context.Context, session string) (s State, err error) {
		ask := func() (converter.EncodedValue, error) { return env.QueryWorkflowByID(session, StateName) }
		if session == "s1" {
			ask = func() (converter.EncodedValue, error) { return env.QueryWorkflow(StateName) }
		}
		value, err := ask()
		if err == nil {
			err = value.Get(&s)
		}
		return s, err
	}
	if w.state != nil {
		host.asks, host.queue = asks, DefaultModels
		if w.levels == 0 {
			host.state = func(context.Context, string) (State, error) { return w.state(), nil }
		}
	}
	env.RegisterActivityWithOptions(func(ctx context.Context, in StepInput) (StepResult, error) {
		if w.before != nil {
			if err := w.before(in); err != nil {
				return StepResult{}, err
			}
		}
		queue := activity.GetInfo(ctx).TaskQueue
		w.mu.Lock()
		w.queues = append(w.queues, queue+" "+string(in.Part))
		w.mu.Unlock()
		if strings.HasPrefix(queue, DefaultModels) {
			return asks.Step(ctx, in)
		} else if !strings.HasPrefix(queue, "host") {
			return StepResult{}, fmt.Errorf("nobody works on the queue %s", queue)
		}
		out, err := host.Step(ctx, in)
		if w.after != nil && err == nil {
			err = w.after(in)
		}
		return out, err
	}, activity.RegisterOptions{Name: activityName})
	env.RegisterActivityWithOptions(host.Files, activity.RegisterOptions{Name: filesActivity})
	return env
}

// quiet is a logger that says nothing.
type quiet struct{}

func (quiet) Debug(string, ...any) {}
func (quiet) Info(string, ...any)  {}
func (quiet) Warn(string, ...any)  {}
func (quiet) Error(string, ...any) {}

// state asks the workflow.
func state(t *testing.T, env *testsuite.TestWorkflowEnvironment) (s State) {
	t.Helper()
	value, err := env.QueryWorkflow(StateName)
	if err == nil {
		err = value.Get(&s)
	}
	if err != nil {
		t.Error(err)
	}
	return s
}

// answered is what became of an answer.
type answered struct {
	accepted bool
	err      error
}

func (a *answered) Accept()                 { a.accepted = true }
func (a *answered) Reject(err error)        { a.err = err }
func (a *answered) Complete(_ any, e error) { a.err = errors.Join(a.err, e) }

// recorded are the recorded events of a session, in a form in which times, ids and places do not count.
func (w *world) recorded(store Store, id string) (lines []string) {
	w.t.Helper()
	return w.named(store, id, map[string]string{}, map[string]string{})
}

var waits = regexp.MustCompile(`approval of [^"]+`)

func (w *world) named(store Store, id string, names, calls map[string]string) (lines []string) {
	w.t.Helper()
	var children []string
	for e, err := range store.Events(w.t.Context(), id, 0) {
		if err != nil {
			w.t.Fatal(err)
		}
		e.Time, e.Session, e.Parent, e.ParentCall, e.Seq, e.At = time.Time{}, "", "", "", 0, 0 // numbers differ where calls run at once
		if e.Compaction != nil {                                                               // the estimate of a call's id differs by a token
			e.Compaction.Before, e.Compaction.After, e.Text = 0, 0, ""
		}
		if e.Kind == event.Responded {
			var m model.Message
			if err := json.Unmarshal(e.Message, &m); err != nil {
				w.t.Fatal(err)
			}
			for _, c := range m.Calls() {
				calls[c.ID] = fmt.Sprint(c.ProviderID, "#", e.Turn)
			}
		}
		if e.Grant != nil {
			e.Grant.Hash = "" // of the place, too
		}
		if e.Request != nil {
			e.Request = &event.Request{Model: e.Request.Model, Retries: e.Request.Retries}
		}
		if e.Result != nil {
			e.Result.Duration = 0
		}
		if e.Child != "" {
			if names[e.Child] == "" {
				names[e.Child] = fmt.Sprint("sub-agent ", len(names)+1)
				children = append(children, w.named(store, e.Child, names, calls)...)
			}
		}
		line, err := e.Line(nil)
		if err != nil {
			w.t.Fatal(err)
		}
		text := strings.ReplaceAll(strings.TrimSpace(string(line)), w.root, "ROOT")
		for _, ids := range []map[string]string{names, calls} {
			for id, name := range ids {
				text = strings.ReplaceAll(text, id, name)
			}
		}
		lines = append(lines, waits.ReplaceAllStringFunc(text, func(waits string) string { // calls that are judged at once ask in any order
			ids := strings.Split(strings.TrimPrefix(waits, "approval of "), ", ")
			slices.Sort(ids)
			return "approval of " + strings.Join(ids, ", ")
		}))
	}
	return append(lines, children...)
}
