//go:build unix

package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"golang.org/x/term"

	"rein/app/server"
)

// reloadOnSignal reads the settings again at each SIGHUP, until ctx is done; wait waits for the end. The signal also comes when the
// terminal is closed: then it calls end.
func reloadOnSignal(ctx context.Context, s *server.Server, print func(string), end func()) (wait func()) {
	in := int(os.Stdin.Fd())
	terminal := term.IsTerminal(in)
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGHUP)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		defer signal.Stop(signals)
		for {
			select {
			case <-ctx.Done():
				return
			case <-signals:
			}
			if terminal && !term.IsTerminal(in) {
				end()
				return
			}
			if err := s.Reload(ctx); err != nil {
				print("rein: warning: the settings were not read again: " + err.Error())
				continue
			}
			print("rein: the settings were read again")
		}
	}()
	return func() { <-ended }
}
