package web

import "testing"

// TestAttacks are known attacks on the web tools, one row each. The rows stay forever; docs/maintainers/attacks.md says where the
// others are.
func TestAttacks(t *testing.T) {
	for _, row := range []struct {
		name  string
		check func(*testing.T)
	}{
		{"ssrf-15 answers that are not what they say", TestWebFetchKinds},
	} {
		t.Run(row.name, row.check)
	}
}
