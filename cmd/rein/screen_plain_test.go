package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

// hostile is what a name, a log or an output may hold: OSC 52 writes the clipboard, others clear the screen, hide text, or turn it around.
const hostile = "a\x1b]52;c;cm0gLXJmIC8K\x07b\x1b[2J\x1b[Hc\x1b[8md\u202ee\u009b2Jf\rg"

// TestCommandsWritePlainly: whatever a command writes, a terminal obeys nothing of it but colours.
func TestCommandsWritePlainly(t *testing.T) {
	var out bytes.Buffer
	root := newRoot("")
	root.SetOut(&out)
	root.SetErr(&out)
	writePlainly(root, func(io.Writer) bool { return true })
	n := 0
	var each func(*cobra.Command)
	each = func(c *cobra.Command) {
		for _, sub := range c.Commands() {
			each(sub)
		}
		if slices.Contains(drawing, c.CommandPath()) {
			return
		}
		for _, w := range []io.Writer{c.OutOrStdout(), c.ErrOrStderr()} {
			out.Reset()
			fmt.Fprintf(w, "\x1b[1;31m%s\x1b[0m ü\r\n", hostile)
			if want := "\x1b[1;31ma\\x1b]52;c;cm0gLXJmIC8K\\x07b\\x1b[2J\\x1b[Hc\\x1b[8md\\u202ee\\x9b2Jf\\x0dg\x1b[0m ü\n"; out.String() != want {
				t.Errorf("injection-13 %s writes %q, want %q", c.CommandPath(), out.String(), want)
			}
			n++
		}
	}
	each(root)
	if n < 100 {
		t.Errorf("only %d writers were tried", n)
	}
	out.Reset()
	w := plainly(&out, true)
	for _, b := range []byte("ü 世 \x1b") { // byte by byte
		w.Write([]byte{b})
	}
	if out.String() != `ü 世 \x1b` {
		t.Errorf("in pieces: %q", out.String())
	}
}

// TestNoOtherWayToWrite: only these files write to the terminal without the commands' own writers.
func TestNoOtherWayToWrite(t *testing.T) {
	allowed := map[string]string{
		"main.go": "before there is a command: errors of the system", "memory_change.go": "the user's editor has the terminal", "mcp_serve.go": "a protocol", "sandbox.go": "the program has the terminal",
		"undo.go": "asks a person", "run.go": "asks a person", "attach.go": "asks a person", "sessions_fork.go": "asks a person", "choose_session.go": "asks a person", "run_output.go": "asks a person",
		"choose_row.go": "draws a list", "run_engine.go": "another program has the terminal", "terminal_person.go": "asks a person",
	}
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, way := range []string{"os.Stdout", "os.Stderr", "fmt.Print", "println("} {
			if strings.HasSuffix(file, "_test.go") || !strings.Contains(strings.ReplaceAll(string(text), "Fprintln(", ""), way) {
				continue
			}
			if allowed[file] == "" {
				t.Errorf("%s writes by %s: use cmd.OutOrStdout or cmd.ErrOrStderr", file, way)
			}
		}
	}
}
