package sandbox

import (
	"bytes"
	"testing"
	"time"
)

// TestWhatIsLeftRunningIsCounted: a program that leaves others running has ended them, and its end says so.
func TestWhatIsLeftRunningIsCounted(t *testing.T) {
	for _, backend := range backends() {
		t.Run(backend.String(), func(t *testing.T) {
			box := onBackend(t, Policy{Workspace: t.TempDir()}, backend)
			for script, want := range map[string]int{
				"true": 0,
				"sleep 60 >/dev/null & sleep 60 >/dev/null &": 2,
				"nohup sleep 60 >/dev/null 2>&1 & echo":       1,
				"seq 100000 | head -n 1":                      0,
			} {
				var out bytes.Buffer
				result, err := Run(t.Context(), box, Spec{Argv: []string{"bash", "-c", script}}, &out, 30*time.Second)
				if err != nil || result.Left != want {
					t.Errorf("%s: left %d, want %d (%v)", script, result.Left, want, err)
				}
			}
		})
	}
}
