package journal

import (
	"bytes"
	"errors"
	"iter"
	"strconv"

	"rein/event"
	"rein/internal/jsontext"
)

// Head is what a line of a journal has at its beginning.
type Head struct {
	Kind   event.Kind // event.Damaged where the line is no event
	Seq    int64
	At     int64 // that of an event.Rewound
	Offset int64 // of the line in the file, in bytes: see Rest
}

// Heads returns the heads of a journal's lines. It decodes almost none of them, so it is many times as fast as Read. A torn last line
// is left out; other errors are those of Read.
func Heads(name string) iter.Seq2[Head, error] {
	return func(yield func(Head, error) bool) {
		offset := int64(0)
		for l, err := range rawLines(name, 0) {
			if errors.Is(err, ErrTorn) {
				return
			}
			h, whole := cutHead(l.Text)
			out := Head{Kind: event.Kind(h.kind), Seq: h.seq, Offset: offset}
			if err == nil && (!whole || out.Kind == event.Rewound) {
				l.decode()
				out.Kind, out.Seq, out.At, h.format = l.Event.Kind, l.Event.Seq, l.Event.At, l.Event.Format
			}
			if err == nil {
				err = known(h.format)
			}
			if offset = l.Next; !yield(out, err) || err != nil {
				return
			}
		}
	}
}

// head is what a line has at its beginning, as Event.Line writes it.
type head struct {
	kind   []byte
	seq    int64
	format int
}

// headOf reads the head of a line that is JSON and begins as Event.Line writes it. Other lines are decoded as a whole.
func headOf(line []byte) (h head, ok bool) {
	if h, ok = cutHead(line); !ok {
		return h, false
	}
	return h, jsontext.Valid(line)
}

// cutHead is headOf without a look at the rest of the line.
func cutHead(line []byte) (h head, ok bool) {
	rest, ok := bytes.CutPrefix(line, []byte(`{"kind":"`))
	if !ok {
		return h, false
	}
	if h.kind, rest, ok = bytes.Cut(rest, []byte(`","time":"`)); !ok || bytes.IndexByte(h.kind, '"') >= 0 {
		return h, false
	}
	if _, rest, ok = bytes.Cut(rest, []byte(`"`)); !ok {
		return h, false
	}
	seq, rest := number(rest, `,"seq":`)
	format, _ := number(rest, `,"format":`)
	h.seq, h.format = seq, int(format)
	return h, true
}

// number reads a member that is a number; 0 where another one comes next.
func number(text []byte, member string) (n int64, rest []byte) {
	digits, ok := bytes.CutPrefix(text, []byte(member))
	if !ok {
		return 0, text
	}
	end := 0
	for end < len(digits) && digits[end] >= '0' && digits[end] <= '9' {
		end++
	}
	n, err := strconv.ParseInt(string(digits[:end]), 10, 64)
	if err != nil {
		return 0, text
	}
	return n, digits[end:]
}
