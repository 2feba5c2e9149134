package tui

import (
	"context"
	"os"
	"os/signal"

	tea "charm.land/bubbletea/v2"
)

// suspendProgram does nothing: there is no job control.
func suspendProgram() tea.Cmd { return nil }

// watchSignals leaves in order when the process is to end.
func watchSignals(ctx context.Context, p *tea.Program, done <-chan struct{}) {
	ends := make(chan os.Signal, 1)
	signal.Notify(ends, os.Interrupt)
	defer signal.Stop(ends)
	select {
	case <-done:
	case <-ctx.Done():
		p.Send(hangUp{})
	case <-ends:
		p.Send(hangUp{})
	}
}

// keepTyped changes nothing: the console keeps what is typed.
func keepTyped(*os.File) (restore func()) { return func() {} }
