package main

import (
	"bytes"
	"context"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.temporal.io/api/serviceerror"
	"go.temporal.io/api/workflowservice/v1"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"rein/event"
	"rein/journal"
	"rein/temporal"
)

// alone is a server without workers: it takes messages as signals.
type alone struct {
	listing
	sent string // the id of the session that got a message
}

func (a *alone) QueryWorkflow(context.Context, *workflowservice.QueryWorkflowRequest) (*workflowservice.QueryWorkflowResponse, error) {
	return nil, serviceerror.ToStatus(serviceerror.NewFailedPrecondition("no poller seen for task queue recently, worker may be down")).Err()
}

func (a *alone) UpdateWorkflowExecution(context.Context, *workflowservice.UpdateWorkflowExecutionRequest) (*workflowservice.UpdateWorkflowExecutionResponse, error) {
	return nil, status.Error(codes.DeadlineExceeded, "nobody answers")
}

func (a *alone) SignalWorkflowExecution(_ context.Context, in *workflowservice.SignalWorkflowExecutionRequest) (*workflowservice.SignalWorkflowExecutionResponse, error) {
	a.sent = in.GetWorkflowExecution().GetWorkflowId()
	return &workflowservice.SignalWorkflowExecutionResponse{}, nil
}

// ended records the end of a turn.
func ended(t *testing.T, store, id string) {
	t.Helper()
	log, err := journal.Resume(filepath.Join(store, id))
	if err == nil {
		err = log.Append(event.Event{Kind: event.Responded, Session: id, Time: time.Now(), Text: "They pass."}, event.Event{Kind: event.Stopped, Session: id, Time: time.Now(), Stop: event.Done})
	}
	if err == nil {
		err = log.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
}

// Who attaches to a session in trouble for which a message waits learns of it, and stays until the turn of the message is over.
func TestAttachWaitsForMessages(t *testing.T) {
	store := t.TempDir()
	l := &listing{states: map[string]temporal.State{"s1": {Seq: 4, Stop: event.Done, Trouble: "the disk is full", Messages: []temporal.Message{{ID: "m1", Text: "more"}}}},
		asked: map[string]time.Time{temporal.DefaultQueue: time.Now()}}
	l.adds(t, store, "s1", "web", "look at the tests", true)
	ended(t, store, "s1")
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
	defer cancel()
	var out, told bytes.Buffer
	address := startServer(t, l, nil)
	p := &program{in: strings.NewReader(""), out: &out, err: &told, getenv: func(name string) string {
		return map[string]string{"TEMPORAL_ADDRESS": address, "REIN_TEMPORAL_STORE": store, "HOME": store}[name]
	}}
	if code := p.run(ctx, []string{"attach", "s1"}); code != left || !strings.Contains(out.String(), "They pass.") {
		t.Errorf("code %d:\n%s%s", code, out.String(), told.String())
	}
}

// Where no worker is there, what is recorded can be looked at, a message is kept by the server, and all else says what helps.
func TestNoWorkerAnswers(t *testing.T) {
	store, a := t.TempDir(), &alone{}
	for _, id := range []string{"s-done", "s-closed"} {
		a.adds(t, store, id, "web", "look at the tests", id != "s-closed")
		ended(t, store, id)
	}
	address := startServer(t, a, nil)
	for _, row := range []struct {
		args, says string
		code       int
	}{
		{"attach s-done", "They pass.", 0},
		{"state s-done", "no answer in time: rein-temporal doctor looks for", 1},
		{"answer s-done c1 yes", "no answer in time: rein-temporal doctor looks for", 1},
		{"send s-done more", "", 0},
		{"send s-closed more", "no workflow of a session s-closed runs: rein-temporal start --id s-closed begins one", 1},
	} {
		t.Run(row.args, func(t *testing.T) {
			var out bytes.Buffer
			p := &program{in: strings.NewReader(""), out: &out, err: &out, getenv: func(name string) string {
				return map[string]string{"TEMPORAL_ADDRESS": address, "REIN_TEMPORAL_STORE": store, "HOME": store}[name]
			}}
			if code := p.run(t.Context(), strings.Fields(row.args)); code != row.code || !strings.Contains(out.String(), row.says) {
				t.Errorf("code %d:\n%s", code, out.String())
			}
		})
	}
	if a.sent != "s-done" {
		t.Errorf("a message went to %q", a.sent)
	}
}

// A step that fails again and again is said once, and that it is over when nothing has failed for a while.
func TestTroubleIsSaidOnce(t *testing.T) {
	fails, alone := temporal.Trouble{Kind: temporal.Retrying, Why: "503"}, temporal.Trouble{Kind: temporal.NoWorker, Queue: "web"}
	s, began := troubles{}, time.Now()
	for _, row := range []struct {
		at    int // seconds
		now   temporal.Trouble
		words string
	}{
		{0, temporal.Trouble{}, ""},
		{2, fails, "its last step failed and is done again: 503"},
		{4, temporal.Trouble{}, ""}, // it is at work again
		{6, fails, ""},
		{8, temporal.Trouble{}, ""},
		{17, temporal.Trouble{}, "the trouble is over"},
		{19, temporal.Trouble{}, ""},
		{21, alone, "no worker looks at the queue web"},
		{23, temporal.Trouble{}, "the trouble is over"}, // a worker has taken it
		{25, alone, "no worker looks at the queue web"},
	} {
		if got := s.news(row.now, began.Add(time.Duration(row.at)*time.Second)); got != row.words {
			t.Errorf("at %d s it says %q and not %q", row.at, got, row.words)
		}
	}
}
