package temporal

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"go.temporal.io/api/enums/v1"
	failurepb "go.temporal.io/api/failure/v1"
	"go.temporal.io/api/workflow/v1"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
	sdk "go.temporal.io/sdk/temporal"
)

// TroubleKind is what is wrong with a session.
type TroubleKind string

// What may be wrong.
const (
	Halted   TroubleKind = "halted"    // steps failed, or its host refuses it: it does nothing until Retry or a message
	Retrying TroubleKind = "retrying"  // the last step failed, and is done again by itself
	NoWorker TroubleKind = "no_worker" // nobody works on a queue
	Busy     TroubleKind = "busy"      // those who work on a queue do not take its step: they have others, or have just gone
	HostLost TroubleKind = "host_lost" // as NoWorker, of the machine that made the workspace: Move makes it again elsewhere
	Skewed   TroubleKind = "version"   // no worker can go on with it, or none of its version is there
	NoServer TroubleKind = "no_server" // Temporal does not answer
	NoStore  TroubleKind = "no_store"  // the store does not
)

// Trouble is why a session that should be at work does nothing. The zero Trouble: nothing is known to be wrong.
type Trouble struct {
	Kind    TroubleKind `json:"kind"`
	Session string      `json:"session,omitempty"` // of the sub-agent that is in trouble; "": the session is
	Queue   string      `json:"queue,omitempty"`   // on which nobody works
	Why     string      `json:"why,omitempty"`     // the error of the worker
	Do      string      `json:"do,omitempty"`      // the command that helps, or begins to
	Since   time.Time   `json:"since,omitzero"`
}

// String says what is wrong, and what to do about it; "": nothing is.
func (t Trouble) String() string {
	if t.Session != "" {
		id := t.Session
		t.Session = ""
		return "its sub-agent " + id + ": " + t.String()
	}
	text := ""
	switch t.Kind {
	case Halted:
		text = "it does nothing until it is to try again, as its last steps failed: " + t.Why
	case Retrying:
		return "its last step failed and is done again: " + t.Why
	case NoWorker:
		text = "no worker looks at the queue " + t.Queue
	case Busy:
		text = "no worker takes its next step from the queue " + t.Queue + ": they are busy, or have just gone"
	case HostLost:
		text = "the machine that has its workspace, with the queue " + t.Queue + ", is away. Either its worker is started again, or another machine makes the workspace"
	case Skewed:
		text = "no worker can go on with it: " + t.Why
	case NoServer:
		text = "the Temporal server does not answer: " + t.Why
	case NoStore:
		text = "the store of the sessions does not answer: " + t.Why
	}
	if t.Do != "" {
		text += " (" + t.Do + ")"
	}
	return text
}

// Stuck reports whether nothing happens until somebody helps.
func (t Trouble) Stuck() bool { return t.Kind != "" && t.Kind != Retrying && t.Kind != Busy }

// The times after which a session that waits for a worker is in trouble. A worker with nothing to do asks for work once a minute, so one that is gone
// is missed then.
const (
	mostWait    = 15 * time.Second
	workerAge   = 70 * time.Second
	longestLook = 5 * time.Second
	shortLook   = 2 * time.Second // for what is only of use at once
	skewedAt    = 3               // times that workers have failed with it
)

// Trouble looks why a session does nothing, or a sub-agent for which it waits. It needs no worker. The error is that of ctx.
func (c *Client) Trouble(ctx context.Context, session string) (Trouble, error) {
	looking, cancel := context.WithTimeout(ctx, 2*longestLook)
	defer cancel()
	d, err := c.Temporal.DescribeWorkflowExecution(looking, session, "")
	switch {
	case ctx.Err() != nil:
		return Trouble{}, ctx.Err()
	case Gone(err):
		return Trouble{}, nil
	case err != nil:
		return Trouble{Kind: NoServer, Why: err.Error(), Do: "rein-temporal doctor"}, nil
	case d.GetWorkflowExecutionInfo().GetStatus() != enums.WORKFLOW_EXECUTION_STATUS_RUNNING:
		return Trouble{}, nil
	}
	t, err := c.own(looking, session, d)
	for _, child := range d.GetPendingChildren() {
		if t.Kind != "" || err != nil {
			break
		}
		if t, err = c.Trouble(looking, child.GetWorkflowId()); t.Kind == "" {
			continue
		}
		if t.Session = or(t.Session, child.GetWorkflowId()); t.Kind == HostLost { // they move with the session of the user
			t.Do = moveTo(session, hostOf(t.Queue))
		}
	}
	if err != nil {
		t, err = Trouble{}, ctx.Err()
	}
	return t, err
}

