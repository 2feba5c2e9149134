package testkit

// This part runs the conformance suites of the Model Context Protocol in tests.

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
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
	one := slices.Clone(args)
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
	again := unexpected(out)
	if err == nil || len(again) == 0 {
		failed(t, err)
		return
	}
	for _, scenario := range again {
		alone := append(slices.Clone(one), "--scenario", scenario)
		for range 3 {
			if out, err = run(alone...); err == nil {
				break
			}
		}
		if err != nil {
			t.Errorf("%s alone: %v\n%s", scenario, err, out)
		}
	}
}

// unexpected are the scenarios that failed and should not have; none where others passed that should have failed. The suites run all scenarios at
// once, and some want an answer within 200 ms: on a busy machine they may be late, and are tried again alone.
func unexpected(summary []byte) (scenarios []string) {
	_, list, _ := strings.Cut(string(summary), "Unexpected failures (not in baseline):")
	if strings.Contains(string(summary), "Stale") {
		return nil
	}
	for line := range strings.Lines(list) {
		if _, name, ok := strings.Cut(line, "✗ "); ok {
			scenarios = append(scenarios, strings.TrimSpace(name))
		}
	}
	return scenarios
}

func failed(t *testing.T, err error) {
	if err != nil {
		t.Error(err)
	}
}
