// Package program defines what every sandbox backend is asked for, a program to start, and what it gives back. It
// makes the environment of programs and starts them without isolation.
package program

import (
	"context"
	"os"
	"strings"
	"syscall"
	"time"
)

// Starter is a backend: it starts programs.
type Starter interface {
	Start(ctx context.Context, spec Spec) (Process, error)
}

// Process is one started program with everything that it started in turn. Its methods are those of sandbox.Process.
type Process interface {
	Wait() (Exit, error)
	Signal(sig syscall.Signal) error
	Kill() error
}

// Spec describes the program to start. Its fields are those of sandbox.Spec.
type Spec struct {
	Argv                  []string
	Dir                   string
	Env                   []string
	Stdin, Stdout, Stderr *os.File
	Terminal              bool
	Opened                Opened
	ReadOnly              bool
	Limits                Limits
}

// Opened are places that a program may use beside those of the policy. Its fields are those of sandbox.Opened.
type Opened struct {
	Write []string
	Read  []string
}

// IsZero reports whether nothing is opened.
func (o Opened) IsZero() bool { return len(o.Write)+len(o.Read) == 0 }

// Access names what a program may use: programs with the same name may use the same.
func (s Spec) Access() string {
	name := strings.Join(s.Opened.Write, "\x00") + "\x00\x00" + strings.Join(s.Opened.Read, "\x00")
	if s.ReadOnly {
		name += "\x00\x00read-only"
	}
	return name
}

// Exit is how a program ended. Its fields are those of sandbox.Exit.
type Exit struct {
	Code   int
	Signal syscall.Signal
	CPU    time.Duration
	Limit  string
}
