//go:build !unix

package main

import (
	"context"
	"io"
	"os"

	"golang.org/x/term"
)

// raw is a terminal in raw mode.
type raw struct {
	in    *os.File
	state *term.State
}

func rawKeys(in *os.File) (keys, error) {
	state, err := term.MakeRaw(int(in.Fd()))
	if err != nil {
		return nil, err
	}
	return raw{in, state}, nil
}

// Key waits for a key. A cancelled context is seen after the next one.
func (r raw) Key(ctx context.Context) (byte, error) {
	var b [1]byte
	if n, err := r.in.Read(b[:]); n == 0 || err != nil {
		return 0, io.ErrUnexpectedEOF
	}
	return b[0], context.Cause(ctx)
}

func (r raw) Close() error { return term.Restore(int(r.in.Fd()), r.state) }

// interrupt ends the program, as Ctrl-C does where it cannot be sent.
func interrupt() { os.Exit(exitInterrupted) }
