package temporal

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"sync"
	"time"

	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/client"
	sdk "go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"rein/agent"
	"rein/event"
	"rein/guard"
	"rein/hook"
	"rein/model"
	"rein/schema"
	"rein/tool"
	"rein/toolcall"
)

// Worker is what one process does of the work. It runs workflows, and beside them the steps of a host, requests to models, or both.
type Worker struct {
	Client client.Client
	Store  Store

	Queue string // of workflows; "": DefaultQueue

	// Host is the task queue of the host's workspaces; "": this process has none.
	Host string
	// Agent makes the agent of a session on the host. about is Session.About. It is called for each step, and must not return the guards of
	// an earlier step: they learn from the journal what they remember. Approvers in it are not asked. done is called after the step, and
	// may be nil. See Refused for sessions that cannot run here.
	Agent func(ctx context.Context, session string, about json.RawMessage) (a *agent.Agent, done func(), err error)
	// Open makes the session itself, instead of Agent, for a step on the host.
	Open func(ctx context.Context, o Opening) (Opened, error)
	// Own is a task queue of this process alone, for sessions of which it has made the workspace: see Opened.Host. "": it has none.
	Own string
	// Agents is how deep the host's sub-agents have workflows of their own, each depth with a queue of its own (AgentQueue): agent.MaxDepth for all,
	// where the agents' Limits have no other. 0: sub-agents work in the step that starts them, and this process asks their models.
	Agents int
	// End is called when a session ends that wanted it: see Opened.Ends. Nil: nothing happens. What it returns is not tried again.
	End func(ctx context.Context, o Opening) error

	// Model opens a model by its provider/name. Nil: this process asks none.
	Model  func(ctx context.Context, ref string) (model.Model, error)
	Models string // the task queue of requests; "": DefaultModels
	// Build names the version of the program that runs workflows; "": none is named. With Versioned the workflows of DeploymentName go to
	// the build that Client.Release names, and to this worker only where it is that one.
	Build     string
	Versioned bool

	// PerSecond bounds the requests of all workers of that queue together; 0: no limit.
	PerSecond float64
	// Facts is agent.Agent.Facts, for the requests.
	Facts func(tool.Result) agent.CompactionFacts

	Watch    func(event.Event) // sees the events of the steps of this process, the live ones too; nil: nobody watches
	Parallel int               // steps at once, of each queue; 0: 200
	Drain    time.Duration     // how long Stop waits for the steps that are at work; 0: 30 s
}

// Opening is a session that a step opens.
type Opening struct {
	About   json.RawMessage      // see Session.About
	Session agent.SessionOptions // its ID, Journal, Child, Past and Watch
	Journal Log                  // Session.Journal; the step closes it
	Past    iter.Seq2[event.Event, error]
	Later   guard.Approver // the approver of the calls that nothing else approves: the workflow has the answers
	Kept    string         // what Opened.Keep of an earlier step gave; "": nothing was kept
	After   int64          // the last event of the step before; 0: the session begins

	Task *agent.Assignment // the session is that of a sub-agent: see agent.LoadSubAgent. Nil: it is the user's
}

// Opened is a session for one step.
type Opened struct {
	*agent.Session
	Mask  func(string) string // hides the secrets that the host knows by now from models; nil: it knows none
	Close func() error        // is called after the step; may be nil

	// Files answers what a client asks of what the session did to files: see Client.Files. Nil: the host keeps nothing of that.
	Files func(ctx context.Context, question json.RawMessage) (json.RawMessage, error)
	Host  string // the queue of the steps that follow, as Worker.Own; "": it stays the same
	Ends  bool   // Worker.End is called when the session ends
	Tell  string // what the model has to know before its next request; "": nothing
	// Keep is called after a step that went well, and keeps the workspace in the store. told means that the model got Tell. It may be nil.
	Keep func(ctx context.Context, told bool) (name string, err error)
}

