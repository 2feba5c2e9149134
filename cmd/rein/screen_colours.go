package main

import (
	"io"
	"os"

	"golang.org/x/term"
)

// showsColours reports whether a writer is a terminal that shows colours.
func showsColours(w io.Writer) bool {
	return os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb" && isTerminal(w)
}

// isTerminal reports whether a writer is a terminal.
func isTerminal(w io.Writer) bool {
	f, ok := fileOf(w)
	return ok && term.IsTerminal(int(f.Fd()))
}
