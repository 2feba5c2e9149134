package wire

import (
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

func all(r *reader) (string, error) {
	var events []string
	for {
		if err := r.Next(); err != nil {
			if err == io.EOF {
				err = nil
			}
			return strings.Join(events, "|"), err
		}
		event := string(r.Data())
		if kind := r.Type(); len(kind) > 0 {
			event = string(kind) + "=" + event
		}
		events = append(events, event)
	}
}

func TestReader(t *testing.T) {
	rows := []struct{ name, in, want string }{
		{"one event", "data: a\n\n", "a"},
		{"without the space", "data:a\n\n", "a"},
		{"only one space is taken", "data:  a\n\n", " a"},
		{"two events", "data: a\n\ndata: b\n\n", "a|b"},
		{"carriage returns", "event: x\r\ndata: a\r\n\r\ndata: b\r\n\r\n", "x=a|b"},
		{"type after data", "data: a\nevent: x\n\n", "x=a"},
		{"a type holds for one event", "event: x\ndata: a\n\ndata: b\n\n", "x=a|b"},
		{"a type without data is no event", "event: x\n\ndata: b\n\n", "b"},
		{"comments", ": OPENROUTER PROCESSING\n\n: ping\ndata: a\n:x\n\n", "a"},
		{"several lines of data", "data: a\ndata: b\ndata:\ndata: c\n\n", "a\nb\n\nc"},
		{"other fields", "id: 7\nretry: 10\nfoo\ndata: a\n\n", "a"},
		{"many empty lines", "\n\n\ndata: a\n\n\n\n", "a"},
		{"the stream ends inside an event", "data: a\n\ndata: b", "a|b"},
		{"the stream ends after a line", "data: a\n", "a"},
		{"bare JSON", "{\"error\":1}\ndata: a\n\n", `{"error":1}|a`},
		{"done needs no empty line", "data: [DONE]\n", "[DONE]"},
		{"empty data", "data:\n\ndata: a\n\n", "|a"},
		{"nothing", "", ""},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			whole, err := all(newReader(strings.NewReader(row.in)))
			if whole != row.want || err != nil {
				t.Errorf("got %q, %v", whole, err)
			}
			bytewise, err := all(newReader(iotest.OneByteReader(strings.NewReader(row.in))))
			if bytewise != row.want || err != nil {
				t.Errorf("byte by byte: got %q, %v", bytewise, err)
			}
		})
	}
}

func TestReaderGrowsToItsLimit(t *testing.T) {
	long := strings.Repeat("x", 100<<10)
	in := "data: " + long + "\ndata: a\n\ndata: b\n\n"
	got, err := all(newReader(strings.NewReader(in)))
	if err != nil || got != long+"\na|b" {
		t.Errorf("got %d bytes, %v", len(got), err)
	}
	r := newReader(strings.NewReader(in))
	r.Max = 64 << 10
	if _, err := all(r); !errors.Is(err, errTooLong) {
		t.Errorf("got %v", err)
	}
}

func TestReaderTellsWhyItEnded(t *testing.T) {
	broken := errors.New("connection reset")
	r := newReader(io.MultiReader(strings.NewReader("data: a\n\ndata: b"), iotest.ErrReader(broken)))
	if got, err := all(r); got != "a" || !errors.Is(err, broken) {
		t.Errorf("got %q, %v", got, err)
	}
}

// However the bytes are cut into reads, the events are the same.
func FuzzReader(f *testing.F) {
	f.Add("event: x\r\ndata: a\n\n: c\n\ndata: b\ndata: c\n\n{\"a\"\n\n", byte(3))
	f.Fuzz(func(t *testing.T, in string, n byte) {
		whole, err := all(newReader(strings.NewReader(in)))
		pieces, err2 := all(&reader{in: &cutter{in, int(n%7) + 1}, buf: make([]byte, 4)})
		if whole != pieces || (err == nil) != (err2 == nil) {
			t.Fatalf("%q: %q, %v and %q, %v", in, whole, err, pieces, err2)
		}
	})
}

type cutter struct {
	rest string
	n    int
}

func (c *cutter) Read(p []byte) (int, error) {
	if c.rest == "" {
		return 0, io.EOF
	}
	n := copy(p, c.rest[:min(c.n, len(c.rest))])
	c.rest = c.rest[n:]
	return n, nil
}

func BenchmarkReader(b *testing.B) {
	in := strings.Repeat("data: "+strings.Repeat("x", 250)+"\n\n", 1000)
	b.SetBytes(int64(len(in)))
	b.ReportAllocs()
	for b.Loop() {
		r := newReader(strings.NewReader(in))
		for r.Next() == nil {
		}
	}
}
