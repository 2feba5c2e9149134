package sandbox

import (
	"context"
	"strings"
	"syscall"
)

// programStarter is a backend: it starts programs.
type programStarter interface {
	Start(ctx context.Context, spec Spec) (programProcess, error)
}

// programProcess is one started program with everything that it started in turn. Its methods are those of Process.
type programProcess interface {
	Wait() (Exit, error)
	Signal(sig syscall.Signal) error
	Kill() error
}

// access names what a program may use: programs with the same name may use the same.
func (s Spec) access() string {
	name := strings.Join(s.Opened.Write, "\x00") + "\x00\x00" + strings.Join(s.Opened.Read, "\x00")
	if s.ReadOnly {
		name += "\x00\x00read-only"
	}
	return name
}
