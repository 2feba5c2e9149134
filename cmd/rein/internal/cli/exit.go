package cli

import (
	"errors"
	"syscall"

	"rein/harness"
	"rein/harness/settings"
)

// The exit codes of rein; the same in every output format.
const (
	exitOK          = 0
	ExitError       = 1   // anything else went wrong
	ExitUsage       = 2   // the command line is wrong: a command, a flag, its value, the number of arguments
	ExitAuth        = 41  // no model: no key, a wrong key, or no quota
	ExitInput       = 42  // something that the command line names is not there or cannot be used
	ExitConfig      = 52  // the settings are wrong
	ExitLimit       = 53  // the limit of turns, tokens or of a program is used up
	ExitDenied      = 60  // a call was denied, or nobody was there to approve it
	ExitWaiting     = 61  // suspended: a call waits for approval, the session can be resumed
	ExitNotFound    = 127 // rein sandbox: there is no such program
	ExitInterrupted = 130 // Ctrl-C
	exitTerminated  = 143 // SIGTERM
)

// failure is an error that knows the exit code of the process.
type failure struct {
	code int
	err  error
}

// Fail gives an error the exit code with which it ends the process.
func Fail(code int, err error) error { return failure{code, err} }

func (f failure) Error() string { return f.err.Error() }
func (f failure) Unwrap() error { return f.err }

// seen is an error that the user has seen already.
type seen struct{ error }

// Silent marks an error that the user has seen already: it only gives the exit code.
func Silent(err error) error { return seen{err} }

func (s seen) Unwrap() error { return s.error }

// ExitCode returns the exit code of the process for an error.
func ExitCode(err error) int {
	if err == nil {
		return exitOK
	}
	if s, ok := errors.AsType[Stopped](err); ok {
		return 128 + int(s.Signal)
	}
	if errors.Is(err, syscall.EPIPE) {
		return 128 + int(syscall.SIGPIPE)
	}
	if c, ok := errors.AsType[failure](err); ok {
		return c.code
	}
	if _, ok := errors.AsType[settings.Error](err); ok {
		return ExitConfig
	}
	if e, ok := errors.AsType[harness.Error](err); ok {
		return map[harness.ErrorKind]int{harness.Internal: ExitError, harness.Usage: ExitUsage, harness.Input: ExitInput, harness.Auth: ExitAuth}[e.Kind]
	}
	return ExitError
}
