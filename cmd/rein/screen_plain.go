package main

import (
	"bytes"
	"io"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/spf13/cobra"
)

// drawing are the commands that write to a terminal by themselves: they draw a screen, or pass on what a program writes. All others write
// through a plainWriter, whatever they write.
var drawing = []string{"rein", "rein run", "rein attach", "rein demo", "rein setup", "rein acp", "rein mcp serve", "rein sandbox"}

// writePlainly gives the commands below root the one way to write to a terminal. is reports whether a writer is one.
func writePlainly(root *cobra.Command, is func(io.Writer) bool) {
	out, errs := root.OutOrStdout(), root.ErrOrStderr()
	plainOut, plainErrs := is(out), is(errs) // once, not for each of a hundred commands
	var each func(*cobra.Command)
	each = func(c *cobra.Command) {
		draws := slices.Contains(drawing, c.CommandPath())
		c.SetOut(plainly(out, !draws && plainOut))
		c.SetErr(plainly(errs, !draws && plainErrs))
		for _, sub := range c.Commands() {
			each(sub)
		}
	}
	each(root)
}

func plainly(out io.Writer, plain bool) io.Writer {
	if !plain {
		return out
	}
	return &plainWriter{out: out}
}

// plainWriter writes text to a terminal so that the terminal obeys nothing in it but colours: what else it would obey is spelled out.
type plainWriter struct {
	out  io.Writer
	rest []byte // the beginning of a letter, or of a mark of colour, whose end comes with the next write
}

// colour is a mark that turns colours on or off. The one that hides text (8) is none.
var colour = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile("\x1b\\[(?:(?:[0-79]|[2-4][0-9]|9[0-7]|10[0-7])(?:;[0-9]{1,3})*)?m")
})

// Write writes what is complete.
func (w *plainWriter) Write(p []byte) (int, error) {
	text := append(w.rest, p...)
	whole := len(text)
	for cut := max(0, len(text)-utf8.UTFMax); cut < len(text); cut++ {
		if utf8.RuneStart(text[cut]) && !utf8.FullRune(text[cut:]) {
			whole = cut
			break
		}
	}
	var b bytes.Buffer
	at := 0
	for _, mark := range colour().FindAllIndex(text[:whole], -1) {
		b.WriteString(printable(plainLines(text[at:mark[0]])))
		b.Write(text[mark[0]:mark[1]])
		at = mark[1]
	}
	b.WriteString(printable(plainLines(text[at:whole])))
	_, err := w.out.Write(b.Bytes())
	w.rest = slices.Clone(text[whole:])
	return len(p), err
}

// plainLines are lines with the ends that a terminal needs.
func plainLines(text []byte) string { return strings.ReplaceAll(string(text), "\r\n", "\n") }

// fileOf returns the file that a writer writes to.
func fileOf(w io.Writer) (*os.File, bool) {
	if p, ok := w.(*plainWriter); ok {
		w = p.out
	}
	f, ok := w.(*os.File)
	return f, ok
}