// User is the id of the user's session: that of the session itself, or the one far above a sub-agent's.
func (o Opening) User() string {
	if o.Task != nil {
		return o.Task.Above[0]
	}
	return o.Session.ID
}

// load makes the session of an agent from its journal, or a new one. a is the agent of the user's session.
func (o Opening) load(ctx context.Context, a *agent.Agent) (*agent.Session, error) {
	if o.Task == nil {
		return o.loadAlone(a)
	}
	own, calls := *a, *a.Calls
	calls.Approver = o.Later
	own.Calls = &calls
	return own.LoadSubAgent(ctx, o.Session, *o.Task)
}

// loadAlone is load for an agent that is the session's own.
func (o Opening) loadAlone(a *agent.Agent) (*agent.Session, error) {
	own := *a
	if own.Calls != nil {
		calls := *own.Calls
		calls.Approver = o.Later
		own.Calls = &calls
	}
	s, err := own.Load(o.Session, o.Past)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, agent.ErrNoEvents) {
		return own.Start(o.Session), nil
	}
	return s, err
}

// Refused is an error of Worker.Agent, Worker.Open or Worker.Model that is not tried again: the session is in trouble until somebody changes something.
func Refused(err error) error {
	return sdk.NewNonRetryableApplicationError(err.Error(), "refused", err)
}

// Start begins the work. stop lets the steps that are at work end and returns then.
func (w Worker) Start() (stop func(), err error) {
	if w.Client == nil || w.Store == nil || w.Host != "" && w.Agent == nil && w.Open == nil {
		return nil, errors.New("a worker needs a client and a store, and one of a host needs Agent or Open")
	}
	queue, models := or(w.Queue, DefaultQueue), or(w.Models, DefaultModels)
	workflows := worker.New(w.Client, queue, worker.Options{LocalActivityWorkerOnly: true, DeploymentOptions: w.deployment()})
	workflows.RegisterWorkflowWithOptions(Workflow, workflow.RegisterOptions{Name: WorkflowName})
	workflows.RegisterWorkflowWithOptions(ScheduledWorkflow, workflow.RegisterOptions{Name: ScheduledName})
	all := []worker.Worker{workflows}
	if w.Host != "" {
		does := w.host()
		if w.Model != nil && w.PerSecond == 0 { // the server counts the requests of a queue only
			does.asks, does.queue = w.asks(), models
		}
		for _, queue := range w.queues() {
			host := worker.New(w.Client, queue, w.options())
			host.RegisterActivityWithOptions(does.Step, activity.RegisterOptions{Name: activityName})
			host.RegisterActivityWithOptions(does.Files, activity.RegisterOptions{Name: filesActivity})
			all = append(all, host)
		}
	}
	if w.Model != nil {
		o := w.options()
		o.TaskQueueActivitiesPerSecond = w.PerSecond
		asks := worker.New(w.Client, models, o)
		asks.RegisterActivityWithOptions(w.asks().Step, activity.RegisterOptions{Name: activityName})
		all = append(all, asks)
	}
	for i, one := range all {
		if err := one.Start(); err != nil {
			for _, begun := range all[:i] {
				begun.Stop()
			}
			return nil, err
		}
	}
	return func() {
		var draining sync.WaitGroup
		for _, one := range all[1:] { // at once: one that still takes steps would delay the end
			draining.Go(one.Stop)
		}
		draining.Wait()
		workflows.Stop()
	}, nil
}

// queues are those of the host.
func (w Worker) queues() (all []string) {
	for _, queue := range []string{w.Host, w.Own} {
		for depth := 0; queue != "" && depth <= w.Agents; depth++ {
			all = append(all, AgentQueue(queue, depth))
		}
	}
	return all
}

// DeploymentName names the programs that run workflows, for the versions of a Temporal server.
const DeploymentName = "rein"

