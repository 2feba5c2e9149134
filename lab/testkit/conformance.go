package testkit

// This part runs the conformance suites of the Model Context Protocol in tests.

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"testing"
)

// Suite is one conformance suite, installed in a directory of its own with a node of its own: see docs/mcp.md.
type Suite struct {
	Protocol string // the newest version of the protocol that it checks
	Release  string
	dir      string
}

// All returns the suites: the released one, for versions of the protocol with sessions, and the next one, for 2026-07-28.
func All() []Suite {
	return []Suite{{"2025-11-25", "0.1.16", "stateful"}, {"2026-07-28", "0.2.0-alpha.12", "stateless"}}
}

// Need skips the test where the suites are not installed. REIN_MCP_CONFORMANCE names their directory.
func Need(t *testing.T) {
	if testing.Short() || runtime.GOOS == "windows" {
		t.Skip("runs programs of npm")
	}
	if os.Getenv("REIN_MCP_CONFORMANCE") == "" {
		t.Skip("SKIPPED: conformance is not tested: install the suites as docs/mcp.md says and name their directory in REIN_MCP_CONFORMANCE")
	}
}

// Run runs a suite with arguments. testdata/conformance has a list of the scenarios that fail, with the reasons: the test fails
// when another scenario fails, and also when one of the list passes.
func (s Suite) Run(t *testing.T, list string, args ...string) {
	bin := filepath.Join(os.Getenv("REIN_MCP_CONFORMANCE"), s.dir, "node_modules", ".bin")
	if _, err := os.Stat(filepath.Join(bin, "conformance")); err != nil {
		t.Fatalf("suite %s is missing: %v", s.Release, err)
	}
	args = append(args, "--expected-failures", filepath.Join("testdata", "conformance", s.dir+"-"+list+".yml"))
	if s.dir == "stateless" {
		args = append(args, "--requirements", s.Protocol)
	} else {
		args = append(args, "--suite", "all")
	}
	if dir := os.Getenv("REIN_MCP_CONFORMANCE_LOG"); dir != "" {
		args = append(args, "--output-dir", filepath.Join(dir, s.dir+"-"+list))
	}
	run := func(args ...string) ([]byte, error) {
		cmd := exec.CommandContext(t.Context(), filepath.Join(bin, "conformance"), args...)
		cmd.Env = append(os.Environ(), "PATH="+bin+string(os.PathListSeparator)+os.Getenv("PATH"), "REIN_CONFORMANCE_CLIENT=1")
		return cmd.CombinedOutput()
	}
	out, err := run(args...)
	out = out[max(0, bytes.LastIndex(out, []byte("=== "))):]
	t.Logf("%s", out)
	if err == nil || !onlyLate(out) {
		failed(t, err)
		return
	}
	alone := append(args[:slices.Index(args, "--expected-failures")], "--scenario", timed)
	for range 3 {
		if out, err = run(alone...); err == nil {
			return
		}
	}
	t.Logf("alone: %s", out)
	failed(t, err)
}

// timed is the scenario that wants an answer within 200 ms. The suites run all scenarios at once: on a busy machine it may be late,
// and is tried again alone.
const timed = "sse-retry"

// onlyLate reports whether nothing but the timed scenario failed beside what is expected.
func onlyLate(summary []byte) bool {
	_, unexpected, _ := bytes.Cut(summary, []byte("Unexpected failures (not in baseline):"))
	return bytes.Count(unexpected, []byte("✗")) == 1 && bytes.Contains(unexpected, []byte("✗ "+timed)) &&
		!bytes.Contains(summary, []byte("Stale"))
}

func failed(t *testing.T, err error) {
	if err != nil {
		t.Error(err)
	}
}
