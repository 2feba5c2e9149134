package endtoend_test

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/client"

	"rein/event"
	"rein/temporal"
)

const shortScript = `turns: [{text: Good morning., repeat: 9}]`

// Two teams share a server: each has its workers, a worker of a version that is not released begins nothing, a schedule begins sessions, and
// the requests of a team are bounded.
func TestTeamsVersionsAndSchedules(t *testing.T) {
	p := newPrograms(t)
	script := "script/" + p.file("script.yaml", shortScript)
	work := filepath.Join(p.root, "work")
	for _, team := range []string{"tea", "coffee"} {
		p.run("rein-temporal", "worker", "--team", team, "--host", team+"-host", "--dir", work, "--models", "--build-id", "one", "--requests-per-second", "0.5",
			"--versioned="+map[string]string{"tea": "false", "coffee": "true"}[team]).says("working on", 1)
	}
	p.run("rein-temporal", "start", "--team", "tea", "--host", "tea-host", "--model", script, "go").ends(0, "Good morning.")
	waits := p.run("rein-temporal", "start", "--team", "coffee", "--host", "coffee-host", "--model", script, "go")
	waits.says("no worker ", 1) // takes it
	p.run("rein-temporal", "release", "two").ends(1, `the build "two" is not released`)
	p.run("rein-temporal", "release", "one").ends(0, "")
	waits.ends(0, "Good morning.")

	add := []string{"schedule", "add", "--team", "tea", "--host", "tea-host", "--model", script, "--every", "24h", "daily", "good morning"}
	p.run("rein-temporal", add...).ends(0, "begins sessions with the ids daily-DATE-TIME")
	p.run("rein-temporal", add...).ends(1, "there is a schedule daily already")
	listed := p.run("rein-temporal", "schedule", "list")
	listed.ends(0, "every 24h0m0s on tea-host")
	c := p.client()
	began := time.Now()
	for n := range 3 {
		if err := c.Temporal.ScheduleClient().GetHandle(t.Context(), "daily").Trigger(t.Context(), client.ScheduleTriggerOptions{Overlap: enums.SCHEDULE_OVERLAP_POLICY_BUFFER_ONE}); err != nil {
			t.Fatal(err)
		}
		p.soon(func() bool { return p.done("daily-") == n+1 })
	}
	if took := time.Since(began); took < 3*time.Second {
		t.Errorf("3 requests took %v, at one in two seconds", took)
	}
	p.run("rein-temporal", "schedule", "remove", "daily").ends(0, "")
	p.run("rein-temporal", "schedule", "remove", "daily").ends(1, "there is no schedule daily")
	p.run("rein-temporal", "schedule", "walk").ends(2, "schedule needs add, list or remove")
	p.run("rein-temporal", "doctor", "--team", "Tea!").ends(2, `"Tea!" is no name for a team`)
}

// soon waits until something is so.
func (p *programs) soon(is func() bool) {
	p.t.Helper()
	for begun := time.Now(); !is(); time.Sleep(50 * time.Millisecond) {
		if time.Since(begun) > time.Minute {
			p.t.Fatal("it does not happen")
		}
	}
}

// done counts the sessions whose turn is done.
func (p *programs) done(begins string) (n int) {
	dirs, err := filepath.Glob(filepath.Join(p.root, "home/.local/state/rein-temporal/sessions", begins+"*"))
	if err != nil {
		p.t.Fatal(err)
	}
	for _, dir := range dirs {
		for e, err := range (temporal.Files{Dir: filepath.Dir(dir)}).Events(p.t.Context(), filepath.Base(dir), 0) {
			if err == nil && e.Kind == event.Stopped && strings.Contains(e.Text, "Good morning") {
				n++
			}
		}
	}
	return n
}
