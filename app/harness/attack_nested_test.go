package harness

import (
	"strings"
	"testing"

	"rein/event"
)

// TestAHarnessInsideTheHarness is the part of approval-19 that needs no inner program: a model starts rein itself, with
// looser flags. The rest is in cmd/rein.
func TestAHarnessInsideTheHarness(t *testing.T) {
	t.Run("approval-19 flags that loosen are denied", func(t *testing.T) {
		b := newAttacked(t, Options{Terms: event.Terms{Mode: "full"}}, yesToAll)
		for _, cmd := range []string{"rein call --mode full bash x", "rein call --yolo bash x", "rein run --sandbox off x", "rein --dangerously-skip-permissions run x", "rein run --allow 'bash(rm:*)' x"} {
			if r := b.run(`bash {"command":` + string(quoted(cmd)) + `}`)[0]; !r.Failed || !strings.Contains(r.Text, "Denied") {
				t.Errorf("%s: %+v", cmd, r)
			}
		}
		if b.asked.Load() != 0 {
			t.Error("a person was asked")
		}
	})
	t.Run("approval-19 too deep is refused", func(t *testing.T) {
		t.Setenv("REIN_DEPTH", "5")
		if _, err := Open(t.Context(), Options{Dir: t.TempDir()}); err == nil || !strings.Contains(err.Error(), "inside others, at depth 5") {
			t.Errorf("got %v", err)
		}
	})
}
