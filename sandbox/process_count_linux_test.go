package sandbox

import (
	"os"
	"testing"
	"time"
)

// bombs are scripts that start as many processes as they can and wait for them.
var bombs = map[string]string{
	"in the foreground": "b() { b | b; }; b",
	"in the background": "b() { b | b & wait; }; b",
	"orphans":           "while :; do (setsid sleep 60 &) ; done",
}

// TestForkBombIsEndedAndNamed holds every backend to the limit of processes: the bomb is ended, the result names the limit,
// and what is left of it is gone. A bomb is lit only where the kernel does the counting.
func TestForkBombIsEndedAndNamed(t *testing.T) {
	const most = 400
	for name := range backends() {
		for kind, script := range bombs {
			t.Run(name+"/"+kind, func(t *testing.T) {
				box := testBox(t, Policy{Only: name, Limits: Limits{Processes: most}})
				if !countedByKernel(t, box) {
					t.Skip("no control group here, and root has no other limit: see TestProcessesAreCountedByUs")
				}
				var out tailOf
				most := 3 * time.Second
				if kind == "orphans" {
					most = 12 * time.Second // one process after the other: a busy machine needs time for 400
				}
				result, err := Run(t.Context(), box, shell(script), &out, most)
				if err != nil || result.Limit != limitProcesses {
					t.Errorf("got %+v, %v\n%s", result, err, out.text)
				}
				if result.Duration > 30*time.Second {
					t.Errorf("it took %v", result.Duration)
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
	switch place := box.place.(type) {
	case *supervised:
		return place.supervisor.limit != nil
	case *bubblewrap:
		return place.supervisor.limit != nil
	case *namespaces:
		return place.supervisor.limit != nil
	}
	return false
}

// TestProcessesAreCountedByUs tests our own count, for where the kernel does not count: processes that grow evenly in number.
func TestProcessesAreCountedByUs(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("not root: the kernel counts")
	}
	for name, open := range backends() {
		if name == "namespaces" && countsOwnProcesses() {
			continue
		}
		for kind, script := range map[string]string{"children": "while :; do sleep 60 & sleep 0.01; done", "orphans": "while :; do (setsid sleep 60 &); sleep 0.01; done"} {
			t.Run(name+"/"+kind, func(t *testing.T) {
				policy := testBox(t, Policy{}).policy
				policy.groups = nil
				box, closer, err := open(t.Context(), policy)
				if err != nil {
					t.Fatal(err)
				}
				defer closer()
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
type tailOf struct{ text []byte }

func (o *tailOf) Write(p []byte) (int, error) {
	o.text = append(o.text, p...)
	o.text = o.text[max(0, len(o.text)-500):]
	return len(p), nil
}

func TestVersionsOfKernels(t *testing.T) {
	for release, want := range map[string]bool{
		"6.14.0": true, "6.14": true, "6.15.3-arch1-1": true, "7.0.0-rc1": true, "6.18.44-fc-v669": true, "10.0": true,
		"6.13.12": false, "6.1.0-28-amd64": false, "5.15.0": false, "4.18.0-553.el8_10": false, "": false, "x": false, "6": false,
	} {
		if atLeast(release, 6, 14) != want {
			t.Errorf("%q: want %v", release, want)
		}
	}
}

func TestEverybodyIsCounted(t *testing.T) {
	if n := everybody(); n < 2 {
		t.Errorf("%d processes", n)
	}
	if p, ok := populace()[os.Getpid()]; !ok || p.parent != os.Getppid() || p.threads < 2 {
		t.Errorf("we are %+v, %v", p, ok)
	}
}
