package temporal

import (
	"errors"
	"fmt"
	"slices"
	"time"

	sdk "go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"rein/agent"
	"rein/event"
	"rein/guard"
)

// The times of a step. A worker that is gone is noticed after the heartbeat; the user's cancel reaches a step with the next one.
const (
	heartbeatEvery = 500 * time.Millisecond
	usuallyLost    = 10 * time.Second
	longestStep    = 7 * 24 * time.Hour
	longestFiles   = 10 * time.Minute
	filesStart     = 20 * time.Second // the host is not there
	leastPause     = time.Second      // before a step that failed is done again; it doubles
	mostPause      = time.Minute
	mostFailures   = 8 // steps in a row that fail before the session is in trouble
	mostSeen       = 200
	mostMessages   = 200     // that wait
	mostWaiting    = 1 << 20 // bytes of their texts: a payload of the server has 2 MB at most
)

// Workflow is the workflow of a session: register it under WorkflowName.
func Workflow(ctx workflow.Context, in Session) error {
	s := &session{start: in}
	if in.State != nil {
		s.State = *in.State
	} else {
		s.State = State{Host: in.Host, Seq: in.After, Kept: in.Kept}
		if in.Task != nil {
			s.add(Message{ID: fmt.Sprintf("task-%d", in.Task.Task), Task: in.Task.Task})
		}
	}
	s.start.State = nil
	if err := s.listen(ctx); err != nil {
		return err
	}
	for {
		if err := workflow.Await(ctx, func() bool { return s.ready() || s.over() || s.old(ctx) }); err != nil {
			return err
		}
		switch {
		case s.ready():
			if err := s.step(ctx); err != nil {
				return err
			}
		case s.over():
			s.end(ctx)
			if !s.ready() { // a message has come meanwhile
				return nil
			}
		}
		if s.old(ctx) {
			return s.anew(ctx)
		}
	}
}

// session is a workflow while it runs.
type session struct {
	start Session
	State
	failures int
	on       string              // the host when the step at work began
	stop     workflow.CancelFunc // of the step that is at work; nil: none
	holds    bool                // a message waits until there is room for it
	moved    bool                // the step that is at work was stopped because the session has another host
	passed   int64               // the last event when a host did not take a message that steers
}

// steers reports whether a message is to be with the next request. The host has it recorded first.
func (s *session) steers(ctx workflow.Context) bool {
	waits := slices.ContainsFunc(s.Messages, func(m Message) bool { return m.Steer })
	return waits && s.passed < s.Seq && workflow.GetVersion(ctx, "steers", workflow.DefaultVersion, 1) == 1
}

// ready reports whether there is something to do.
func (s *session) ready() bool {
	switch {
	case s.Trouble != "" || s.Working == asksFiles:
		return false
	case len(s.Pending) > 0:
		return s.Cancel || len(s.Answers) > 0
	}
	return s.Due != "" || len(s.Messages) > 0
}

// over reports whether the workflow ends where nothing is to do.
func (s *session) over() bool {
	ended := s.Stop != "" && s.Stop != event.Waiting && s.Trouble == ""
	return s.Working != asksFiles && (s.Closing || s.start.Once && ended && len(s.Messages) == 0)
}

// old reports whether the server wants a new run of the workflow. Messages that the session has no room for would be lost by one.
func (s *session) old(ctx workflow.Context) bool {
	return !s.holds && len(s.Children) == 0 && workflow.GetInfo(ctx).GetContinueAsNewSuggested()
}

// anew continues as a new run, with all that has come.
func (s *session) anew(ctx workflow.Context) error {
	if err := workflow.Await(ctx, func() bool { return workflow.AllHandlersFinished(ctx) }); err != nil {
		return err
	}
	for {
		var m Message
		if !workflow.GetSignalChannel(ctx, SendName).ReceiveAsync(&m) {
			break
		}
		s.add(m) // the next run gets no signals of this one
	}
	for {
		var a Answer
		if !workflow.GetSignalChannel(ctx, AnsweredName).ReceiveAsync(&a) {
			break
		}
		s.answered(ctx, a)
	}
	for _, signal := range s.signals() {
		for {
			var text string
			if !workflow.GetSignalChannel(ctx, signal.name).ReceiveAsync(&text) {
				break
			}
			signal.do(ctx, text)
		}
	}
	next := s.start
	next.State = &s.State
	return workflow.NewContinueAsNewError(ctx, WorkflowName, next)
}

