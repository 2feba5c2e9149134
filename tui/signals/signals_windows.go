package signals

import (
	"context"
	"os"
	"os/signal"

	tea "charm.land/bubbletea/v2"
)

// Suspend does nothing: there is no job control.
func Suspend() tea.Cmd { return nil }

// Watch leaves in order when the process is to end.
func Watch(ctx context.Context, p *tea.Program, done <-chan struct{}) {
	ends := make(chan os.Signal, 1)
	signal.Notify(ends, os.Interrupt)
	defer signal.Stop(ends)
	select {
	case <-done:
	case <-ctx.Done():
		p.Send(HangUp{})
	case <-ends:
		p.Send(HangUp{})
	}
}

// Quiet changes nothing: the console keeps what is typed.
func Quiet(*os.File) (restore func()) { return func() {} }
