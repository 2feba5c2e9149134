package sandbox

import (
	"context"
	"os"
	"strings"
	"syscall"
)

// programStarter is a backend: it starts programs.
type programStarter interface {
	Start(ctx context.Context, spec programSpec) (programProcess, error)
}

// programProcess is one started program with everything that it started in turn. Its methods are those of Process.
type programProcess interface {
	Wait() (Exit, error)
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
	Opened                Opened
	ReadOnly              bool
	Limits                Limits
}

// Access names what a program may use: programs with the same name may use the same.
func (s programSpec) Access() string {
	name := strings.Join(s.Opened.Write, "\x00") + "\x00\x00" + strings.Join(s.Opened.Read, "\x00")
	if s.ReadOnly {
		name += "\x00\x00read-only"
	}
	return name
}
