//go:build unix

package tui

import (
	"context"
	"os"
	"os/signal"
	"syscall"
	"time"

	tea "charm.land/bubbletea/v2"
)

// suspendProgram stops the program as the shell does: one way for the key and for a signal from outside.
func suspendProgram() tea.Cmd {
	return func() tea.Msg {
		_ = syscall.Kill(os.Getpid(), syscall.SIGTSTP) // our own process exists
		return nil
	}
}

// watchSignals gives the terminal back while the program is stopped, and leaves in order when the terminal is gone or the
// process is to end.
func watchSignals(ctx context.Context, p *tea.Program, done <-chan struct{}) {
	stops := make(chan os.Signal, 1)
	signal.Notify(stops, syscall.SIGTSTP)
	defer signal.Stop(stops)
	ends := make(chan os.Signal, 1)
	signal.Notify(ends, syscall.SIGHUP, syscall.SIGTERM, os.Interrupt)
	defer signal.Stop(ends)
	for {
		select {
		case <-done:
			return
		case <-ctx.Done():
			p.Send(hangUp{})
			return
		case <-ends:
			p.Send(hangUp{})
		case <-stops:
			sleep(p)
		}
	}
}

// sleep stops the process group until the shell continues it.
func sleep(p *tea.Program) {
	gone := make(chan struct{})
	p.Send(toSleep{})
	p.Send(toSleep{gone}) // a message is taken when the frame of the one before it was drawn
	select {
	case <-gone:
	case <-time.After(time.Second): // the program ends
	}
	if p.ReleaseTerminal() != nil {
		return
	}
	again := make(chan os.Signal, 1)
	signal.Notify(again, syscall.SIGCONT)
	defer signal.Stop(again)
	_ = syscall.Kill(0, syscall.SIGSTOP) // the whole group, as the terminal does
	<-again
	if p.RestoreTerminal() == nil {
		p.Send(resumed{})
	}
}
