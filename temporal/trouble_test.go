package temporal

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	activitypb "go.temporal.io/api/activity/v1"
	"go.temporal.io/api/enums/v1"
	"go.temporal.io/api/taskqueue/v1"
	workflowpb "go.temporal.io/api/workflow/v1"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/converter"
	"google.golang.org/protobuf/types/known/timestamppb"

	"rein/agent"
	"rein/event"
	"rein/guard"
	"rein/journal"
)

// A step that fails again and again does not keep the worker busy: the session is in trouble until a message comes.
func TestAPoisonedSession(t *testing.T) {
	w := newWorld(t, twoNotes)
	fails, steps := true, 0
	w.before = func(StepInput) error {
		if steps++; fails {
			return errors.New("the disk is full")
		}
		return nil
	}
	env := w.env()
	send(env, time.Second, Message{Text: "go"})
	env.RegisterDelayedCallback(func() {
		if s := state(t, env); !strings.Contains(s.Trouble, "the disk is full") || steps != mostFailures {
			t.Errorf("after %d steps: %+v", steps, s)
		}
		fails = false
		env.SignalWorkflow(RetryName, "")
	}, time.Hour)
	closeAfter(env, 2*time.Hour)
	env.ExecuteWorkflow(WorkflowName, Session{ID: "s1", Host: "host"})
	if last := w.last("s1"); last.Stop != event.Done {
		t.Errorf("it stopped with %+v", last)
	}
}

func TestARefusedSessionIsInTroubleAtOnce(t *testing.T) {
	w := newWorld(t, twoNotes)
	w.refuses = Refused(errors.New("there is no such directory"))
	env := w.env()
	send(env, time.Second, Message{Text: "go"})
	env.RegisterDelayedCallback(func() {
		if s := state(t, env); !strings.Contains(s.Trouble, "no such directory") {
			t.Errorf("%+v", s)
		}
	}, 1500*time.Millisecond)
	closeAfter(env, time.Hour)
	env.ExecuteWorkflow(WorkflowName, Session{ID: "s1", Host: "host"})
}

// A request that fails again and again is repeated by the server, and then not once more by the workflow.
func TestAPoisonedRequest(t *testing.T) {
	w := newWorld(t, twoNotes)
	w.before = func(in StepInput) error {
		if in.Part == agent.Asks {
			return errors.New("the disk is full")
		}
		return nil
	}
	env := w.env()
	send(env, time.Second, Message{Text: "go"})
	env.RegisterDelayedCallback(func() {
		if s := state(t, env); !strings.Contains(s.Trouble, "the disk is full") {
			t.Errorf("it is not in trouble: %+v", s)
		}
	}, 3*time.Minute)
	closeAfter(env, time.Hour)
	env.ExecuteWorkflow(WorkflowName, Session{ID: "s1", Host: "host"})
}

// A session does not go on with a journal that has lost events, before somebody says so: what it did and what it was asked is in there.
func TestADamagedJournal(t *testing.T) {
	each := func(do func(i, n int, line string) string) func(string) string {
		return func(text string) string {
			lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
			for i, line := range lines {
				lines[i] = do(i, len(lines), line)
			}
			return strings.Join(lines, "\n") + "\n"
		}
	}
	for rule, damage := range map[string]func(string) string{
		"no line can be read":    each(func(int, int, string) string { return "garbage" }),
		"it is empty":            func(string) string { return "" },
		"it is zeros":            func(text string) string { return string(make([]byte, len(text))) },
		"the second half is cut": func(text string) string { return text[:len(text)/2] },
		"one line in the middle": each(func(i, n int, line string) string {
			if i == n/2 {
				return "x" + line
			}
			return line
		}),
	} {
		t.Run(rule, func(t *testing.T) {
			w := newWorld(t, oneRisk)
			env := w.env()
			send(env, time.Second, Message{Text: "go"})
			env.RegisterDelayedCallback(func() {
				w.damage("s1", damage)
				p := state(t, env).Pending[0]
				env.UpdateWorkflow(AnswerName, "yes", &answered{}, Answer{Request: p.ID, Hash: p.Hash, Approved: true, By: guard.ByPerson("Ada")})
			}, time.Hour)
			send(env, time.Hour+time.Minute, Message{Text: "go on"}) // a message does not say that it may
			env.RegisterDelayedCallback(func() {
				if s := state(t, env); !strings.Contains(s.Trouble, "the journal of the session is damaged") || s.Steps != 3 || w.file("a") != "" {
					t.Errorf("it went on: %+v", s)
				}
				env.SignalWorkflow(RetryName, "")
			}, 2*time.Hour)
			env.RegisterDelayedCallback(func() {
				s := state(t, env)
				for _, p := range s.Pending { // where the end of the journal is lost, it asks again
					env.UpdateWorkflow(AnswerName, "again", &answered{}, Answer{Request: p.ID, Hash: p.Hash, Approved: true, By: guard.ByPerson("Ada")})
				}
				if s.Trouble != "" || s.Steps == 3 {
					t.Errorf("it does not go on: %+v", s)
				}
			}, 3*time.Hour)
			closeAfter(env, 4*time.Hour)
			env.ExecuteWorkflow(WorkflowName, Session{ID: "s1", Host: "host"})
			if last := w.last("s1"); env.GetWorkflowError() != nil || last.Stop != event.Done {
				t.Errorf("%v; it stopped with %+v", env.GetWorkflowError(), last)
			}
		})
	}
}