// deployment is the version of this process. A session that is open goes on with the version that is released.
func (w Worker) deployment() (o worker.DeploymentOptions) {
	if w.Build == "" {
		return o
	}
	o.Version = worker.WorkerDeploymentVersion{DeploymentName: DeploymentName, BuildID: w.Build}
	if o.UseVersioning = w.Versioned; w.Versioned {
		o.DefaultVersioningBehavior = workflow.VersioningBehaviorAutoUpgrade
	}
	return o
}

// Release lets the versioned workers of a build have all workflows, the open ones too; "": those without versions.
func (c *Client) Release(ctx context.Context, build string) error {
	_, err := c.Temporal.WorkerDeploymentClient().GetHandle(DeploymentName).SetCurrentVersion(ctx, client.WorkerDeploymentSetCurrentVersionOptions{BuildID: build})
	if err != nil {
		return fmt.Errorf("the build %q is not released: %w", build, err)
	}
	return nil
}

func or(s, otherwise string) string {
	if s == "" {
		return otherwise
	}
	return s
}

func (w Worker) options() worker.Options {
	o := worker.Options{DisableWorkflowWorker: true, MaxConcurrentActivityExecutionSize: 200, MaxHeartbeatThrottleInterval: heartbeatEvery,
		DefaultHeartbeatThrottleInterval: heartbeatEvery, WorkerStopTimeout: 30 * time.Second}
	if w.Parallel > 0 {
		o.MaxConcurrentActivityExecutionSize = w.Parallel
	}
	if w.Drain > 0 {
		o.WorkerStopTimeout = w.Drain
	}
	return o
}

func (w Worker) host() *stepper {
	watch, flush := w.watching()
	c := &Client{Temporal: w.Client}
	return &stepper{store: w.Store, watch: watch, flush: flush, offers: true, end: w.End, levels: w.Agents, state: c.State, signal: c.signal, open: func(ctx context.Context, _ StepInput, o Opening) (Opened, error) {
		if w.Open != nil {
			return w.Open(ctx, o)
		}
		a, done, err := w.Agent(ctx, o.User(), o.About)
		if err != nil {
			return Opened{}, err
		}
		s, err := o.load(ctx, a)
		return Opened{Session: s, Close: func() error {
			if done != nil {
				done()
			}
			return nil
		}}, err
	}}
}

// asks does steps that only ask the model.
func (w Worker) asks() *stepper {
	watch, flush := w.watching()
	return &stepper{store: w.Store, watch: watch, flush: flush, open: func(ctx context.Context, in StepInput, opening Opening) (Opened, error) {
		if in.Part != agent.Asks {
			return Opened{}, Refused(fmt.Errorf("a worker for models cannot do the part %q", in.Part))
		}
		text, err := w.Store.Get(ctx, in.Session, in.Offer)
		if err != nil {
			return Opened{}, fmt.Errorf("what the model is offered: %w", err)
		}
		var o offer
		if err := json.Unmarshal(text, &o); err != nil {
			return Opened{}, Refused(err)
		}
		a, err := o.agent(ctx, w)
		if err != nil {
			return Opened{}, err
		}
		opening.Session.Elsewhere = nil
		s, err := opening.loadAlone(a)
		return Opened{Session: s}, err
	}}
}

// offer is what a process has to know of an agent to ask its model: it has neither the workspace nor the tools.
type offer struct {
	Model      string                  `json:"model"`
	Fallback   []string                `json:"fallback,omitempty"`
	System     string                  `json:"system,omitempty"`
	Tools      []model.ToolSpec        `json:"tools,omitempty"`
	MaxTurns   int                     `json:"max_turns,omitempty"`
	Budget     int64                   `json:"budget,omitempty"`
	Limits     agent.Limits            `json:"limits,omitzero"`
	Effort     string                  `json:"effort,omitempty"`
	Sampling   model.Sampling          `json:"sampling,omitzero"`
	Output     json.RawMessage         `json:"output,omitempty"`
	ThinkFirst bool                    `json:"think_first,omitempty"`
	Compact    agent.CompactionOptions `json:"compact,omitzero"`
	Summarizer string                  `json:"summarizer,omitempty"`
	Timeout    time.Duration           `json:"timeout_ns,omitempty"`
	Hooks      bool                    `json:"hooks,omitempty"`  // of the host see compactions
	Hidden     map[string]string       `json:"hidden,omitempty"` // see hide
}

