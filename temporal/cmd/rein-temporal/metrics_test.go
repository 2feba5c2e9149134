package main

import (
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"rein/event"
	"rein/guard"
	"rein/model"
	"rein/tool"
)

func counting(t *testing.T) *metrics {
	t.Helper()
	m, err := newMetrics(func(line string) { t.Error(line) })
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(m.close)
	return m
}

// Prometheus gets what Temporal's client counts, what the sessions of the worker do, and what the process uses.
func TestMetrics(t *testing.T) {
	m := counting(t)
	queue := m.temporal.WithTags(map[string]string{"task_queue": "web"})
	queue.Counter("temporal_workflow_completed").Inc(2)
	queue.Timer("temporal_activity_execution_latency").Record(7 * time.Second)
	m.temporal.WithTags(map[string]string{"worker_type": "ActivityWorker"}).Gauge("temporal_num_pollers").Update(3)
	call := &tool.Call{ID: "1", Name: "read_file"}
	for _, e := range []event.Event{{Kind: event.Prompted}, {Kind: event.Called, Call: call}, {Kind: event.Replied, Call: call, Result: &tool.Result{}}} {
		e.Session = "one"
		m.reports.Watch(e)
	}
	at, stop, err := m.listen(t.Context(), "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer stop()
	r, err := http.Get("http://" + at.String() + "/metrics")
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	text, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{
		`temporal_workflow_completed_total{task_queue="web"} 2`,
		`temporal_activity_execution_latency_seconds_bucket{task_queue="web",le="5"} 0`,
		`temporal_activity_execution_latency_seconds_bucket{task_queue="web",le="10"} 1`,
		`temporal_num_pollers{worker_type="ActivityWorker"} 3`,
		`rein_calls_total{gen_ai_tool_name="read_file",outcome="ok"} 1`,
		"go_goroutines ", "process_resident_memory_bytes ",
	} {
		if !strings.Contains("\n"+string(text), "\n"+line) {
			t.Errorf("no line %s", line)
		}
	}
	if t.Failed() {
		t.Logf("%s", text)
	}
}

// A place that is taken, or is none, stops the worker before it begins.
func TestMetricsAtNoPlace(t *testing.T) {
	m := counting(t)
	at, stop, err := m.listen(t.Context(), "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer stop()
	for _, address := range []string{at.String(), "here", "127.0.0.1:99999"} {
		if _, _, err := m.listen(t.Context(), address); err == nil {
			t.Errorf("it listens at %s", address)
		}
	}
}

// A worker that only asks models counts requests too.
func TestRequestsAreCounted(t *testing.T) {
	m := counting(t)
	script := filepath.Join(t.TempDir(), "script.yaml")
	if err := os.WriteFile(script, []byte("turns: [{text: one}]\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("REIN_HOME", t.TempDir())
	open, err := models(os.Getenv, m.reports)
	if err != nil {
		t.Fatal(err)
	}
	asked, err := open(t.Context(), "script/"+script)
	if err != nil {
		t.Fatal(err)
	}
	for _, err := range asked.Stream(t.Context(), &model.Request{Session: "one", Messages: []*model.Message{{Role: model.User, Parts: []model.Part{model.Text("go")}}}}) {
		if err != nil {
			t.Fatal(err)
		}
	}
	var text strings.Builder
	if err := m.write(&text); err != nil || !strings.Contains(text.String(), "gen_ai_client_operation_duration_seconds_count{") {
		t.Errorf("%v\n%s", err, text.String())
	}
}

// Who has content reported gets none of the secrets that the hosts know.
func TestReportsHideSecretsOfHosts(t *testing.T) {
	t.Setenv("REIN_HOME", t.TempDir())
	t.Setenv("DEPLOY_TOKEN", "q8Zr2LmVx0TyPw4N")
	m := counting(t)
	h, err := hosting{store: t.TempDir(), loosest: guard.Supervised, metrics: m, warn: func(string) {}}.open(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	told := m.masked("it is q8Zr2LmVx0TyPw4N")
	h.close()
	if strings.Contains(told, "q8Zr2LmVx0TyPw4N") || len(m.hosts) > 0 {
		t.Errorf("%q, and %d hosts are open", told, len(m.hosts))
	}
}