// damage changes the file of a journal.
func (w *world) damage(session string, change func(string) string) {
	name := filepath.Join(w.store.(Files).Dir, session, journal.FileName)
	text, err := os.ReadFile(name)
	if err == nil {
		err = os.WriteFile(name, []byte(change(string(text))), 0o600)
	}
	if err != nil {
		w.t.Fatal(err)
	}
}

// place is a Temporal server with one session, as Client.Trouble asks for it.
type place struct {
	client.Client
	began  time.Time // of the step that waits for a worker
	state  State
	polled bool
}

func (p place) DescribeWorkflowExecution(context.Context, string, string) (*workflowservice.DescribeWorkflowExecutionResponse, error) {
	return &workflowservice.DescribeWorkflowExecutionResponse{
		WorkflowExecutionInfo: &workflowpb.WorkflowExecutionInfo{Status: enums.WORKFLOW_EXECUTION_STATUS_RUNNING},
		PendingActivities: []*workflowpb.PendingActivityInfo{{State: enums.PENDING_ACTIVITY_STATE_SCHEDULED, ScheduledTime: timestamppb.New(p.began),
			ActivityOptions: &activitypb.ActivityOptions{TaskQueue: &taskqueue.TaskQueue{Name: "web"}}}},
	}, nil
}

func (p place) DescribeTaskQueue(context.Context, string, enums.TaskQueueType) (*workflowservice.DescribeTaskQueueResponse, error) {
	d := &workflowservice.DescribeTaskQueueResponse{}
	if p.polled {
		d.Pollers = []*taskqueue.PollerInfo{{LastAccessTime: timestamppb.Now()}}
	}
	return d, nil
}

func (p place) QueryWorkflow(context.Context, string, string, string, ...any) (converter.EncodedValue, error) {
	return encoded{p.state}, nil
}

type encoded struct{ State }

func (e encoded) HasValue() bool { return true }

func (e encoded) Get(to any) error {
	*to.(*State) = e.State
	return nil
}

// The trouble of a session whose host is lost goes from one kind to the next: it is not over in between, while nobody takes its step.
func TestTroubleIsNotOverBetween(t *testing.T) {
	lost := State{Failing: "the worker that did it is gone"}
	for name, row := range map[string]struct {
		place
		want TroubleKind
		do   string
	}{
		"the step has just begun to wait":   {place{began: time.Now(), polled: true}, "", ""},
		"the one before has failed":         {place{began: time.Now(), polled: true, state: lost}, Retrying, ""},
		"it waits, and the worker has gone": {place{began: time.Now().Add(-mostWait), polled: true, state: lost}, Busy, "rein-temporal doctor"},
		"nobody looks at the queue":         {place{began: time.Now().Add(-mostWait), state: lost}, NoWorker, "rein-temporal worker --host web --dir DIR --team tea"},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := (&Client{Temporal: row.place, Queue: TeamQueue(DefaultQueue, "tea")}).Trouble(t.Context(), "s1")
			if err != nil || got.Kind != row.want || got.Do != row.do {
				t.Errorf("%q (%v) and not %q: %v", got.Kind, got, row.want, err)
			}
		})
	}
}
