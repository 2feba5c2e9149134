package main

import (
	"context"
	"fmt"
	"io"
)

// lineInput reads messages line by line, without an editor.
type lineInput struct {
	In     io.Reader
	Out    io.Writer
	Prompt string // written to Out before each line
}

// Line reads to the next line break, byte by byte, so that a program that reads after us gets the rest. io.EOF may come
// with the last line.
func (l lineInput) Line(ctx context.Context) (string, error) {
	fmt.Fprint(l.Out, l.Prompt)
	var line []byte
	var b [1]byte
	for ctx.Err() == nil {
		n, err := l.In.Read(b[:])
		if n > 0 && b[0] == '\n' {
			return string(line), nil
		}
		line = append(line, b[:n]...)
		if err != nil {
			return string(line), err
		}
	}
	return "", context.Cause(ctx)
}

// Close does nothing: the input stays open.
func (l lineInput) Close() error { return nil }
