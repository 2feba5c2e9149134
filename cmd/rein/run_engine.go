package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"
)

// temporalProgram runs sessions on Temporal. It is a program of its own, so that rein does not link Temporal's library.
const temporalProgram = "rein-temporal"

// onTemporal returns the arguments of the program for a task that is to run on Temporal, or for a page of sessions there: those of rein run or
// rein serve without --engine.
func onTemporal(args []string) ([]string, bool) {
	if len(args) == 0 || !slices.Contains([]string{"run", "exec", "serve"}, args[0]) {
		return nil, false
	}
	end := slices.Index(args, "--")
	if end < 0 {
		end = len(args)
	}
	rest := []string{strings.Replace(args[0], "exec", "run", 1)}
	found := false
	for i := 1; i < end; i++ {
		switch {
		case args[i] == "--engine=temporal":
			found = true
		case args[i] == "--engine" && i+1 < end && args[i+1] == "temporal":
			found = true
			i++
		default:
			rest = append(rest, args[i])
		}
	}
	return append(rest, args[end:]...), found
}

// runOnTemporal runs the program, which lies beside our own, or in the PATH, and returns its exit code.
func runOnTemporal(ctx context.Context, args []string) int {
	path, err := findBeside(temporalProgram)
	if err != nil {
		fmt.Fprintf(os.Stderr, "rein: --engine temporal needs the program %s beside rein or in the PATH; in the source, go build -C temporal -o DIRECTORY ./cmd/%s makes it (docs/scale.md)\n",
			temporalProgram, temporalProgram)
		return exitNotFound
	}
	cmd := exec.CommandContext(ctx, path, args...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = 5 * time.Second
	interrupts := make(chan os.Signal, 1) // Ctrl+C reaches the program too, which ends in its own time
	signal.Notify(interrupts, os.Interrupt)
	defer signal.Stop(interrupts)
	err = cmd.Run()
	if failed := (*exec.ExitError)(nil); errors.As(err, &failed) && failed.ExitCode() >= 0 {
		return failed.ExitCode()
	}
	if err != nil && (cmd.ProcessState == nil || !cmd.ProcessState.Success()) { // else it has ended well after a signal
		fmt.Fprintln(os.Stderr, "rein:", err)
		return 1
	}
	return 0
}

// findBeside finds a program beside our own, else in the PATH: not in the current directory, which may be a stranger's.
func findBeside(name string) (string, error) {
	if self, err := os.Executable(); err == nil {
		if runtime.GOOS == "windows" {
			name = strings.TrimSuffix(name, ".exe") + ".exe"
		}
		if path, err := exec.LookPath(filepath.Join(filepath.Dir(self), name)); err == nil {
			return path, nil
		}
	}
	return exec.LookPath(name)
}
