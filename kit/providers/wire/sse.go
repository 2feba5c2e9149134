package wire

import (
	"bytes"
	"errors"
	"fmt"
	"io"
)

// maxEvent is how many bytes one event may have unless a Reader says otherwise: an image comes as one.
const maxEvent = 32 << 20

// errTooLong is returned for an event that is longer than the reader allows.
var errTooLong = errors.New("event too long")

// reader reads server-sent events, one after the other, as they are really sent: any line ending, comments, fields in any
// order, events that end with the stream, and bare lines of JSON in between. The zero value of Max means maxEvent.
type reader struct {
	Max int

	in  io.Reader
	buf []byte
	// buf[start:end] holds what was read and belongs to the current event or comes after it; at is the next line.
	start, at, end int
	eof            error

	data  span
	more  []byte // data of several lines, joined
	lines int
	kind  span
}

// span is a piece of the buffer, counted from start, because the buffer moves.
type span struct{ from, to int }

// newReader returns a reader of in.
func newReader(in io.Reader) *reader { return &reader{in: in, buf: make([]byte, 4<<10)} }

// Next reads the next event that has data. At the end it returns io.EOF, also when the stream ended inside an event, whose
// data are given first.
func (r *reader) Next() error {
	r.start, r.data, r.kind, r.lines = r.at, span{}, span{}, 0
	for {
		line, err := r.line()
		if err != nil {
			if r.lines > 0 && err == io.EOF {
				return nil
			}
			return err
		}
		if r.take(line) {
			return nil
		}
	}
}

// Data returns the event's data until the next call of Next.
func (r *reader) Data() []byte {
	if r.lines > 1 {
		return r.more
	}
	return r.bytes(r.data)
}

// Type returns the event's "event:" line until the next call of Next; nil when it had none.
func (r *reader) Type() []byte { return r.bytes(r.kind) }

func (r *reader) bytes(s span) []byte { return r.buf[r.start+s.from : r.start+s.to] }

// take takes one line into the event and reports whether the event is complete.
func (r *reader) take(line span) bool {
	b := r.bytes(line)
	if len(b) == 0 {
		if r.lines == 0 {
			r.start, r.kind = r.at, span{} // nothing came: the event starts again
		}
		return r.lines > 0
	}
	switch {
	case bytes.HasPrefix(b, []byte("data:")):
		return r.addData(field(line, b, len("data:")))
	case bytes.HasPrefix(b, []byte("event:")):
		r.kind = field(line, b, len("event:"))
	case (b[0] == '{' || b[0] == '[') && r.lines == 0:
		r.data, r.lines = line, 1 // JSON without the envelope, as proxies tell their errors
		return true
	}
	return false
}

func (r *reader) addData(s span) bool {
	if r.lines++; r.lines == 1 {
		r.data = s
		return string(r.bytes(s)) == "[DONE]" // nothing follows, so nobody waits for the empty line
	}
	if r.lines == 2 {
		r.more = append(r.more[:0], r.bytes(r.data)...)
	}
	r.more = append(append(r.more, '\n'), r.bytes(s)...)
	return false
}

// field returns the value of a line behind its name, without one space.
func field(line span, b []byte, name int) span {
	if name < len(b) && b[name] == ' ' {
		name++
	}
	return span{line.from + name, line.to}
}

// line reads one line without its ending.
func (r *reader) line() (span, error) {
	searched := r.at
	for {
		if i := bytes.IndexByte(r.buf[searched:r.end], '\n'); i >= 0 {
			return r.cut(searched+i, 1), nil
		}
		searched = r.end
		if r.eof != nil {
			if r.at < r.end && r.eof == io.EOF {
				return r.cut(r.end, 0), nil
			}
			return span{}, r.eof
		}
		moved, err := r.fill()
		if err != nil {
			return span{}, err
		}
		searched -= moved
	}
}

// cut takes the line that ends at this place of the buffer.
func (r *reader) cut(end, ending int) span {
	line := span{r.at - r.start, end - r.start}
	r.at = end + ending
	if line.to > line.from && r.buf[end-1] == '\r' {
		line.to--
	}
	return line
}

// fill reads more. It makes room first, and returns how far the bytes moved.
func (r *reader) fill() (moved int, err error) {
	if r.end == len(r.buf) {
		limit := r.Max
		if limit == 0 {
			limit = maxEvent
		}
		if r.start == 0 && len(r.buf) >= limit {
			return 0, fmt.Errorf("%w: more than %d bytes", errTooLong, limit)
		}
		moved = r.makeRoom(limit)
	}
	n, err := r.in.Read(r.buf[r.end:])
	r.end += n
	r.eof = err
	return moved, nil
}

// makeRoom moves the current event to the buffer's front; when it fills more than half of it the buffer grows.
func (r *reader) makeRoom(limit int) (moved int) {
	to := r.buf
	if r.end-r.start > len(r.buf)/2 {
		to = make([]byte, max(min(2*len(r.buf), limit), r.end-r.start+1))
	}
	copy(to, r.buf[r.start:r.end])
	moved = r.start
	r.buf = to
	r.start, r.at, r.end = 0, r.at-moved, r.end-moved
	return moved
}