// own is the trouble of a session itself.
func (c *Client) own(looking context.Context, session string, d *workflowservice.DescribeWorkflowExecutionResponse) (Trouble, error) {
	if t := c.unclaimed(looking, session, d); t.Kind != "" {
		return t, nil
	}
	if len(d.GetPendingActivities()) > 0 {
		return c.step(looking, session, d.GetPendingActivities()), nil
	}
	queue := d.GetWorkflowExecutionInfo().GetTaskQueue()
	if polled, err := Polled(looking, c.Temporal, queue, enums.TASK_QUEUE_TYPE_WORKFLOW); err == nil && !polled {
		return c.nobody(looking, queue, enums.TASK_QUEUE_TYPE_WORKFLOW, time.Time{}), nil
	}
	state, err := c.State(looking, session)
	switch {
	case errors.Is(looking.Err(), context.Canceled):
		return Trouble{}, looking.Err()
	case err != nil && !Absent(err):
		return Trouble{Kind: Skewed, Why: err.Error()}, nil
	case err != nil:
		return c.nobody(looking, queue, enums.TASK_QUEUE_TYPE_WORKFLOW, time.Time{}), nil
	case state.Trouble != "":
		return Trouble{Kind: Halted, Why: state.Trouble, Do: "rein-temporal retry " + session}, nil
	case state.Failing != "":
		return Trouble{Kind: Retrying, Why: state.Failing}, nil
	}
	return Trouble{}, nil
}

// unclaimed looks at what the workflow of a session has to do, which any worker of its queue could.
func (c *Client) unclaimed(ctx context.Context, session string, d *workflowservice.DescribeWorkflowExecutionResponse) (t Trouble) {
	p, info := d.GetPendingWorkflowTask(), d.GetWorkflowExecutionInfo()
	began := p.GetScheduledTime().AsTime()
	switch {
	case p == nil:
		return t
	case p.GetAttempt() >= skewedAt:
		why := fmt.Sprintf("they have failed with it %d times", p.GetAttempt()-1)
		if says := c.taskFailure(ctx, session); says != "" {
			why += ", the last time with: " + says
		}
		return Trouble{Kind: Skewed, Why: why, Since: began, Do: "start the version of rein-temporal that began it"}
	case p.GetState() != enums.PENDING_WORKFLOW_TASK_STATE_SCHEDULED || time.Since(began) < mostWait:
		return t
	}
	t = c.nobody(ctx, info.GetTaskQueue(), enums.TASK_QUEUE_TYPE_WORKFLOW, began)
	if build := info.GetVersioningInfo().GetDeploymentVersion().GetBuildId(); build != "" && t.Kind == Busy {
		t = Trouble{Kind: Skewed, Why: "it belongs to the build " + build + ", and none of its workers takes it", Since: began, Do: "rein-temporal worker --versioned --build-id " + build}
	}
	return t
}

// taskFailure is why workers cannot go on with a workflow, as far as its history says it.
func (c *Client) taskFailure(ctx context.Context, session string) string {
	events := c.Temporal.GetWorkflowHistory(ctx, session, "", false, enums.HISTORY_EVENT_FILTER_TYPE_ALL_EVENT)
	why := ""
	for events.HasNext() {
		e, err := events.Next()
		if err != nil {
			break
		}
		if f := e.GetWorkflowTaskFailedEventAttributes(); f != nil {
			why = c.failure(f.GetFailure())
		}
	}
	return why
}

