package main

import (
	"errors"
	"rein/harness"
	"rein/harness/settings"
	"syscall"
)

// The exit codes of rein; the same in every output format.
const (
	exitOK          = 0
	exitError       = 1
	exitUsage       = 2
	exitAuth        = 41
	exitInput       = 42
	exitConfig      = 52
	exitLimit       = 53  // turns or budget used up
	exitDenied      = 60  // refused by policy, or nobody was there to say yes
	exitWaiting     = 61  // parked: an approval is pending, the session can be resumed
	exitNotFound    = 127 // rein sandbox: there is no such program, as shells say it
	exitInterrupted = 130
	exitTerminated  = 143
)

// coded is an error that knows the exit code of the process.
type coded struct {
	code int
	err  error
}

func (c coded) Error() string { return c.err.Error() }
func (c coded) Unwrap() error { return c.err }

// quiet is an error that the user has been told already.
type quiet struct{ error }

func (q quiet) Unwrap() error { return q.error }

// exitCode tells what the process answers its caller for an error: the code it carries, else exitError.
func exitCode(err error) int {
	if err == nil {
		return exitOK
	}
	if s, ok := errors.AsType[stopped](err); ok {
		return 128 + int(s.signal)
	}
	if errors.Is(err, syscall.EPIPE) {
		return 128 + int(syscall.SIGPIPE)
	}
	if c, ok := errors.AsType[coded](err); ok {
		return c.code
	}
	if _, ok := errors.AsType[settings.Error](err); ok {
		return exitConfig
	}
	if e, ok := errors.AsType[harness.Error](err); ok {
		return map[harness.ErrorKind]int{harness.Internal: exitError, harness.Usage: exitUsage, harness.Input: exitInput, harness.Auth: exitAuth}[e.Kind]
	}
	return exitError
}
