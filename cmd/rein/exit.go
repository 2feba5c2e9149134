package main

import (
	"errors"
	"syscall"

	"rein/app/harness"
	"rein/app/settings"
)

// The exit codes of rein; the same in every output format.
const (
	exitOK          = 0
	exitError       = 1   // anything else went wrong
	exitUsage       = 2   // the command line is wrong: a command, a flag, its value, the number of arguments
	exitAuth        = 41  // no model: no key, a wrong key, or no quota
	exitInput       = 42  // something that the command line names is not there or cannot be used
	exitConfig      = 52  // the settings are wrong
	exitLimit       = 53  // the limit of turns, tokens or of a program is used up
	exitDenied      = 60  // a call was denied, or nobody was there to approve it
	exitWaiting     = 61  // suspended: a call waits for approval, the session can be resumed
	exitNotFound    = 127 // rein sandbox: there is no such program
	exitInterrupted = 130 // Ctrl-C
	exitTerminated  = 143 // SIGTERM
)

// codedError is an error that knows the exit code of the process.
type codedError struct {
	code int
	err  error
}

// withExitCode gives an error the exit code with which it ends the process.
func withExitCode(code int, err error) error { return codedError{code, err} }

func (f codedError) Error() string { return f.err.Error() }
func (f codedError) Unwrap() error { return f.err }

// seenError is an error that the user has seen already.
type seenError struct{ error }

// asSeen marks an error that the user has seen already: it only gives the exit code.
func asSeen(err error) error { return seenError{err} }

func (s seenError) Unwrap() error { return s.error }

// exitCode returns the exit code of the process for an error.
func exitCode(err error) int {
	if err == nil {
		return exitOK
	}
	if s, ok := errors.AsType[stoppedBySignal](err); ok {
		return 128 + int(s.Signal)
	}
	if errors.Is(err, syscall.EPIPE) {
		return 128 + int(syscall.SIGPIPE)
	}
	if c, ok := errors.AsType[codedError](err); ok {
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