// listen takes signals, updates and queries.
func (s *session) listen(ctx workflow.Context) error {
	err := workflow.SetQueryHandler(ctx, StateName, func() (State, error) { return s.State, nil })
	if err != nil {
		return err
	}
	err = workflow.SetUpdateHandlerWithOptions(ctx, AnswerName, func(_ workflow.Context, a Answer) error {
		return s.answered(ctx, a) // two answers may have been accepted at once
	}, workflow.UpdateHandlerOptions{Validator: func(a Answer) error { return s.refuses(a) }})
	if err != nil {
		return err
	}
	err = workflow.SetUpdateHandlerWithOptions(ctx, FilesName, s.asksHost, workflow.UpdateHandlerOptions{Validator: s.refusesFiles})
	if err != nil {
		return err
	}
	if err := s.hear(ctx); err != nil {
		return err
	}
	s.family(ctx)
	for _, signal := range s.signals() {
		workflow.Go(ctx, func(ctx workflow.Context) {
			for {
				var text string
				workflow.GetSignalChannel(ctx, signal.name).Receive(ctx, &text)
				signal.do(ctx, text)
			}
		})
	}
	return nil
}

// signal is a signal that has a text or nothing.
type signal struct {
	name string
	do   func(ctx workflow.Context, text string)
}

func (s *session) signals() []signal {
	return []signal{
		{CancelName, func(ctx workflow.Context, _ string) {
			if s.Due == "" && (s.Working == "" || s.Working == asksFiles) {
				return
			}
			s.Cancel = true
			s.tellChildren(ctx, CancelName, "")
			s.again()
			if s.stop != nil {
				s.stop()
			}
		}},
		{CloseName, func(workflow.Context, string) { s.Closing = true }},
		{RetryName, func(workflow.Context, string) {
			s.LeftOut = max(s.LeftOut, s.Lost)
			s.again()
		}},
		{MoveName, func(ctx workflow.Context, host string) {
			if host == "" || host == s.Host {
				return
			}
			s.Host = host
			s.tellChildren(ctx, MoveName, host)
			for i := range s.Children {
				s.Children[i].Host = host
			}
			s.again()
			if s.stop != nil && s.Working == agent.Works {
				s.moved = true
				s.stop()
			}
		}},
	}
}

// again lets a session that is in trouble try again.
func (s *session) again() { s.Trouble, s.Failing, s.failures = "", "", 0 }

// ErrOther is in the text of the error of an answer to something else.
var ErrOther = errors.New("another one than the one that was shown")

// refuses is why an answer does not count; nil: it counts. The first answer to a request does.
func (s *session) refuses(a Answer) error {
	at := s.asked(a)
	switch {
	case at < 0:
		return fmt.Errorf("the call %s: %w", a.Request, agent.ErrNotPending)
	case slices.ContainsFunc(s.Answers, func(b Answer) bool { return b.Request == s.Pending[at].ID }):
		return fmt.Errorf("the call %s: somebody has answered already: %w", a.Request, agent.ErrNotPending)
	case s.Pending[at].Hash != a.Hash:
		return fmt.Errorf("the call %s is %w: look at it again", a.Request, ErrOther)
	case a.By.IsZero():
		return errors.New("the answer does not say who gives it")
	case !a.By.IsPerson() && (a.Args != "" || a.Approved && s.Pending[at].PersonOnly):
		return fmt.Errorf("the call %s: only a person may do this, and the answer is of %v", a.Request, a.By)
	case !slices.Contains([]guard.Scope{guard.Once, guard.ForSession, guard.ForProject, guard.Always}, a.Scope):
		return fmt.Errorf("there is no scope %q", a.Scope)
	}
	return nil
}

// step does the next step of the loop. The error ends the workflow.
func (s *session) step(ctx workflow.Context) error {
	in := StepInput{Session: s.start.ID, Part: s.Due, About: s.start.About, After: s.Seq, Carried: s.Carried, Cancel: s.Cancel, Offer: s.Offer,
		LeftOut: s.LeftOut, Models: s.start.Models, Kept: s.Kept, Task: s.start.Task}
	if in.Part != agent.Asks || s.Cancel || s.steers(ctx) {
		in.Part, in.Messages, in.Answers = agent.Works, slices.Clone(s.Messages), slices.Clone(s.Answers)
	}
	s.Working, s.on = in.Part, s.Host
	stepping, stop := workflow.WithCancel(ctx)
	s.stop = stop
	if s.Cancel { // the step is short
		s.stop = nil
	}
	var out StepResult
	err := workflow.ExecuteActivity(s.options(stepping, in.Part), activityName, in).Get(ctx, &out)
	stop()
	s.stop, s.Working = nil, ""
	moved := s.moved
	s.moved = false
	switch {
	case err == nil:
		s.done(in, out)
		return nil
	case ctx.Err() != nil:
		return s.stopped(ctx, in)
	case sdk.IsCanceledError(err) && (s.Cancel || moved):
		return nil // what is done next says why
	}
	return s.failed(ctx, in.Part, err)
}

