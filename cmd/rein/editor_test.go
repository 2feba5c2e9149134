package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// presses are keys that a person presses without a pause, and then waits; \x00 is a pause of a second.
type presses struct{ keys string }

func (p *presses) Key(ctx context.Context) (byte, error) {
	if strings.HasPrefix(p.keys, "\x00") {
		select {
		case <-time.After(time.Second):
			p.keys = p.keys[1:]
		case <-ctx.Done():
			return 0, context.Cause(ctx)
		}
	}
	if p.keys == "" {
		<-ctx.Done()
		return 0, context.Cause(ctx)
	}
	key := p.keys[0]
	p.keys = p.keys[1:]
	return key, nil
}

func (p *presses) Close() error { return nil }

func TestLines(t *testing.T) {
	long := strings.Repeat("0123456789", 1000)
	several := "first line\n\tsecond line\nthird\n"
	for _, row := range []struct {
		rule, start, keys, want string
		err                     error
	}{
		{"Enter ends a line", "", "hello\r", "hello", nil},
		{"a line feed ends a line too", "", "hello\n", "hello", nil},
		{"what was typed before is the start of the line", "typed ", "here\r", "typed here", nil},
		{"the cursor keys move", "", "hello\x1b[D\x1b[D\x1b[Dxy\r", "hexyllo", nil},
		{"cursor keys of the other mode move too", "", "ab\x1bODx\r", "axb", nil},
		{"Home and End in all spellings", "", "b\x1b[1~a\x1b[4~c\x1bOH<\x1bOF>\r", "<abc>", nil},
		{"a key that means nothing is dropped", "", "a\x1b[15~\x1b[200mb\r", "ab", nil},
		{"Escape alone is dropped", "", "a\x1b\x00b\r", "ab", nil},
		{"Backspace takes a whole character", "", "añ\x7fb\r", "ab", nil},
		{"a paste of several lines is one message", "", "\x1b[200~" + several + "\x1b[201~\r", several, nil},
		{"a paste keeps what was typed around it", "", "see: \x1b[200~a\r\nb\x1b[201~ ok?\r", "see: a\nb ok?", nil},
		{"a short paste is text that can be edited", "", "\x1b[200~word\x1b[201~\x7f\r", "wor", nil},
		{"the Enter within a paste ends nothing", "", "\x1b[200~y\n\x1b[201~\r", "y", nil},
		{"keys within a paste are text", "", "\x1b[200~a\x03b\x04\x1b[A\n.\x1b[201~\r", "a\x03b\x04\x1b[A\n.", nil},
		{"a long paste comes whole", "", "\x1b[200~" + long + "\x1b[201~\r", long, nil},
		{"a long line that is typed comes whole", "", long + "\r", long, nil},
		{"two pastes", "", "\x1b[200~a\nb\x1b[201~ and \x1b[200~c\nd\x1b[201~\r", "a\nb and c\nd", nil},
		{"a deleted paste is not sent", "", "\x1b[200~a\nb\x1b[201~\x15c\r", "c", nil},
		{"Ctrl-C empties a line", "", "rm -rf\x03ls\r", "ls", nil},
		{"Ctrl-C at an empty line is reported", "", "\x03", "", errInterrupt},
		{"Ctrl-D at an empty line is the end", "", "\x04", "", io.EOF},
		{"Ctrl-D in a line is not", "", "a\x04\r", "a", nil},
	} {
		t.Run(row.rule, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var e lineEditor
				got, err := e.Line(t.Context(), &presses{row.keys}, io.Discard, "> ", row.start)
				if got != row.want || !errors.Is(err, row.err) {
					t.Errorf("got %.80q, %v", got, err)
				}
			})
		})
	}
}

func TestHistory(t *testing.T) {
	var e lineEditor
	p := &presses{"first\r\x1b[200~a\nb\x1b[201~\r  \r\x1b[A\x1b[A\r\x1b[A\x1b[A\r"}
	for _, want := range []string{"first", "a\nb", "  ", "first", "a\nb"} {
		if got, err := e.Line(t.Context(), p, io.Discard, "> ", ""); got != want || err != nil {
			t.Errorf("got %q, %v, want %q", got, err, want)
		}
	}
}

func TestAPasteIsShownWithoutItsControlKeys(t *testing.T) {
	var e lineEditor
	var out bytes.Buffer
	if _, err := e.Line(t.Context(), &presses{"\x1b[200~\x1b]0;title\x07\x1b[2J\x1b[201~\r"}, &out, "> ", ""); err != nil {
		t.Fatal(err)
	}
	if strings.ContainsAny(out.String(), "\x07\x1b") || !strings.Contains(out.String(), "[paste 1: 14 characters]") {
		t.Errorf("shown: %q", out.String())
	}
}

func TestALineEndsWithItsContext(t *testing.T) {
	gone := errors.New("gone")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(gone)
	var e lineEditor
	if _, err := e.Line(ctx, &presses{}, io.Discard, "> ", ""); !errors.Is(err, gone) {
		t.Errorf("got %v", err)
	}
}

func TestTextOfTypedKeys(t *testing.T) {
	for typed, want := range map[string]string{
		"and then y\r":                       "and then y ",
		"\r\n \t":                            "",
		"\x1b[Aup\x1bOB\x1bx":                "up",
		"\x1b[200~two\nlines\x1b[201~":       "two lines",
		"wrong\x7f\x7f\x7f\x7f\x7fright\x03": "right",
	} {
		if got := string(typedText([]byte(typed))); got != want {
			t.Errorf("%q: got %q, want %q", typed, got, want)
		}
	}
}
