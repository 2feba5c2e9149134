package harness

import (
	"strings"
	"testing"

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