// failed lets the session wait after a step that failed, or be in trouble.
func (s *session) failed(ctx workflow.Context, part agent.Part, err error) error {
	s.failures++
	says, failed := err.Error(), (*sdk.ApplicationError)(nil)
	if errors.As(err, &failed) {
		says = failed.Message()
		if failed.Type() == lostType {
			_ = failed.Details(&s.Lost) // 0, where an earlier version does not say it
		}
	} else if sdk.IsTimeoutError(err) {
		says = "the worker that did it is gone"
	}
	tried := part == agent.Asks && !sdk.IsTimeoutError(err) && // the server has repeated it as often as a step of a host is repeated here
		workflow.GetVersion(ctx, "requests-fail-once", workflow.DefaultVersion, 1) == 1
	if s.failures >= mostFailures || tried || failed != nil && failed.NonRetryable() {
		s.Trouble, s.Failing = says, ""
		return nil
	}
	s.Failing = says
	pause := min(leastPause<<(s.failures-1), mostPause)
	_, err = workflow.AwaitWithTimeout(ctx, pause, func() bool { return s.failures == 0 })
	return err
}

// options are those of the activity of a step. A step on a host is never repeated by the server: the workflow does the next one, which looks
// at the journal.
func (s *session) options(ctx workflow.Context, part agent.Part) workflow.Context {
	o := workflow.ActivityOptions{TaskQueue: AgentQueue(s.Host, depth(s.start.Task)), HeartbeatTimeout: s.lost(), StartToCloseTimeout: longestStep, WaitForCancellation: true,
		RetryPolicy: &sdk.RetryPolicy{MaximumAttempts: 1}}
	if part == agent.Asks {
		o.TaskQueue = or(s.start.Models, DefaultModels)
		o.RetryPolicy = &sdk.RetryPolicy{InitialInterval: leastPause, MaximumInterval: mostPause, MaximumAttempts: mostFailures}
	}
	return workflow.WithActivityOptions(ctx, o)
}

func (s *session) lost() time.Duration {
	if s.start.Lost > 0 {
		return s.start.Lost
	}
	return usuallyLost
}

// done takes what a step did.
func (s *session) done(in StepInput, out StepResult) {
	s.Steps++
	if in.Part == agent.Works && s.Due == agent.Asks && out.Seq <= s.Seq { // an older version of a host
		s.passed = s.Seq
	}
	s.failures, s.Failing = 0, ""
	s.Lost, s.Seq, s.Due, s.Stop, s.Carried, s.Usage, s.Pending, s.Offer = 0, out.Seq, out.Due, out.Stop, out.Carried, out.Usage, out.Pending, out.Offer
	if out.Stop != "" && out.Stop != event.Waiting || s.Due == "" {
		s.Cancel = false
	}
	s.Ends, s.Kept = s.Ends || out.Ends, or(out.Kept, s.Kept)
	if out.Host != "" && s.Host == s.on { // nobody has moved it meanwhile
		s.Host = out.Host
	}
	taken := in.Messages[:min(out.Taken, len(in.Messages))]
	s.Messages = slices.DeleteFunc(s.Messages, func(m Message) bool { return slices.Contains(taken, m) })
	s.Answers = slices.DeleteFunc(s.Answers, func(a Answer) bool {
		acted := slices.ContainsFunc(in.Answers, func(b Answer) bool { return b.Request == a.Request && b.Hash == a.Hash })
		waits := slices.ContainsFunc(s.Pending, func(p Pending) bool { return p.ID == a.Request && p.Hash == a.Hash })
		return acted || !waits
	})
}

// hostEnds is how long a session that ends waits for a worker of its host, and then for what that does.
const hostEnds = time.Minute

// end tells the host that the session ends. A host that is away does not hear of it.
func (s *session) end(ctx workflow.Context) {
	s.endChildren(ctx)
	if !s.Ends {
		return
	}
	s.Ends = false
	o := s.options(ctx, ends)
	o = workflow.WithScheduleToStartTimeout(o, hostEnds)
	o = workflow.WithStartToCloseTimeout(o, hostEnds)
	in := StepInput{Session: s.start.ID, Part: ends, About: s.start.About, After: s.Seq, Kept: s.Kept, LeftOut: s.LeftOut}
	if err := workflow.ExecuteActivity(o, activityName, in).Get(ctx, nil); err != nil {
		workflow.GetLogger(ctx).Warn("the host was not told of the end of the session", "session", s.start.ID, "error", err)
	}
}

// stopped ends the turn of a workflow that is cancelled, and the workflow.
func (s *session) stopped(ctx workflow.Context, in StepInput) error {
	ending, _ := workflow.NewDisconnectedContext(ctx)
	in.Part, in.Cancel, in.Messages, in.Answers = agent.Works, true, nil, nil
	if err := workflow.ExecuteActivity(s.options(ending, agent.Works), activityName, in).Get(ending, nil); err != nil {
		return err
	}
	return ctx.Err()
}
