//go:build !unix

package main

import (
	"context"
	"io"
	"os"
)

// Key waits for a key. A cancelled context is seen after the next one.
func (r raw) Key(ctx context.Context) (byte, error) {
	var b [1]byte
	if n, err := r.in.Read(b[:]); n == 0 || err != nil {
		return 0, io.ErrUnexpectedEOF
	}
	return b[0], context.Cause(ctx)
}

// interrupt ends the program, as Ctrl-C does where it cannot be sent.
func interrupt() { os.Exit(exitInterrupted) }