// offered is what the agent of a session offers.
func offered(s Opened) offer {
	a := s.Agent()
	o := offer{System: a.System, Tools: s.Specs(), MaxTurns: a.MaxTurns, Budget: a.Budget, Limits: a.Limits, Effort: a.Effort, Sampling: a.Sampling,
		ThinkFirst: a.ThinkFirst, Compact: a.Compact.CompactionOptions, Timeout: a.Compact.Timeout, Hidden: hide(s)}
	if a.Calls != nil {
		o.Hooks = a.Calls.Hooks.Has(hook.PreCompact) || a.Calls.Hooks.Has(hook.PostCompact)
	}
	if a.Model != nil {
		o.Model = a.Model.Info().String()
	}
	for _, m := range a.Fallback {
		o.Fallback = append(o.Fallback, m.Info().String())
	}
	if a.Output != nil {
		o.Output = a.Output.Raw()
	}
	if a.Compact.Model != nil {
		o.Summarizer = a.Compact.Model.Info().String()
	}
	return o
}

// keep stores the offer under the hash of its content.
func (o offer) keep(ctx context.Context, s Store, session string) (name string, err error) {
	text, err := json.Marshal(o)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(text)
	name = "offer-" + hex.EncodeToString(sum[:8])
	if _, err := s.Get(ctx, session, name); !errors.Is(err, fs.ErrNotExist) {
		return name, err
	}
	return name, s.Put(ctx, session, name, text)
}

// agent is an agent that asks: its tools are only known by what the model sees of them.
func (o offer) agent(ctx context.Context, w Worker) (*agent.Agent, error) {
	a := &agent.Agent{System: o.System, MaxTurns: o.MaxTurns, Budget: o.Budget, Limits: o.Limits, Effort: o.Effort, Sampling: o.Sampling, ThinkFirst: o.ThinkFirst,
		Compact: agent.Compaction{CompactionOptions: o.Compact, Timeout: o.Timeout, HooksElsewhere: o.Hooks}, Facts: w.Facts}
	open := func(ref string) (model.Model, error) {
		m, err := w.Model(ctx, ref)
		if err == nil && len(o.Hidden) > 0 {
			m = hiding{m, o.Hidden}
		}
		return m, err
	}
	var err error
	if a.Model, err = open(o.Model); err != nil {
		return nil, err
	}
	for _, ref := range o.Fallback {
		m, err := open(ref)
		if err != nil {
			return nil, err
		}
		a.Fallback = append(a.Fallback, m)
	}
	if o.Summarizer != "" {
		if a.Compact.Model, err = open(o.Summarizer); err != nil {
			return nil, err
		}
	}
	if a.Output, err = agent.ParseOutput(string(o.Output)); err != nil {
		return nil, Refused(err)
	}
	tools := make([]*tool.Tool, len(o.Tools))
	for i, spec := range o.Tools {
		in, err := schema.Parse(spec.Schema)
		if err != nil {
			return nil, Refused(fmt.Errorf("the tool %s: %w", spec.Name, err))
		}
		tools[i] = &tool.Tool{Name: spec.Name, Description: spec.Description, Input: in, Run: func(context.Context, json.RawMessage, *tool.Reply) error {
			return errors.New("this process has no workspace")
		}}
	}
	set, err := tool.NewSet(tools...)
	if err != nil {
		return nil, Refused(err)
	}
	a.Calls = &toolcall.Runner{Tools: set}
	return a, nil
}
