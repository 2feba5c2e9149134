package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// quickEnd keeps the race detector from waiting a second at the end of each program.
const quickEnd = "atexit_sleep_ms=0"

func TestMain(m *testing.M) {
	serveInstead()
	os.Setenv("GORACE", quickEnd)
	if filepath.Base(os.Args[0]) != "rein" { // what the tests read is English
		for name, value := range map[string]string{"LC_ALL": "", "LC_MESSAGES": "", "LANG": "C.UTF-8"} {
			os.Setenv(name, value)
		}
	}
	testscript.Main(m, map[string]func(){"rein": main})
}

// TestScripts runs the stories of the command line. Each has a home of its own, and no keys.
func TestScripts(t *testing.T) {
	t.Parallel()
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		Cmds:                map[string]func(*testscript.TestScript, bool, []string){"exits": exits, "readme": readme},
		Setup: func(e *testscript.Env) error {
			root, err := filepath.Abs("../..")
			if err != nil {
				return err
			}
			home := filepath.Join(e.WorkDir, ".home")
			if err := os.MkdirAll(home, 0o700); err != nil {
				return err
			}
			e.Setenv("SOURCE", root)
			e.Setenv("GORACE", quickEnd)
			e.Setenv("HOME", home)
			e.Setenv("REIN_HOME", filepath.Join(e.WorkDir, ".rein-home"))
			e.Defer(func() { repeatAll(t, filepath.Join(e.WorkDir, ".rein-home")) })
			for _, name := range []string{"GOCACHE", "GOMODCACHE", "GOFLAGS", "GOPROXY", "CGO_ENABLED"} {
				if v := os.Getenv(name); v != "" {
					e.Setenv(name, v)
				}
			}
			return nil
		},
	})
}

// exits runs a program that must end with this code: exits CODE PROGRAM ARGS…
func exits(ts *testscript.TestScript, neg bool, args []string) {
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	err = ts.Exec(args[1], args[2:]...)
	got := 0
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		got = exit.ExitCode()
	} else {
		ts.Check(err)
	}
	if (got == want) == neg {
		ts.Fatalf("%s ended with %d, want %d", args[1], got, want)
	}
}

// readmeCommand returns the nth block of commands in the README.
func readmeCommand(source string, n int) (string, error) {
	text, err := os.ReadFile(filepath.Join(source, "README.md"))
	if err != nil {
		return "", err
	}
	blocks := regexp.MustCompile("(?s)```sh\n(.*?)\n```").FindAllStringSubmatch(string(text), -1)
	if n > len(blocks) {
		return "", fmt.Errorf("the README has %d blocks of commands", len(blocks))
	}
	return blocks[n-1][1], nil
}

// readme runs the nth command of the README in the source tree: readme N [OLD NEW], with OLD replaced by NEW.
func readme(ts *testscript.TestScript, neg bool, args []string) {
	n, err := strconv.Atoi(args[0])
	ts.Check(err)
	command, err := readmeCommand(ts.Getenv("SOURCE"), n)
	ts.Check(err)
	if len(args) == 3 {
		if !strings.Contains(command, args[1]) {
			ts.Fatalf("the README's command is %q, without %q", command, args[1])
		}
		command = strings.Replace(command, args[1], args[2], 1)
	}
	ts.Check(ts.Chdir(ts.Getenv("SOURCE")))
	for _, name := range []string{"GOCACHE", "GOMODCACHE"} {
		ts.Setenv(name, goEnv(name))
	}
	if err := ts.Exec("sh", "-c", command); err != nil {
		ts.Fatalf("%s: %v", command, err)
	}
}

// goEnv is where Go keeps what it has built or downloaded, for a program whose home is another one.
func goEnv(name string) string {
	out, err := exec.Command("go", "env", name).Output()
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(out))
}

// TestCIRunsTheReadmesTests: .ci/release runs the README's command as it is, and .ci/run all its packages.
func TestCIRunsTheReadmesTests(t *testing.T) {
	command, err := readmeCommand("../..", 2)
	if err != nil {
		t.Fatal(err)
	}
	for file, line := range map[string]string{
		"release": command,
		"run":     `tested=$(go list -f '{{if or .TestGoFiles .XTestGoFiles}}{{.ImportPath}}{{end}}' ` + strings.TrimPrefix(command, "go test ") + ")",
	} {
		text, err := os.ReadFile("../../.ci/" + file)
		if err != nil || !strings.Contains(string(text), "\n"+line+"\n") {
			t.Errorf(".ci/%s does not have the line %s, %v", file, line, err)
		}
	}
}
