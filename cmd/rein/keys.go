package main

import (
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

func (r raw) Close() error { return term.Restore(int(r.in.Fd()), r.state) }
