package testkit

import (
	"slices"
	"testing"
)

func TestUnexpectedScenarios(t *testing.T) {
	const failed = "✗ sse-retry: 2 passed, 1 failed\n\n\x1b[33mExpected failures (in baseline):\x1b[0m\n  ~ auth/x\n\n\x1b[31mUnexpected failures (not in baseline):\x1b[0m\n  ✗ sse-retry\n  ✗ auth/metadata-var3\n\n\x1b[31mUnexpected failures detected\x1b[0m\n"
	for summary, want := range map[string][]string{
		failed: {"sse-retry", "auth/metadata-var3"},
		failed + "Stale baseline entries (now passing):\n  ✓ auth/x\n": nil,
		"Total: 277 passed": nil,
	} {
		if got := unexpected([]byte(summary)); !slices.Equal(got, want) {
			t.Errorf("%q: got %q", summary, got)
		}
	}
}
