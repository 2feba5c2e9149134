package harness

import (
	"strings"
	"testing"

	"rein/event"
	"rein/guard"
)

// TestAModelInPlanModeKnowsItsFile: the model can write the file only if the prompt names it.
func TestAModelInPlanModeKnowsItsFile(t *testing.T) {
	for _, m := range []guard.Mode{guard.ReadOnly, guard.Plan, guard.Supervised, guard.Full} {
		if got := strings.Contains(aboutMode(m), planFile); got != (m == guard.Plan) {
			t.Errorf("%v: the plan file is named: %v", m, got)
		}
	}
}

// TestThePromptKnowsTheFamily: a model that was trained to change files with patches reads that it may.
func TestThePromptKnowsTheFamily(t *testing.T) {
	t.Setenv("REIN_HOME", t.TempDir())
	for name, want := range map[string]bool{"openai/gpt-5": true, "openrouter/openai/gpt-oss-120b": true, "anthropic/claude-sonnet-4-5": false, "": false} {
		h, err := Open(t.Context(), Options{Dir: t.TempDir(), Terms: event.Terms{Model: name, Sandbox: "off"}})
		if err != nil {
			t.Fatal(err)
		}
		text, _, err := h.Prompt()
		if err != nil || strings.Contains(text, "use apply_patch") != want {
			t.Errorf("%q: %v, %v", name, !want, err)
		}
		if err := h.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
}
