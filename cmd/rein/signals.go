package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

// stoppedBySignal is the cause of a context that a signal has ended.
type stoppedBySignal struct{ Signal syscall.Signal }

// Error names the signal.
func (s stoppedBySignal) Error() string { return "stopped by " + s.Signal.String() }

// endedBy returns a context that ends at the first of the signals. The second one kills the program as it would have
// without us.
func endedBy(ctx context.Context, signals ...os.Signal) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	heard := make(chan os.Signal, 1)
	signal.Notify(heard, signals...)
	go func() {
		select {
		case s := <-heard:
			signal.Stop(heard)
			cancel(stoppedBySignal{s.(syscall.Signal)})
		case <-ctx.Done():
		}
	}()
	return ctx, func() {
		signal.Stop(heard)
		cancel(nil)
	}
}

// interruptible returns a context that Ctrl-C ends.
func interruptible(ctx context.Context) (context.Context, context.CancelFunc) {
	return endedBy(ctx, os.Interrupt)
}

// pipesBreakQuietly makes writing to a closed standard output an error instead of a sudden death, so that programs
// that we started are ended first. Children are not affected: a caught signal is reset for them.
func pipesBreakQuietly() {
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
}
