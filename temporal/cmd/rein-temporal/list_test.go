package main

import (
	"bytes"
	"context"
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"
	"time"

	activitypb "go.temporal.io/api/activity/v1"
	commonpb "go.temporal.io/api/common/v1"
	"go.temporal.io/api/enums/v1"
	failurepb "go.temporal.io/api/failure/v1"
	querypb "go.temporal.io/api/query/v1"
	taskqueuepb "go.temporal.io/api/taskqueue/v1"
	workflowpb "go.temporal.io/api/workflow/v1"
	"go.temporal.io/api/workflowservice/v1"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/timestamppb"

	"rein/event"
	"rein/journal"
	"rein/temporal"
)

// listing is a server that has sessions.
type listing struct {
	remote
	keys    temporal.Keys
	all     []*workflowpb.WorkflowExecutionInfo
	pending map[string]*workflowpb.PendingActivityInfo
	tasks   map[string]*workflowpb.PendingWorkflowTaskInfo
	states  map[string]temporal.State
	below   map[string][]string  // sub-agents that work
	asked   map[string]time.Time // when workers looked at a queue
}

func (l *listing) ListWorkflowExecutions(context.Context, *workflowservice.ListWorkflowExecutionsRequest) (*workflowservice.ListWorkflowExecutionsResponse, error) {
	return &workflowservice.ListWorkflowExecutionsResponse{Executions: l.all}, nil
}

func (l *listing) DescribeWorkflowExecution(_ context.Context, in *workflowservice.DescribeWorkflowExecutionRequest) (*workflowservice.DescribeWorkflowExecutionResponse, error) {
	out := &workflowservice.DescribeWorkflowExecutionResponse{PendingWorkflowTask: l.tasks[in.GetExecution().GetWorkflowId()]}
	for _, w := range l.all {
		if w.GetExecution().GetWorkflowId() == in.GetExecution().GetWorkflowId() {
			out.WorkflowExecutionInfo = w
		}
	}
	if a := l.pending[in.GetExecution().GetWorkflowId()]; a != nil {
		out.PendingActivities = append(out.PendingActivities, a)
	}
	for _, id := range l.below[in.GetExecution().GetWorkflowId()] {
		out.PendingChildren = append(out.PendingChildren, &workflowpb.PendingChildExecutionInfo{WorkflowId: id})
	}
	return out, nil
}

func (l *listing) DescribeTaskQueue(_ context.Context, in *workflowservice.DescribeTaskQueueRequest) (*workflowservice.DescribeTaskQueueResponse, error) {
	out := &workflowservice.DescribeTaskQueueResponse{}
	if at, ok := l.asked[in.GetTaskQueue().GetName()]; ok {
		out.Pollers = append(out.Pollers, &taskqueuepb.PollerInfo{LastAccessTime: timestamppb.New(at)})
	}
	return out, nil
}

func (l *listing) QueryWorkflow(_ context.Context, in *workflowservice.QueryWorkflowRequest) (*workflowservice.QueryWorkflowResponse, error) {
	s, ok := l.states[in.GetExecution().GetWorkflowId()]
	if !ok {
		return &workflowservice.QueryWorkflowResponse{QueryRejected: &querypb.QueryRejected{}}, status.Error(codes.DeadlineExceeded, "nobody answers")
	}
	text, err := l.keys.Converter().ToPayloads(s)
	return &workflowservice.QueryWorkflowResponse{QueryResult: text}, err
}

