package sandbox

// This part defines what every sandbox backend is asked for, a program to start, and what it gives back. It
// makes the environment of programs and starts them without isolation.

import (
	"context"
	"os"
	"strings"
	"syscall"
	"time"
)

// programStarter is a backend: it starts programs.
type programStarter interface {
	Start(ctx context.Context, spec programSpec) (programProcess, error)
}

// programProcess is one started program with everything that it started in turn. Its methods are those of Process.
type programProcess interface {
	Wait() (ProgramExit, error)
	Signal(sig syscall.Signal) error
	Kill() error
}

// programSpec describes the program to start. Its fields are those of Spec.
type programSpec struct {
	Argv                  []string
	Dir                   string
	Env                   []string
	Stdin, Stdout, Stderr *os.File
	Terminal              bool
	Opened                ProgramOpened
	ReadOnly              bool
	Limits                ProgramLimits
}

// ProgramOpened are places that a program may use beside those of the policy. Its fields are those of Opened.
type ProgramOpened struct {
	Write []string
	Read  []string
}

// IsZero reports whether nothing is opened.
func (o ProgramOpened) IsZero() bool { return len(o.Write)+len(o.Read) == 0 }

// Access names what a program may use: programs with the same name may use the same.
func (s programSpec) Access() string {
	name := strings.Join(s.Opened.Write, "\x00") + "\x00\x00" + strings.Join(s.Opened.Read, "\x00")
	if s.ReadOnly {
		name += "\x00\x00read-only"
	}
	return name
}

// ProgramExit is how a program ended. Its fields are those of Exit.
type ProgramExit struct {
	Code   int
	Signal syscall.Signal
	CPU    time.Duration
	Limit  string
}
