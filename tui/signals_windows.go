package tui

import (
	"context"
	"os"
	"os/signal"

	tea "charm.land/bubbletea/v2"
)

// suspend does nothing: there is no job control.
func suspend() tea.Cmd { return nil }

// onSignals leaves in order when the process is to end.
func onSignals(ctx context.Context, p *tea.Program, done <-chan struct{}) {
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
