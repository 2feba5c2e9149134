package testkit

import (
	"os"
	"path/filepath"
	"runtime"
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

// TestWhatWasLateIsTriedAloneAgain: a suite in which two scenarios were late, and pass alone.
func TestWhatWasLateIsTriedAloneAgain(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the suite is a script for sh")
	}
	dir := t.TempDir()
	bin := filepath.Join(dir, "stateful", "node_modules", ".bin")
	if err := os.MkdirAll(bin, 0o700); err != nil {
		t.Fatal(err)
	}
	const suite = `#!/bin/sh
echo "$*" >>` + "\"$0.asked\"" + `
case "$*" in
"client --scenario "*) ;;
*) echo "=== SUMMARY ==="; echo "Unexpected failures (not in baseline):"; echo "  ✗ one"; echo "  ✗ two"; exit 1 ;;
esac
`
	if err := os.WriteFile(filepath.Join(bin, "conformance"), []byte(suite), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("REIN_MCP_CONFORMANCE", dir)
	All()[0].Run(t, "client", "client")
	const want = "client --expected-failures testdata/conformance/stateful-client.yml --suite all\nclient --scenario one\nclient --scenario two\n"
	if asked, err := os.ReadFile(filepath.Join(bin, "conformance.asked")); err != nil || string(asked) != want {
		t.Errorf("asked %q, %v", asked, err)
	}
}
