package document

import (
	"errors"
	"strings"
)

// mostLine is the longest line, in bytes. A longer paragraph is several lines.
const mostLine = 1000

// errFull ends the reading: the window has all that it may have.
var errFull = errors.New("the window is full")

// Output collects the lines of a window.
type Output struct {
	window Window
	text   Text
	seen   int // lines so far, with those that are left out
	bytes  int
}

// NewOutput makes an empty output with the defaults of the window.
func NewOutput(kind string, w Window) *Output {
	w.First = max(w.First, 1)
	if w.Last <= 0 {
		w.Last = w.First + MostUnits - 1
	}
	if w.Lines <= 0 {
		w.Lines = MostLines
	}
	if w.Bytes <= 0 {
		w.Bytes = MostBytes
	}
	return &Output{window: w, text: Text{Kind: kind}}
}

// Units sets of how many parts the document is made. It returns the numbers, from 1, of those that are wanted.
func (o *Output) Units(name string, n int) (first, last int) {
	o.text.Unit, o.text.Units = name, n
	o.text.First, o.text.Last = o.window.First, min(o.window.Last, n)
	return o.text.First, o.text.Last
}

// Note adds a line about the reading itself.
func (o *Output) Note(text string) { o.text.Notes = append(o.text.Notes, text) }

// Add adds a text of one or more lines. It fails with errFull when no more is wanted.
func (o *Output) Add(text string) error {
	for line := range strings.SplitSeq(text, "\n") {
		for {
			head, rest := wrapped(strings.TrimRight(line, " \t\r"))
			if err := o.line(head); err != nil {
				return err
			}
			if rest == "" {
				break
			}
			line = rest
		}
	}
	return nil
}

func (o *Output) line(line string) error {
	o.seen++
	switch {
	case o.seen <= o.window.Skip:
		return nil
	case len(o.text.Lines) >= o.window.Lines || o.bytes+len(line) > o.window.Bytes:
		o.text.More = true
		return errFull
	}
	o.bytes += len(line) + 1
	o.text.Lines = append(o.text.Lines, strings.ToValidUTF8(line, "\ufffd"))
	return nil
}

// wrapped splits a line that is too long, at a space where there is one.
func wrapped(line string) (head, rest string) {
	if len(line) <= mostLine {
		return line, ""
	}
	end := strings.LastIndexByte(line[:mostLine], ' ')
	if end < mostLine/2 {
		for end = mostLine; end > mostLine-4 && line[end]&0xC0 == 0x80; { // not inside a character
			end--
		}
	}
	return line[:end], strings.TrimLeft(line[end:], " ")
}

// Text returns what was collected.
func (o *Output) Text() Text { return o.text }
