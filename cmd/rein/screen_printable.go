package main

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"
)

// printable makes text from outside safe for a terminal: control bytes, escape sequences and the marks that turn the
// direction of text are shown as escapes, so that nothing on the screen is other than it looks. Line breaks and tabs
// stay.
func printable(s string) string {
	clean := utf8.ValidString(s) // a byte that is no text may be an escape of its own for the terminal
	for _, r := range s {
		if isHidden(r) {
			clean = false
			break
		}
	}
	if clean {
		return s
	}
	var b strings.Builder
	for i, r := range s {
		switch {
		case r == utf8.RuneError && !strings.HasPrefix(s[i:], "\ufffd"):
			fmt.Fprintf(&b, `\x%02x`, s[i])
		case !isHidden(r):
			b.WriteRune(r)
		case r < 0x100:
			fmt.Fprintf(&b, `\x%02x`, r)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	return b.String()
}

// forTerminal returns text as it may be written: printable where out is a terminal, unchanged for a file or a program.
func forTerminal(out io.Writer, text string) string {
	if isTerminal(out) {
		return printable(text)
	}
	return text
}

// newJSONWriter returns a writer for whole JSON values. What a terminal would obey and JSON allows in strings is written as a \u escape.
func newJSONWriter(out io.Writer) io.Writer { return jsonWriter{out} }

type jsonWriter struct{ out io.Writer }

func (w jsonWriter) Write(p []byte) (int, error) {
	safe := p
	if bytes.ContainsFunc(p, breaksJSON) {
		var b bytes.Buffer
		for _, r := range string(p) { // the encoder writes valid UTF-8
			if breaksJSON(r) {
				fmt.Fprintf(&b, `\u%04x`, r)
			} else {
				b.WriteRune(r)
			}
		}
		safe = b.Bytes()
	}
	if _, err := w.out.Write(safe); err != nil {
		return 0, err
	}
	return len(p), nil
}

func breaksJSON(r rune) bool { return r >= 0x7f && isHidden(r) }

func isHidden(r rune) bool {
	switch {
	case r == '\n' || r == '\t':
		return false
	case r == '\r', unicode.IsControl(r):
		return true
	case r >= 0x200B && r <= 0x200F, r >= 0x202A && r <= 0x202E, r >= 0x2060 && r <= 0x2069, r == 0xFEFF:
		return r != 0x200D // ordinary emoji contain the joiner
	}
	return false
}

// oneLine makes a text fit one line of at most n runes.
func oneLine(s string, n int) string {
	s = printable(strings.Join(strings.Fields(s), " "))
	runes := []rune(s)
	if len(runes) > n {
		return string(runes[:n-1]) + "…"
	}
	return s
}
