package sandbox

import (
	"io"
	"os"
	"strings"
	"sync"
	"testing"
	"time"
)

// needGroups skips where no control group can be written, which is so for most users and in most containers.
func needGroups(t *testing.T) *sessionCgroups {
	t.Helper()
	g := newGroups()
	t.Cleanup(func() {
		if err := g.Close(); err != nil {
			t.Error(err)
		}
	})
	if how, ok := g.How(); !ok {
		t.Skip("the memory of a command is limited " + how)
	}
	return g
}

// hoard is a script of n processes that hold 60 MB each at the same time, and are patient when one is killed.
func hoard(n string) string {
	return "for i in $(seq " + n + "); do (head -c 60000000 /dev/zero; sleep 0.3) | tail -n 1 | wc -c & done; wait; echo over"
}

func TestMemoryOfACommandIsLimitedAsAWhole(t *testing.T) {
	if testing.Short() {
		t.Skip("it starts many programs one after the other")
	}
	needGroups(t)
	for _, name := range backendNames() {
		t.Run(name, func(t *testing.T) {
			box := testBox(t, Policy{Only: name, Limits: Limits{Memory: 200 << 20}, Warn: func(line string) { t.Errorf("warned: %s", line) }})
			var both sync.WaitGroup
			both.Go(func() { // a neighbour of the same session has memory of its own
				if result, err := Run(t.Context(), box, shell(hoard("2")), io.Discard, time.Minute); err != nil || result.Limit != "" || result.Code != 0 {
					t.Errorf("two: got %+v, %v", result, err)
				}
			})
			result, err := Run(t.Context(), box, shell(hoard("8")), io.Discard, time.Minute)
			if err != nil || result.Limit != limitMemory {
				t.Errorf("eight: got %+v, %v", result, err)
			}
			both.Wait()
			if _, result := try(t, box, "echo fine"); result.Limit != "" || result.Code != 0 {
				t.Errorf("the next: got %+v", result)
			}
			if err := box.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestProcessesThatAreAskedForAreCountedByTheKernel(t *testing.T) {
	if !needGroups(t).Counts(cgroupProcesses) {
		t.Skip("no control group counts processes here")
	}
	for _, name := range backendNames() {
		t.Run(name, func(t *testing.T) {
			t.Parallel() // it mostly waits
			box := testBox(t, Policy{Only: name})
			spec := shell("for i in $(seq 60); do sleep 2 & done 2>/dev/null; exit 0")
			spec.Limits.Processes = 20
			// The shell of a fork that fails tries again for some seconds, and may end well.
			if result, err := Run(t.Context(), box, spec, io.Discard, 30*time.Second); err != nil || result.Limit != limitProcesses {
				t.Errorf("got %+v, %v", result, err)
			}
		})
	}
}

// TestMemoryFallsBackLoudly checks the warning and the limit where no group can be made.
func TestMemoryFallsBackLoudly(t *testing.T) {
	var warned []string
	needBox(t, Policy{})
	box := testBox(t, Policy{Limits: Limits{Memory: 100 << 20}, Warn: func(line string) { warned = append(warned, line) }})
	box.inner.Groups = newSessionCgroups(func() (int, func() error, error) { return 0, nil, os.ErrPermission })
	for range 2 {
		spec := shell("head -c 400000000 /dev/zero | tail -n 1 | wc -c; exit ${PIPESTATUS[1]}")
		if result, err := Run(t.Context(), box, spec, io.Discard, time.Minute); err != nil || result.Limit != limitData {
			t.Errorf("got %+v, %v", result, err)
		}
	}
	if len(warned) != 1 || !strings.Contains(warned[0], "of each process alone") {
		t.Errorf("warned %q", warned)
	}
}
