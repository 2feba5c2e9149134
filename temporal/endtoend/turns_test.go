package endtoend_test

import (
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"go.temporal.io/api/common/v1"
	"go.temporal.io/api/enums/v1"

	"rein/event"
	"rein/temporal"
)

const turnsScript = `
turns:
- calls: [{name: agent, args: {task: one, agent: general}}, {name: agent, args: {task: two, agent: general}}, {name: agent, args: {task: three, agent: general}}, {name: agent, args: {task: four, agent: general}}, {name: agent, args: {task: five, agent: general}}, {name: agent, args: {task: six, agent: general}}]
- text: All done.
conversations:
- when: ^(one|two|three|four|five|six)$
  turns:
  - {calls: [{name: read_file, args: {path: a.txt}}], repeat: 3}
  - text: It is there.
- when: hello
  turns: [{text: Good morning.}]
`

// Where models answer slowly, one session with many sub-agents does not hold up the others: each session has its turn. One of a higher priority comes
// before all that wait. The figures of the worker for models count all requests.
func TestSessionsTakeTurns(t *testing.T) {
	p := newPrograms(t)
	script := "script/" + p.file("script.yaml", turnsScript)
	p.file("work/a.txt", "words")
	models := p.run("rein-temporal", "worker", "--models", "--requests-per-second", "2", "--metrics", "127.0.0.1:0")
	models.says("figures for Prometheus are at", 1)
	p.run("rein-temporal", "worker", "--host", "web", "--dir", filepath.Join(p.root, "work")).says("working on", 1)
	start := func(id string, priority int, text string) {
		p.run("rein-temporal", "start", "--id", id, "--host", "web", "--model", script, "--priority", fmt.Sprint(priority), "--detach", text).ends(0, "session "+id)
	}
	c := p.client()
	c.Store = temporal.Files{Dir: filepath.Join(p.root, "home/.local/state/rein-temporal/sessions")} // of the programs
	times := func(id string, kind event.Kind) (all []time.Time) {
		for e, err := range c.Store.Events(t.Context(), id, 0) {
			if err == nil && e.Kind == kind {
				all = append(all, e.Time)
			}
		}
		return all
	}
	requests := func(id string) []time.Time { return times(id, event.Requested) }
	ended := func(id string) bool {
		s, err := c.State(t.Context(), id)
		return err == nil && s.Stop == event.Done
	}
	start("many", 0, "go")
	var children []string
	p.soon(func() bool { // all sub-agents wait for the model
		children = nil
		for e, err := range c.Store.Events(t.Context(), "many", 0) {
			if err == nil && e.Kind == event.SubAgentStarted {
				children = append(children, e.Child)
			}
		}
		return len(children) == 6
	})
	for n := range 4 {
		start(fmt.Sprint("low-", n), 5, "hello")
	}
	start("alone", 0, "hello")
	start("urgent", 1, "hello")
	p.soon(func() bool { return ended("alone") && ended("urgent") })
	p.soon(func() bool {
		return ended("many") && ended("low-0") && ended("low-1") && ended("low-2") && ended("low-3")
	})
	var before, after []time.Time // of the many
	alone, urgent := requests("alone")[0], requests("urgent")[0]
	began := times("alone", event.Prompted)[0] // the start of a program may take long
	for _, id := range children {
		for _, at := range requests(id) {
			if at.After(began) && at.Before(alone) {
				before = append(before, at)
			} else if at.After(alone) {
				after = append(after, at)
			}
		}
	}
	t.Logf("beside a session with %d requests of sub-agents: one of the same priority waited %v, after %d of them; one of a higher priority %v", len(before)+len(after), alone.Sub(began).Round(time.Millisecond), len(before), urgent.Sub(times("urgent", event.Prompted)[0]).Round(time.Millisecond))
	if len(before) > 6 || len(after) < 6 {
		t.Errorf("of the requests of sub-agents, %d were asked before the other session, which waited %v, and %d after it", len(before), alone.Sub(began), len(after))
	}
	waited := 0
	for n := range 4 {
		if requests(fmt.Sprint("low-", n))[0].After(urgent) {
			waited++
		}
	}
	if waited < 3 {
		t.Errorf("%d of 4 sessions of a low priority waited for the one of a high one", waited)
	}
	for id, want := range map[string]*common.Priority{"urgent": {PriorityKey: 1, FairnessKey: "urgent"}, "many": {FairnessKey: "many"}, children[0]: {FairnessKey: "many"}} {
		history := c.Temporal.GetWorkflowHistory(t.Context(), id, "", false, enums.HISTORY_EVENT_FILTER_TYPE_ALL_EVENT)
		first, err := history.Next()
		if got := first.GetWorkflowExecutionStartedEventAttributes().GetPriority(); err != nil || got.GetPriorityKey() != want.GetPriorityKey() || got.GetFairnessKey() != want.GetFairnessKey() {
			t.Errorf("%s has the turn %v, %v", id, got, err)
		}
	}
	figures := regexp.MustCompile(`http://\S+/metrics`).FindString(models.out.String())
	r, err := http.Get(figures)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	text, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	asked := len(requests("many")) + 6 // of the sessions with one request
	for _, id := range children {
		asked += len(requests(id))
	}
	lines := strings.Split(string(text), "\n")
	for _, begins := range []string{fmt.Sprintf("gen_ai_client_operation_duration_seconds_count{"), "temporal_activity_execution_latency_seconds_count{", "temporal_num_pollers{"} {
		if !slices.ContainsFunc(lines, func(l string) bool { return strings.HasPrefix(l, begins) }) {
			t.Errorf("no figure %s\n%s", begins, text)
		}
	}
	counted := slices.IndexFunc(lines, func(l string) bool {
		return strings.HasPrefix(l, "gen_ai_client_operation_duration_seconds_count{") && strings.HasSuffix(l, fmt.Sprint(" ", asked))
	})
	if counted < 0 {
		t.Errorf("%d requests were asked, and the figures say otherwise:\n%s", asked, text)
	}
	p.run("rein-temporal", "start", "--host", "web", "--model", script, "--priority", "6", "hello").ends(2, "--priority is 1 to 5")
}