// failure is the text of an error, without what is around it.
func (c *Client) failure(f *failurepb.Failure) string {
	err := c.Keys.failures().FailureToError(f)
	if failed := (*sdk.ApplicationError)(nil); errors.As(err, &failed) {
		return failed.Message()
	}
	return err.Error()
}

// step looks at the step that is at work, or waits for a worker.
func (c *Client) step(ctx context.Context, session string, all []*workflow.PendingActivityInfo) (t Trouble) {
	for _, a := range all {
		queue, began := a.GetActivityOptions().GetTaskQueue().GetName(), a.GetScheduledTime().AsTime()
		if a.GetState() != enums.PENDING_ACTIVITY_STATE_SCHEDULED {
			continue
		}
		if f := a.GetLastFailure(); f != nil { // the server does it again: it was scheduled for then
			t = Trouble{Kind: Retrying, Why: c.failure(f), Since: began}
		}
		if time.Since(began) < mostWait {
			if t.Kind == "" { // the step of a host that failed is another one for the server
				t = c.retrying(ctx, session)
			}
			return t
		}
		missing := c.nobody(ctx, queue, enums.TASK_QUEUE_TYPE_ACTIVITY, began)
		if missing.Kind == NoWorker && c.madeBy(ctx, session, hostOf(queue)) {
			missing.Kind, missing.Do = HostLost, moveTo(session, hostOf(queue))
		}
		return missing
	}
	return t
}

// retrying is the trouble of a session whose last step failed, where a worker says so at once: it is over when a worker takes the next one.
func (c *Client) retrying(ctx context.Context, session string) (t Trouble) {
	ctx, cancel := context.WithTimeout(ctx, shortLook)
	defer cancel()
	if state, err := c.State(ctx, session); err == nil && state.Failing != "" {
		t = Trouble{Kind: Retrying, Why: state.Failing}
	}
	return t
}

// madeBy reports whether the machine with a queue has made the workspace of a session, which others can make again.
func (c *Client) madeBy(ctx context.Context, session, queue string) bool {
	state, err := c.State(ctx, session)
	return strings.Contains(queue, ".") && err == nil && state.Kept != "" && queue == state.Host
}

// moveTo is the command that lets another machine of a host have a session, where queue is that of the one that is away.
func moveTo(session, queue string) string {
	return "rein-temporal move " + session + " " + queue[:max(0, strings.LastIndexByte(queue, '.'))]
}

// nobody is the trouble with a queue from which nobody takes what is in it.
func (c *Client) nobody(ctx context.Context, queue string, kind enums.TaskQueueType, since time.Time) Trouble {
	t := Trouble{Kind: NoWorker, Queue: queue, Since: since, Do: "rein-temporal worker --host " + hostOf(queue) + " --dir DIR"}
	if kind == enums.TASK_QUEUE_TYPE_WORKFLOW || strings.HasPrefix(queue, DefaultModels) {
		t.Do = "rein-temporal worker --models"
	}
	if team, ok := strings.CutPrefix(c.Queue, DefaultQueue+"-"); ok {
		t.Do += " --team " + team
	}
	if polled, err := Polled(ctx, c.Temporal, queue, kind); polled || err != nil {
		t.Kind, t.Do = Busy, "rein-temporal doctor"
	}
	return t
}

// Polled reports whether workers look for tasks of a queue. One that has gone counts for another minute.
func Polled(ctx context.Context, c client.Client, queue string, kind enums.TaskQueueType) (bool, error) {
	ctx, cancel := context.WithTimeout(ctx, longestLook)
	defer cancel()
	d, err := c.DescribeTaskQueue(ctx, queue, kind)
	for _, one := range d.GetPollers() {
		if time.Since(one.GetLastAccessTime().AsTime()) < workerAge {
			return true, nil
		}
	}
	return false, err
}
