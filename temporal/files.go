package temporal

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/client"
	sdk "go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"rein/agent"
)

// FilesName is an update: a question about what a session did to the files of its host, or what is to be done with them. It takes JSON that
// the host understands, and gives the name under which the Store has the answer. While a step is at work it is refused.
const FilesName = "files"

// filesActivity is done on the host.
const filesActivity = "rein.files"

// asksFiles is what a session does while its host answers.
const asksFiles agent.Part = "files"

// FilesInput is a question for an activity.
type FilesInput struct {
	StepInput
	Question json.RawMessage `json:"question"`
}

// FilesResult is what the workflow gets to know of the answer.
type FilesResult struct {
	StepResult
	Answer string `json:"answer"` // the name under which the answer is kept
}

// RequestName is the name under which the Store of a session has what a person is shown of an approval request: JSON, where the host keeps
// that.
func RequestName(call, hash string) string { return "request-" + sumOf(call+" "+hash) }

// ErrBusy means that a session is at work.
var ErrBusy = errors.New("the session is at work: wait for the end of its turn, or cancel it")

// ErrAbsent means that no worker of a host takes a question.
var ErrAbsent = errors.New("nobody works on the host")

// Files is the activity. It opens the session as a step does, so that what it does to files is recorded; no step is at work meanwhile.
func (w *stepper) Files(ctx context.Context, in FilesInput) (out FilesResult, err error) {
	defer beating(ctx)()
	out.StepResult, err = w.opened(ctx, in.StepInput, func(ctx context.Context, s *step, o Opened) error {
		if o.Files == nil {
			return Refused(errors.New("this host keeps nothing of what sessions do to files"))
		}
		answer, err := o.Files(ctx, in.Question)
		if err == nil {
			out.Answer = "files-" + sumOf(string(answer))
			err = w.store.Put(context.WithoutCancel(ctx), in.Session, out.Answer, answer)
		}
		s.out.Seq, s.out.Host, s.out.Ends = max(in.After, s.log.seq), o.Host, o.Ends
		if o.Keep != nil && err == nil {
			s.out.Kept, err = o.Keep(context.WithoutCancel(ctx), false)
		}
		return errors.Join(err, s.log.failed())
	})
	return out, err
}

// asksHost does the update.
func (s *session) asksHost(ctx workflow.Context, question json.RawMessage) (name string, err error) {
	if err := s.refusesFiles(question); err != nil { // two may have been accepted at once
		return "", err
	}
	s.Working = asksFiles
	defer func() { s.Working = "" }()
	in := FilesInput{StepInput: StepInput{Session: s.start.ID, About: s.start.About, After: s.Seq, Kept: s.Kept, LeftOut: s.LeftOut}, Question: question}
	asked := s.Host
	var out FilesResult
	o := workflow.ActivityOptions{TaskQueue: asked, HeartbeatTimeout: s.lost(), ScheduleToStartTimeout: filesStart, StartToCloseTimeout: longestFiles,
		WaitForCancellation: true, RetryPolicy: &sdk.RetryPolicy{MaximumAttempts: 1}}
	err = workflow.ExecuteActivity(workflow.WithActivityOptions(ctx, o), filesActivity, in).Get(ctx, &out)
	s.Seq, s.Kept, s.Ends = max(s.Seq, out.Seq), or(out.Kept, s.Kept), s.Ends || out.Ends
	if out.Host != "" && s.Host == asked {
		s.Host = out.Host
	}
	if late := (*sdk.TimeoutError)(nil); errors.As(err, &late) && late.TimeoutType() == enums.TIMEOUT_TYPE_SCHEDULE_TO_START {
		err = sdk.NewNonRetryableApplicationError(s.Host+": rein-temporal worker --host "+s.Host+" --dir DIR starts a worker there", "absent", nil)
	}
	return out.Answer, err
}

// refusesFiles is why the host is not asked now; nil: it is.
func (s *session) refusesFiles(json.RawMessage) error {
	if s.Working != "" || s.ready() {
		return sdk.NewNonRetryableApplicationError(ErrBusy.Error(), "busy", nil)
	}
	return nil
}

// Files asks the host of a session about what the session did to files, or has it changed: see Opened.Files. The error is ErrBusy while
// the session is at work.
func (c *Client) Files(ctx context.Context, session string, question json.RawMessage) (json.RawMessage, error) {
	if len(question) > mostInline {
		return nil, fmt.Errorf("the question has %d bytes, and may have %d", len(question), mostInline)
	}
	h, err := c.Temporal.UpdateWorkflow(ctx, client.UpdateWorkflowOptions{WorkflowID: session, UpdateName: FilesName, Args: []any{question},
		WaitForStage: client.WorkflowUpdateStageCompleted})
	var name string
	if err == nil {
		err = h.Get(ctx, &name)
	}
	if app := (*sdk.ApplicationError)(nil); errors.As(err, &app) {
		switch app.Type() {
		case "busy":
			return nil, ErrBusy
		case "absent":
			return nil, fmt.Errorf("%w %s", ErrAbsent, app.Message())
		}
	}
	if err != nil {
		return nil, err
	}
	return c.Store.Get(ctx, session, name)
}

// Gone reports whether an error means that no workflow of the session runs.
func Gone(err error) bool {
	gone := (*serviceerror.NotFound)(nil)
	return errors.As(err, &gone)
}

// Absent reports whether an error means that no worker has answered in time, or that the server has seen none.
func Absent(err error) bool {
	late, unseen := (*serviceerror.DeadlineExceeded)(nil), (*serviceerror.FailedPrecondition)(nil)
	return errors.Is(err, context.DeadlineExceeded) || errors.As(err, &late) || errors.As(err, new(*client.WorkflowUpdateServiceTimeoutOrCanceledError)) ||
		errors.As(err, &unseen) && strings.Contains(unseen.Error(), "no poller")
}
