package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	commonpb "go.temporal.io/api/common/v1"
	"go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	workflowpb "go.temporal.io/api/workflow/v1"
	"go.temporal.io/api/workflowservice/v1"

	"rein/event"
	"rein/journal"
	"rein/temporal"
)

// keeping is a server whose sessions end when they are closed.
type keeping struct {
	listing
	mu     sync.Mutex
	status map[string]enums.WorkflowExecutionStatus
	closes []string
	closed func(id string) // what happens then
}

func (k *keeping) DescribeWorkflowExecution(_ context.Context, in *workflowservice.DescribeWorkflowExecutionRequest) (*workflowservice.DescribeWorkflowExecutionResponse, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	id := in.GetExecution().GetWorkflowId()
	status, ok := k.status[id]
	if !ok {
		return nil, serviceerror.ToStatus(serviceerror.NewNotFound("no such workflow")).Err()
	}
	return &workflowservice.DescribeWorkflowExecutionResponse{WorkflowExecutionInfo: &workflowpb.WorkflowExecutionInfo{Execution: &commonpb.WorkflowExecution{WorkflowId: id}, Status: status}}, nil
}

func (k *keeping) SignalWorkflowExecution(_ context.Context, in *workflowservice.SignalWorkflowExecutionRequest) (*workflowservice.SignalWorkflowExecutionResponse, error) {
	k.mu.Lock()
	id := in.GetWorkflowExecution().GetWorkflowId()
	k.closes = append(k.closes, in.GetSignalName()+" "+id)
	k.status[id] = enums.WORKFLOW_EXECUTION_STATUS_COMPLETED
	k.mu.Unlock()
	if k.closed != nil {
		k.closed(id)
	}
	return &workflowservice.SignalWorkflowExecutionResponse{}, nil
}

// records makes the journal of a session of which the last event is so many days old.
func records(t *testing.T, store, id string, days int, all ...event.Event) {
	t.Helper()
	log, err := journal.Resume(filepath.Join(store, id))
	for _, e := range all {
		if e.Session, e.Time = id, time.Now().AddDate(0, 0, -days); err == nil {
			err = log.Append(e)
		}
	}
	if err == nil {
		err = log.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
}

// Old sessions are removed with their sub-agents, and only those in which nothing runs or waits.
func TestOldSessionsAreRemoved(t *testing.T) {
	const runs, over = enums.WORKFLOW_EXECUTION_STATUS_RUNNING, enums.WORKFLOW_EXECUTION_STATUS_COMPLETED
	asked, done := event.Event{Kind: event.Prompted, Text: "make the tests pass"}, event.Event{Kind: event.Stopped, Stop: event.Done}
	starts := func(child string) event.Event { return event.Event{Kind: event.SubAgentStarted, Child: child} }
	of := func(parent string) event.Event { return event.Event{Kind: event.Prompted, Parent: parent} }
	waits := event.Event{Kind: event.Stopped, Stop: event.Waiting}
	var store string
	k := &keeping{listing: listing{states: map[string]temporal.State{}}}
	fresh := func() {
		store = t.TempDir()
		k.status, k.closes, k.closed = map[string]enums.WorkflowExecutionStatus{}, nil, nil
		for id, state := range map[string]temporal.State{"idle": {Stop: event.Done}, "waits": {Stop: event.Waiting, Pending: []temporal.Pending{{ID: "c1"}}},
			"works": {Working: "works"}, "halted": {Trouble: "the disk is full", Stop: event.Done}, "told": {Stop: event.Done, Messages: []temporal.Message{{Text: "go on"}}}} {
			k.states[id], k.status[id] = state, runs
			records(t, store, id, 100, asked, done)
		}
		k.status["silent"] = runs // no worker answers
		records(t, store, "silent", 100, asked, done)
		k.status["closed"] = over
		records(t, store, "closed", 100, asked, waits) // closed while it waited
		records(t, store, "unknown", 100, asked, done)
		records(t, store, "elsewhere", 100, asked, waits) // of another namespace, maybe
		records(t, store, "young", 10, asked, done)
		records(t, store, "parent", 100, asked, starts("child"), done)
		records(t, store, "child", 100, of("parent"), starts("grandchild"), done)
		records(t, store, "grandchild", 100, of("child"), done)
		records(t, store, "busy", 100, asked, starts("late"), done)
		records(t, store, "late", 10, of("busy"), done)
		records(t, store, "above", 100, asked, starts("open"), done)
		records(t, store, "open", 100, of("above"), done)
		k.status["open"] = runs
	}
	t.Setenv("REIN_HOME", t.TempDir())
	fresh()
	address := startServer(t, k, nil)
	run := func(in string, args ...string) (code int, says string) {
		var out bytes.Buffer
		p := &program{in: strings.NewReader(in), out: &out, err: &out, getenv: func(name string) string {
			return map[string]string{"TEMPORAL_ADDRESS": address, "REIN_TEMPORAL_STORE": store, "HOME": store}[name]
		}}
		return p.run(t.Context(), append([]string{"prune"}, args...)), out.String()
	}
	left := func() (all []string) {
		entries, _ := os.ReadDir(store)
		for _, e := range entries {
			if e.IsDir() {
				all = append(all, e.Name())
			}
		}
		return all
	}
	before := left()
	for _, in := range [][]string{{"--days", "90", "--dry-run"}, {"--days", "90"}, {"parent", "--dry-run"}} { // nobody says yes
		if code, says := run("", in...); !slices.Equal(left(), before) || len(k.closes) > 0 || (code == 0) != slices.Contains(in, "--dry-run") {
			t.Errorf("%q: code %d, %q, %v\n%s", in, code, left(), k.closes, says)
		}
	}
	code, says := run("y\n", "--days", "90")
	for _, want := range []string{"4 sessions deleted", "waits stays: it waits for an answer", "works stays: it is at work", "told stays: it is at work", "halted stays: it is in trouble",
		"silent stays: it is open, and no worker says what it does", "elsewhere stays: its last turn has not ended", "above stays: its sub-agent open is at work", "  make the tests pass"} {
		if !strings.Contains(says, want) {
			t.Errorf("it does not say %q:\n%s", want, says)
		}
	}
	if want := []string{"above", "busy", "elsewhere", "halted", "late", "open", "silent", "told", "waits", "works", "young"}; code != 0 || !slices.Equal(left(), want) || !slices.Equal(k.closes, []string{"close idle"}) {
		t.Errorf("code %d, left are %q, %v", code, left(), k.closes)
	}
	for _, row := range []struct {
		id   string
		code int
		says string
	}{{"elsewhere", 0, "1 session deleted"}, {"young", 0, "1 session deleted"}, {"waits", failed, "it waits for an answer"}, {"late", failed, "it goes with the one above it, busy"}, {"young", failed, "there is no session young in "}} {
		if code, says := run("", row.id, "--yes"); code != row.code || !strings.Contains(says, row.says) {
			t.Errorf("%s: code %d: %s", row.id, code, says)
		}
	}
	fresh()
	k.closed = func(id string) { records(t, store, id, 0, asked) } // a message comes at the last moment
	if code, says := run("", "idle", "--yes"); code != failed || !slices.Contains(left(), "idle") || !strings.Contains(says, "its last event is 3, and was 2") {
		t.Errorf("code %d, %q: %s", code, left(), says)
	}
	for _, args := range [][]string{{"--days", "-1"}, {}, {"idle", "--days", "9"}} {
		if code, says := run("", args...); code != usage {
			t.Errorf("%q: code %d: %s", args, code, says)
		}
	}
}