// adds adds a session.
func (l *listing) adds(t *testing.T, store, id, host, text string, open bool) {
	t.Helper()
	memo, err := l.keys.Converter().ToPayload(host)
	if err != nil {
		t.Fatal(err)
	}
	w := &workflowpb.WorkflowExecutionInfo{Execution: &commonpb.WorkflowExecution{WorkflowId: id}, Type: &commonpb.WorkflowType{Name: temporal.WorkflowName}, TaskQueue: temporal.DefaultQueue,
		StartTime: timestamppb.New(time.Now().Add(-3 * time.Minute)), Status: enums.WORKFLOW_EXECUTION_STATUS_COMPLETED, Memo: &commonpb.Memo{Fields: map[string]*commonpb.Payload{"host": memo}}}
	if open {
		w.Status = enums.WORKFLOW_EXECUTION_STATUS_RUNNING
	}
	l.all = append(l.all, w)
	log, err := journal.Resume(filepath.Join(store, id))
	if err == nil {
		err = log.Append(event.Event{Kind: event.Started, Session: id, Time: time.Now().Add(-2 * time.Hour), Start: &event.Start{}}, event.Event{Kind: event.Prompted, Session: id, Time: time.Now(), Text: text})
	}
	if err == nil {
		err = log.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
}

// The list says of each session what it does, on which host, how old it is and how it began; and why nothing happens in it.
func TestTheListOfSessions(t *testing.T) {
	store := t.TempDir()
	old := timestamppb.New(time.Now().Add(-time.Minute))
	scheduled := func(queue string) *workflowpb.PendingActivityInfo {
		return &workflowpb.PendingActivityInfo{State: enums.PENDING_ACTIVITY_STATE_SCHEDULED, ScheduledTime: old, Attempt: 1, ActivityOptions: &activitypb.ActivityOptions{TaskQueue: &taskqueuepb.TaskQueue{Name: queue}}}
	}
	failed := func(queue string, at time.Time) *workflowpb.PendingActivityInfo { // a server says the time of the next attempt only while it is to come
		a := scheduled(queue)
		a.Attempt, a.ScheduledTime, a.LastFailure = 2, timestamppb.New(at), &failurepb.Failure{Message: "the provider answers 529"}
		if time.Until(at) > 0 {
			a.NextAttemptScheduleTime = a.ScheduledTime
		}
		return a
	}
	l := &listing{pending: map[string]*workflowpb.PendingActivityInfo{}, tasks: map[string]*workflowpb.PendingWorkflowTaskInfo{}, asked: map[string]time.Time{temporal.DefaultQueue: time.Now(), "busy": time.Now().Add(-50 * time.Second), "gone": time.Now().Add(-2 * time.Minute)},
		states: map[string]temporal.State{}}
	for _, row := range []struct {
		id, host string
		state    temporal.State
		activity *workflowpb.PendingActivityInfo
		task     *workflowpb.PendingWorkflowTaskInfo
	}{
		{id: "s-idle", host: "web", state: temporal.State{Host: "web", Stop: event.Done}},
		{id: "s-waits", host: "web", state: temporal.State{Host: "web", Stop: event.Waiting, Due: "works", Pending: []temporal.Pending{{ID: "c1"}}}},
		{id: "s-works", host: "web", state: temporal.State{Host: "web", Working: "works"}, activity: &workflowpb.PendingActivityInfo{State: enums.PENDING_ACTIVITY_STATE_STARTED, ScheduledTime: old}},
		{id: "s-halted", host: "web", state: temporal.State{Host: "web", Due: "works", Trouble: "the disk is full"}},
		{id: "s-fails", host: "web", state: temporal.State{Host: "web", Due: "works", Failing: "the bucket answers 503"}},
		{id: "s-busy", host: "busy", state: temporal.State{Host: "busy", Working: "works"}, activity: scheduled("busy")},
		{id: "s-gone", host: "gone", state: temporal.State{Host: "gone", Working: "works"}, activity: scheduled("gone")},
		{id: "s-again", host: "gone", state: temporal.State{Host: "gone", Working: "works"}, activity: failed("gone", time.Now().Add(time.Minute))},
		{id: "s-alone", host: "gone", state: temporal.State{Host: "gone", Working: "works"}, activity: failed("gone", time.Now().Add(-time.Minute))},
		{id: "s-lost", host: "pool", state: temporal.State{Host: "pool.4f1c", Kept: "kept-1", Working: "works"}, activity: scheduled("pool.4f1c")},
		{id: "s-skewed", host: "web", task: &workflowpb.PendingWorkflowTaskInfo{State: enums.PENDING_WORKFLOW_TASK_STATE_STARTED, Attempt: 5, ScheduledTime: old}},
	} {
		l.adds(t, store, row.id, row.host, "look at\nthe "+row.id+" \x1b[31mtests", true)
		l.pending[row.id], l.tasks[row.id] = row.activity, row.task
		if row.task == nil {
			l.states[row.id] = row.state
		}
	}
	l.adds(t, store, "s-closed", "web", "it is over", false)
	address := startServer(t, l, nil)
	run := func(args ...string) string {
		var out bytes.Buffer
		p := &program{in: strings.NewReader(""), out: &out, err: &out, getenv: func(name string) string {
			return map[string]string{"TEMPORAL_ADDRESS": address, "REIN_TEMPORAL_STORE": store, "HOME": store}[name]
		}}
		if code := p.run(t.Context(), append([]string{"list"}, args...)); code != 0 {
			t.Errorf("%q: code %d", args, code)
		}
		return out.String()
	}
	states, kinds := map[string]string{}, map[string]string{}
	for line := range strings.Lines(run("--json")) {
		var s listedSession
		if err := json.Unmarshal([]byte(line), &s); err != nil || s.Text == "" || time.Since(s.Began) < time.Hour {
			t.Errorf("%v: %s", err, line)
		}
		if states[s.ID] = string(s.State); s.Trouble != nil {
			kinds[s.ID] = string(s.Trouble.Kind) + " " + s.Trouble.Do
		}
	}
	for id, want := range map[string][2]string{
		"s-idle": {"idle"}, "s-waits": {"waiting"}, "s-works": {"working"}, "s-closed": {"closed"},
		"s-halted": {"stuck", "halted rein-temporal retry s-halted"},
		"s-fails":  {"working", "retrying "},
		"s-busy":   {"working", "busy rein-temporal doctor"},
		"s-gone":   {"stuck", "no_worker rein-temporal worker --host gone --dir DIR"},
		"s-again":  {"working", "retrying "},
		"s-alone":  {"stuck", "no_worker rein-temporal worker --host gone --dir DIR"},
		"s-lost":   {"stuck", "host_lost rein-temporal move s-lost pool"},
		"s-skewed": {"stuck", "version start the version of rein-temporal that began it"},
	} {
		if states[id] != want[0] || kinds[id] != want[1] {
			t.Errorf("%s: %q, %q", id, states[id], kinds[id])
		}
	}
	table := run("--host", "web")
	for _, says := range []string{"s-idle", "2 h ago", "the s-idle [31mtests", "! it does nothing until it is to try again, as its last steps failed: the disk is full (rein-temporal retry s-halted)"} {
		if !strings.Contains(table, says) {
			t.Errorf("it does not say %q:\n%s", says, table)
		}
	}
	if strings.Contains(table, "s-gone") || strings.Contains(table, "\x1b") {
		t.Errorf("%q", table)
	}
	if some := run("-n", "2"); !strings.Contains(some, "2 of 12 sessions") || strings.Contains(some, "s-closed") {
		t.Error(some)
	}
	if stuck := run("--state", "stuck", "-n", "3"); !strings.Contains(stuck, "3 of 5 sessions") || strings.Contains(stuck, "s-idle") {
		t.Error(stuck)
	}
}

// The trouble of a sub-agent is that of the session which waits for it, at any depth.
func TestTheTroubleOfASubAgent(t *testing.T) {
	store, old := t.TempDir(), timestamppb.New(time.Now().Add(-time.Minute))
	activity := func(state enums.PendingActivityState, queue, failure string) *workflowpb.PendingActivityInfo {
		a := &workflowpb.PendingActivityInfo{State: state, ScheduledTime: old, Attempt: 1, ActivityOptions: &activitypb.ActivityOptions{TaskQueue: &taskqueuepb.TaskQueue{Name: queue}}}
		if failure != "" {
			a.LastFailure, a.ScheduledTime = &failurepb.Failure{Message: failure}, timestamppb.New(time.Now().Add(time.Minute))
		}
		return a
	}
	const started, scheduled = enums.PENDING_ACTIVITY_STATE_STARTED, enums.PENDING_ACTIVITY_STATE_SCHEDULED
	l := &listing{pending: map[string]*workflowpb.PendingActivityInfo{}, below: map[string][]string{}, states: map[string]temporal.State{},
		asked: map[string]time.Time{temporal.DefaultQueue: time.Now(), "web": time.Now()}}
	for id, row := range map[string]struct {
		below    []string
		activity *workflowpb.PendingActivityInfo
		state    temporal.State
	}{
		"root":   {below: []string{"fine", "middle"}, activity: activity(started, "web", "")},
		"fine":   {activity: activity(started, "web.agents1", "")},
		"middle": {below: []string{"low"}, activity: activity(started, "web.agents1", "")},
		"low":    {activity: activity(scheduled, "web.agents2", "")},
		"pooled": {below: []string{"lost"}, activity: activity(started, "pool.4f1c", "")},
		"lost":   {activity: activity(scheduled, "pool.4f1c.agents1", ""), state: temporal.State{Host: "pool.4f1c", Kept: "kept-1", Working: "works"}},
		"asks":   {below: []string{"again"}, activity: activity(started, "web", "")},
		"again":  {activity: activity(scheduled, "rein-models", "the provider answers 529")},
		"rests":  {below: []string{"halted"}, state: temporal.State{Host: "web", Stop: event.Done}},
		"halted": {state: temporal.State{Host: "web", Trouble: "the disk is full"}},
	} {
		l.adds(t, store, id, "web", "look", true)
		l.below[id], l.states[id] = row.below, row.state
		if row.activity != nil {
			l.pending[id] = row.activity
		}
	}
	var out bytes.Buffer
	address := startServer(t, l, nil)
	p := &program{in: strings.NewReader(""), out: &out, err: &out, getenv: func(name string) string {
		return map[string]string{"TEMPORAL_ADDRESS": address, "REIN_TEMPORAL_STORE": store, "HOME": store}[name]
	}}
	p.run(t.Context(), []string{"list", "--json"})
	for line := range strings.Lines(out.String()) {
		var s listedSession
		if err := json.Unmarshal([]byte(line), &s); err != nil {
			t.Fatal(err, line)
		}
		want := map[string]string{
			"root":   "its sub-agent low: no worker looks at the queue web.agents2 (rein-temporal worker --host web --dir DIR)",
			"pooled": "its sub-agent lost: the machine that has its workspace, with the queue pool.4f1c.agents1, is away. Either its worker is started again, or another machine makes the workspace (rein-temporal move pooled pool)",
			"asks":   "its sub-agent again: its last step failed and is done again: the provider answers 529",
			"rests":  "its sub-agent halted: it does nothing until it is to try again, as its last steps failed: the disk is full (rein-temporal retry halted)",
		}[s.ID]
		if got := s.Trouble; want != "" && (got == nil || got.String() != want) || s.ID == "fine" && got != nil {
			t.Errorf("%s: %v", s.ID, got)
		}
	}
}
