package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"golang.org/x/term"
)

// errInterrupt is the error of a line at which Ctrl-C was pressed while it was empty.
var errInterrupt = errors.New("interrupted")

const (
	ctrlC      = 0x03
	escape     = 0x1b
	backspace  = 0x7f
	clearInput = 0x1c // what the line editor gets for Ctrl-C: a control key that has no meaning in it

	// longestTyped is the number of characters that the line editor shows as they are. The editor takes 4,096.
	longestTyped = 2000
	// longestInline is the number of characters of a one-line paste that is shown as if it had been typed.
	longestInline = 500
	// longestPaste is the number of bytes of a paste that is kept; the rest is dropped.
	longestPaste = 4 << 20
)

// lineEditor reads lines: with cursor keys, history, and each paste as one piece. A paste of several lines is shown as a
// short label and becomes its text when the line is complete. The zero value is ready.
type lineEditor struct {
	// CtrlCEnds makes Ctrl-C fail with errInterrupt on a line with text too.
	CtrlCEnds bool

	history lineHistory
	pastes  []pastedText

	mu   sync.Mutex
	line *term.Terminal // the line that is being read; nil: none
}

// pastedText is a text that the line shows as a label.
type pastedText struct{ label, text string }

// Line reads one line that begins with the text start. At Ctrl-C a line with text becomes empty; an empty one fails with
// errInterrupt. At Ctrl-D an empty one fails with io.EOF. The end of ctx is its cause as an error.
func (e *lineEditor) Line(ctx context.Context, k keySource, out io.Writer, prompt, start string) (string, error) {
	r := &lineReader{editor: e, out: out}
	r.next = func(within context.Context) (byte, error) {
		if within == nil {
			within = ctx
		}
		return k.Key(within)
	}
	t := term.NewTerminal(r, prompt)
	t.History = &e.history
	t.AutoCompleteCallback = r.pressed
	r.fit = func() {
		if w, h, ok := terminalSize(out); ok {
			_ = t.SetSize(w, h) // the error is the writer's, and the next write has it too
		}
	}
	r.fit()
	r.ready = []byte(e.pasted(start))
	e.reads(t)
	line, err := t.ReadLine()
	e.reads(nil)
	if err != nil && !errors.Is(err, term.ErrPasteIndicator) {
		fmt.Fprint(out, "\r\n")
		return "", err
	}
	return e.whole(line), nil
}

func (e *lineEditor) reads(t *term.Terminal) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.line = t
}

// Above returns a writer whose text appears above the line while one is read. Then it writes whole lines only.
func (e *lineEditor) Above(out io.Writer) io.Writer { return &above{editor: e, out: out} }

type above struct {
	editor *lineEditor
	out    io.Writer
	rest   []byte // of a line that is not whole
}

func (a *above) Write(text []byte) (int, error) {
	a.editor.mu.Lock()
	line := a.editor.line
	a.editor.mu.Unlock()
	a.rest = append(a.rest, text...)
	whole := len(a.rest)
	out := a.out
	if line != nil {
		whole, out = bytes.LastIndexByte(a.rest, '\n')+1, line
	}
	_, err := out.Write(a.rest[:whole])
	a.rest = append(a.rest[:0], a.rest[whole:]...)
	return len(text), err
}

// terminalSize is the size of the terminal behind a writer.
func terminalSize(out io.Writer) (width, height int, ok bool) {
	f, is := fileOf(out)
	if !is {
		return 0, 0, false
	}
	w, h, err := term.GetSize(int(f.Fd()))
	return w, h, err == nil && w > 0
}

// pasted is how a pasted text is put on the line: as it is when it is short and plain, else as a label.
func (e *lineEditor) pasted(text string) string {
	text = strings.ToValidUTF8(strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(text), "\uFFFD")
	if one := strings.TrimSuffix(text, "\n"); utf8.RuneCountInString(one) <= longestInline && !strings.ContainsFunc(one, notShown) {
		return one
	}
	lines := strings.Count(strings.TrimRight(text, "\n"), "\n") + 1
	if lines == 1 {
		return e.label(fmt.Sprintf("%d characters", utf8.RuneCountInString(text)), text)
	}
	return e.label(fmt.Sprintf("%d lines", lines), text)
}

func notShown(r rune) bool { return r < ' ' || !unicode.IsPrint(r) }

func (e *lineEditor) label(size, text string) string {
	label := fmt.Sprintf("[paste %d: %s]", len(e.pastes)+1, size)
	e.pastes = append(e.pastes, pastedText{label, text})
	return label
}

// whole is a line with the texts of its pastes.
func (e *lineEditor) whole(line string) string {
	var pairs []string
	for _, p := range e.pastes {
		pairs = append(pairs, p.label, p.text)
	}
	return strings.NewReplacer(pairs...).Replace(line)
}

// lineReader gives the line editor what is typed, with pastes taken out.
type lineReader struct {
	editor *lineEditor
	out    io.Writer
	next   func(within context.Context) (byte, error) // the next key; within may be nil
	fit    func()                                     // takes the size of the terminal
	ready  []byte                                     // what the line editor gets next
	gone   bool                                       // Ctrl-C at an empty line
}

// Write shows what the line editor draws.
func (r *lineReader) Write(text []byte) (int, error) { return r.out.Write(text) }

// Read gives the line editor the next keys. It never gives an Enter together with other keys, so that the editor keeps
// nothing that was typed after it.
func (r *lineReader) Read(p []byte) (int, error) {
	for len(r.ready) == 0 {
		if r.gone {
			return 0, errInterrupt
		}
		key, err := r.next(nil)
		if err != nil {
			return 0, err
		}
		if err := r.take(key); err != nil {
			return 0, err
		}
	}
	r.fit()
	n := copy(p, r.ready)
	r.ready = r.ready[n:]
	return n, nil
}

// take prepares one key for the line editor.
func (r *lineReader) take(key byte) error {
	switch {
	case key == ctrlC && r.editor.CtrlCEnds:
		return errInterrupt
	case key == ctrlC:
		r.ready = []byte{clearInput}
	case key == escape:
		return r.escaped()
	default:
		r.ready = []byte{key}
	}
	return nil
}

// pressed handles each key that the line editor does not know, and each character.
func (r *lineReader) pressed(line string, at int, key rune) (string, int, bool) {
	switch {
	case key == clearInput && line == "":
		r.gone = true
	case key == clearInput:
		return "", 0, true
	case key >= ' ' && at == len(line) && utf8.RuneCountInString(line) >= longestTyped:
		text := r.editor.whole(line) + string(key)
		line = r.editor.label(fmt.Sprintf("%d characters", utf8.RuneCountInString(text)), text)
		return line, len(line), true
	}
	return "", 0, false
}

// lineHistory are the lines that were entered.
type lineHistory struct{ lines []string }

// Add keeps a line, unless it is blank or the same as the one before.
func (h *lineHistory) Add(line string) {
	if n := len(h.lines); strings.TrimSpace(line) != "" && (n == 0 || h.lines[n-1] != line) {
		h.lines = append(h.lines, line)
	}
}

// Len is the number of lines.
func (h *lineHistory) Len() int { return len(h.lines) }

// At returns a line; 0 is the newest.
func (h *lineHistory) At(i int) string { return h.lines[len(h.lines)-1-i] }

var _ term.History = (*lineHistory)(nil)
