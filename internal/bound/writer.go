// Package bound keeps an output within limits while it is written: the first and last part in memory, the middle
// counted, the whole in a file with a quota.
package bound

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// DefaultLimit is how many bytes of an output a Writer keeps when Limit is 0.
const DefaultLimit = 32 << 10

// Writer keeps the head and the tail of what is written. It is not safe for concurrent use. The zero value keeps
// DefaultLimit bytes and drops the middle.
type Writer struct {
	Limit int    // bytes kept, half of it head and half tail once the output is longer; 0 means DefaultLimit
	Spill *Store // takes the whole once it is longer than Limit; nil: the middle is dropped

	head    []byte // everything until the limit is passed, then the first half
	tail    []byte // after that: the last bytes, at least half of the limit once there are so many
	passed  bool
	total   int64
	lines   int64 // newlines seen
	whole   *file
	spilled error // why the spill file does not hold the whole
}

// Kept is what remains of an output.
type Kept struct {
	Text     string // head, a line that says what was left out, tail; valid UTF-8 without NUL
	Total    int64  // bytes written
	CutBytes int64  // bytes between head and tail
	CutLines int64  // newlines between head and tail
	Ref      string // names the whole output for Store.Open; "" when it was not kept
}

// Cut reports whether something was left out.
func (k Kept) Cut() bool { return k.CutBytes > 0 }

func (w *Writer) limit() int {
	if w.Limit > 0 {
		return w.Limit
	}
	return DefaultLimit
}

// Write takes all of p; it never fails: what cannot be spilled is counted and told by Close.
func (w *Writer) Write(p []byte) (int, error) {
	w.total += int64(len(p))
	w.lines += int64(bytes.Count(p, newline))
	rest := p
	if !w.passed {
		if len(w.head)+len(p) <= w.limit() {
			w.head = append(w.head, p...)
			return len(p), nil
		}
		rest = w.pass(p)
	}
	w.spill(p)
	w.keepTail(rest)
	return len(p), nil
}

// pass goes from keeping all to keeping head and tail. It returns what of p is not in the head.
func (w *Writer) pass(p []byte) []byte {
	w.passed = true
	if w.Spill != nil {
		w.whole, w.spilled = w.Spill.create()
		w.spill(w.head)
	}
	half := w.limit() / 2
	if len(w.head) >= half {
		w.tail = append(w.tail, w.head[half:]...)
		w.head = w.head[:half]
		return p
	}
	n := half - len(w.head)
	w.head = append(w.head, p[:n]...)
	return p[n:]
}

func (w *Writer) keepTail(p []byte) {
	half := w.limit() - w.limit()/2
	if len(p) >= half {
		w.tail = append(w.tail[:0], p[len(p)-half:]...)
		return
	}
	if len(w.tail)+len(p) > 2*half {
		n := copy(w.tail, w.tail[len(w.tail)+len(p)-half:])
		w.tail = w.tail[:n]
	}
	w.tail = append(w.tail, p...)
}

func (w *Writer) spill(p []byte) {
	if w.whole == nil || w.spilled != nil {
		return
	}
	_, w.spilled = w.whole.Write(p)
}

// Close ends the output and gives what was kept.
func (w *Writer) Close() Kept {
	k := Kept{Total: w.total}
	if w.whole != nil {
		if err := w.whole.Close(); err != nil && w.spilled == nil {
			w.spilled = err
		}
		k.Ref = w.whole.ref
	}
	if !w.passed {
		k.Text = clean(w.head)
		return k
	}
	half := w.limit() - w.limit()/2
	tail := w.tail
	if len(tail) > half {
		tail = tail[len(tail)-half:]
	}
	head := wholeLinesHead(w.head)
	tail = wholeLinesTail(tail)
	k.CutBytes = w.total - int64(len(head)) - int64(len(tail))
	k.CutLines = w.lines - int64(bytes.Count(head, newline)) - int64(bytes.Count(tail, newline))
	k.Text = clean(head) + w.notice(head, k) + clean(tail)
	return k
}

func (w *Writer) notice(head []byte, k Kept) string {
	var b strings.Builder
	if n := len(head); n > 0 && head[n-1] != '\n' {
		b.WriteByte('\n')
	}
	fmt.Fprintf(&b, "[… %d lines, %s left out here", k.CutLines, Size(k.CutBytes))
	switch {
	case k.Ref != "" && w.spilled == nil:
		fmt.Fprintf(&b, "; the whole output (%s): read_file with path %q", Size(k.Total), k.Ref)
	case k.Ref != "":
		fmt.Fprintf(&b, "; its first part only (%v): read_file with path %q", w.spilled, k.Ref)
	case w.spilled != nil:
		fmt.Fprintf(&b, "; they could not be kept: %v", w.spilled)
	}
	b.WriteString(" …]\n")
	return b.String()
}

var newline = []byte{'\n'}

// wholeLinesHead cuts after the last line break, when that does not cost more than half, else between two runes.
func wholeLinesHead(p []byte) []byte {
	if i := bytes.LastIndexByte(p, '\n'); i+1 >= len(p)/2 {
		return p[:i+1]
	}
	end := len(p)
	for n := 0; n < utf8.UTFMax && end > 0; n++ {
		if r, size := utf8.DecodeLastRune(p[:end]); r != utf8.RuneError || size != 1 {
			break
		}
		end--
	}
	return p[:end]
}

// wholeLinesTail cuts after the first line break, when that does not cost more than half, else between two runes.
func wholeLinesTail(p []byte) []byte {
	if i := bytes.IndexByte(p, '\n'); i >= 0 && i < len(p)/2 {
		return p[i+1:]
	}
	for n := 0; n < utf8.UTFMax && n < len(p); n++ {
		if utf8.RuneStart(p[n]) {
			return p[n:]
		}
	}
	return p
}

// clean makes valid UTF-8 without NUL, which some providers and terminals choke on.
func clean(p []byte) string {
	s := string(p)
	if !utf8.ValidString(s) {
		s = strings.ToValidUTF8(s, "\uFFFD")
	}
	if strings.IndexByte(s, 0) >= 0 {
		s = strings.ReplaceAll(s, "\x00", "\uFFFD")
	}
	return s
}

// Size writes a number of bytes for people: "812 B", "4.2 KB", "10.0 GB".
func Size(n int64) string {
	if n < 1000 {
		return fmt.Sprintf("%d B", n)
	}
	f, unit := float64(n)/1000, 0
	for f >= 999.95 && unit < 3 {
		f, unit = f/1000, unit+1
	}
	return fmt.Sprintf("%.1f %cB", f, "KMGT"[unit])
}

var _ io.Writer = (*Writer)(nil)
