package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"rein": main})
}

// TestScripts runs the stories of the command line. Each has a home of its own, and no keys.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		Cmds:                map[string]func(*testscript.TestScript, bool, []string){"exits": exits},
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
			e.Setenv("HOME", home)
			e.Setenv("REIN_HOME", filepath.Join(e.WorkDir, ".rein-home"))
			for _, name := range []string{"GOCACHE", "GOMODCACHE", "GOFLAGS", "GOPROXY"} {
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
