package sandbox

import (
	"bytes"
	"context"
	"os"
	"testing"
	"time"
)

// bombs are scripts that start as many processes as they can and wait for them.
var bombs = map[string]string{
	"in the foreground": "b() { b | b; }; b",
	"in the background": "b() { b | b & wait; }; b",
	"orphans":           "while :; do (setsid sleep 600 &) ; done",
}

// TestForkBombIsEndedAndNamed holds every backend to the limit of processes: the bomb is ended, the result names the limit,
// and what is left of it is gone. A bomb is lit only where the kernel does the counting.
func TestForkBombIsEndedAndNamed(t *testing.T) {
	if testing.Short() {
		t.Skip("it starts many programs one after the other")
	}
	const most = 200
	for _, name := range backendNames() {
		for kind, script := range bombs {
			t.Run(name+"/"+kind, func(t *testing.T) {
				box := testBox(t, Policy{Only: name, Limits: Limits{Processes: most}})
				if !countedByKernel(t, box) {
					t.Skip("no control group here, and root has no other limit: see TestProcessesAreCountedByUs")
				}
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				out := tailOf{wanted: "fork", seen: cancel}                      // the shell reports the limit, forever
				result, err := Run(ctx, box, shell(script), &out, 2*time.Minute) // a busy machine starts a few in a second
				if err != nil || result.Limit != limitProcesses {
					t.Errorf("got %+v, %v\n%s", result, err, out.text)
				}
				if out, _ := try(t, box, "echo alive"); out != "alive\n" {
					t.Errorf("got %q", out)
				}
			})
		}
	}
}

func countedByKernel(t *testing.T, box *Box) bool {
	t.Helper()
	backend, err := box.Backend(t.Context())
	if err != nil {
		t.Skip(err)
	}
	if backend == BackendNamespaces && countsOwnProcesses() {
		return true
	}
	if os.Geteuid() != 0 {
		t.Skip("the limit of an ordinary user counts all that he runs: a bomb here would keep others of his from working")
	}
	return inspect(box).Grouped
}

// TestProcessesAreCountedByUs tests our own count, for where the kernel does not count: processes that grow evenly in number.
func TestProcessesAreCountedByUs(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("not root: the kernel counts")
	}
	for _, backend := range backends() {
		name := backend.String()
		if backend == BackendNamespaces && countsOwnProcesses() {
			continue
		}
		for kind, script := range map[string]string{"children": "while :; do sleep 60 & sleep 0.01; done", "orphans": "while :; do (setsid sleep 60 &); sleep 0.01; done"} {
			t.Run(name+"/"+kind, func(t *testing.T) {
				box := testBox(t, Policy{Only: name})
				box.inner.Groups = nil
				spec := shell(script)
				spec.Limits.Processes = 60
				result, err := Run(t.Context(), box, spec, &tailOf{}, 20*time.Second)
				if err != nil || result.Limit != limitProcesses || result.TimedOut {
					t.Errorf("got %+v, %v", result, err)
				}
				if out, result := try(t, box, "echo alive"); out != "alive\n" || result.Limit != "" {
					t.Errorf("got %q, %+v", out, result)
				}
			})
		}
	}
}

// tailOf keeps the end of what is written.
// tailOf keeps the end of an output, and calls seen when it has a wanted text.
type tailOf struct {
	text   []byte
	wanted string
	seen   func()
}

func (o *tailOf) Write(p []byte) (int, error) {
	o.text = append(o.text, p...)
	if o.seen != nil && bytes.Contains(o.text, []byte(o.wanted)) {
		o.seen()
	}
	o.text = o.text[max(0, len(o.text)-500):]
	return len(p), nil
}
