package guard

import (
	"fmt"
	"strings"
	"testing"
)

// All that is different in the definition of a tool is shown, in its order: none of it is only counted.
func TestAllChangesOfADefinitionAreShown(t *testing.T) {
	r := Request{Tool: "mcp__s__t", Effects: []string{"connects x"}}
	for i := range 12 {
		r.Effects = append(r.Effects, fmt.Sprintf("- argument a%d: (none)", i), fmt.Sprintf("+ argument a%d: {}", i))
	}
	got := strings.Join(r.Lines(), "\n")
	if !strings.Contains(got, "  - argument a11: (none)\n  + argument a11: {}") || !strings.Contains(got, "  connects x") {
		t.Errorf("not all is shown:\n%s", got)
	}
}
