// Package sandbox starts programs: isolated where the operating system can do so, never with the parent's
// secrets in the environment, and so that nothing a program started outlives it. It limits what they use, runs jobs in the
// background, and explains what it kept a program from.
package sandbox

import (
	"context"
	"os"
	"syscall"
	"time"
)

// Sandbox is a place where programs run. It must be safe for use by many goroutines at once.
type Sandbox interface {
	// Start starts one program and returns as soon as it runs or has failed to start. The context bounds the
	// start only: a program that started continues until it ends by itself or is killed, so that a server's life
	// does not depend on the context of the call that opened it. A program that cannot be put into the sandbox
	// is not started at all.
	Start(ctx context.Context, spec Spec) (Process, error)
}

// Process is one started program with everything that it started in turn.
type Process interface {
	// Wait returns when the program has ended and what it left behind has been killed. It may be called once.
	Wait() (Exit, error)
	// Signal sends a signal to the program and, as far as they can be reached, to its children.
	Signal(sig syscall.Signal) error
	// Kill ends the program and everything it started at once. Killing what has ended is no error.
	Kill() error
}

// Spec describes the program to start. The zero value of each field but Argv works.
type Spec struct {
	// Argv is the program and its arguments; the program is looked up in the PATH that the child gets.
	Argv []string
	// Dir is the absolute working directory; "" is the directory of the sandbox's workspace, else the current one.
	Dir string
	// Env holds NAME=value pairs that are added to the allow-listed environment, the last value of a name counts.
	Env []string
	// Stdin, Stdout and Stderr are the program's streams; nil is the null device. The files stay the caller's.
	Stdin, Stdout, Stderr *os.File
	// Terminal makes Stdin the controlling terminal of the program's session.
	Terminal bool
	// Opened are places that this program may use beside those of the policy.
	Opened Opened
	// ReadOnly lets the program change nothing but temporary files and the caches of tools: the workspace and the other
	// places that programs may write are read-only for it. A backend that isolates no files ignores it.
	ReadOnly bool
	// Limits bounds what the program may use.
	Limits Limits
}

// Limits bounds one program. Zero means the default of the field; a negative number means no limit.
type Limits struct {
	CPU       time.Duration // of one process, default none
	FileSize  int64         // bytes of one file, default 8 GiB
	OpenFiles int64         // of one process, default 4096
	Processes int64         // at once, default 4096
	Output    int64         // bytes on stdout and stderr of a program that Run or Launch runs, default 10 GiB
	Memory    int64         // bytes of data of one process (RLIMIT_DATA: heap and private mappings), default none, at least 64 MiB
}

// Exit is how a program ended.
type Exit struct {
	Code   int            // its exit status; -1 when a signal ended it
	Signal syscall.Signal // what ended it; 0 for an ordinary end
	CPU    time.Duration  // user and system time of the program and the children it waited for
	// Left is how many processes it left running, which were ended with it. 0 also where that is not known.
	Left int
	// Limit names the limit that ended it, or the limit that its own error message names, in words for the model; "" for none.
	Limit string
}

// process is a program that a backend started.
type process struct {
	programProcess
	ended func() // called when it has ended; nil: nothing
}

// started makes a Process of what a backend gives.
func started(p programProcess, err error, ended func()) (Process, error) {
	if err != nil {
		return nil, err
	}
	return process{p, ended}, nil
}

// Wait returns when the program has ended and what it left behind has been killed.
func (p process) Wait() (Exit, error) {
	exit, err := p.programProcess.Wait()
	if p.ended != nil {
		p.ended()
	}
	return exit, err
}
