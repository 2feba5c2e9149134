package testkit

// This part runs the conformance suites of the Model Context Protocol in tests.

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
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
	cmd := exec.CommandContext(t.Context(), filepath.Join(bin, "conformance"), args...)
	cmd.Env = append(os.Environ(), "PATH="+bin+string(os.PathListSeparator)+os.Getenv("PATH"), "REIN_CONFORMANCE_CLIENT=1")
	out, err := cmd.CombinedOutput()
	t.Logf("%s", out[max(0, bytes.LastIndex(out, []byte("=== "))):])
	if err != nil {
		t.Error(err)
	}
}
