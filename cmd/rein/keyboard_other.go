//go:build !unix

package main

import (
	"context"
	"errors"
	"io"
	"os"
	"time"

	"golang.org/x/term"
)

// keyboardSource is the terminal, and the read that is under way: this system cannot poll it.
type keyboardSource struct {
	in      *os.File
	reads   chan typedBytes
	reading bool
}

// typedBytes is what one read of the terminal gave.
type typedBytes struct {
	text []byte
	err  error
}

// setMode turns off echo and lines. Where the program works, the console stays as it is.
func (k *keyboardInput) setMode(signals bool) (restore func() error, err error) {
	if signals {
		return func() error { return nil }, nil
	}
	before, err := term.MakeRaw(int(k.in.Fd()))
	if err != nil {
		return nil, err
	}
	return func() error { return term.Restore(int(k.in.Fd()), before) }, nil
}

// wait returns what is typed next. One read waits at a time, and what it gets is kept for the next call when ctx ends
// before.
func (k *keyboardInput) wait(ctx context.Context) ([]byte, error) {
	k.start()
	select {
	case r := <-k.reads:
		k.reading = false
		return r.text, r.err
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// available returns what has been typed already: what a read gets within a moment.
func (k *keyboardInput) available() (typed []byte) {
	for {
		k.start()
		select {
		case r := <-k.reads:
			k.reading = false
			if r.err != nil {
				return typed
			}
			typed = append(typed, r.text...)
		case <-time.After(20 * time.Millisecond):
			return typed
		}
	}
}

// start begins a read if none is under way. Its goroutine ends with the next key or with the program.
func (k *keyboardInput) start() {
	if k.reading {
		return
	}
	if k.reads == nil {
		k.reads = make(chan typedBytes, 1)
	}
	k.reading = true
	go func() {
		piece := make([]byte, 4096)
		n, err := k.in.Read(piece)
		if n == 0 || err != nil {
			err = errors.Join(io.ErrUnexpectedEOF, err)
		}
		k.reads <- typedBytes{piece[:n], err}
	}()
}

// interruptSelf ends the program, as Ctrl-C does where it cannot be sent as a signal.
func interruptSelf() { os.Exit(130) }

// holdsInput is not known here.
func holdsInput(*os.File) bool { return false }
