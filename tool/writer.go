package tool

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"rein/redact"
)

// DefaultOutputLimit is how many bytes of an output a Writer keeps when Limit is 0.
const DefaultOutputLimit = 32 << 10

// margin is how many bytes beyond a cut the mask sees: more than a private key has.
const margin = 4 << 10

// OutputWriter keeps the head and the tail of what is written. It is not safe for concurrent use. The zero value keeps
// DefaultOutputLimit bytes and drops the middle.
type OutputWriter struct {
	Limit int          // bytes kept, half of it head and half tail once the output is longer; 0 means DefaultOutputLimit
	Spill *OutputStore // takes the whole once it is longer than Limit; nil: the middle is dropped

	// Mask hides secrets in what is kept and in the spilled whole, as a *redact.Filter does; it sees some bytes beyond each cut, so that a
	// secret which is cut in two is hidden too. Nil: nothing is hidden.
	Mask interface {
		Bytes([]byte) []byte
		Writer(io.Writer) *redact.Writer
	}

	head    []byte // everything until the limit is passed, then the first half and a margin
	tail    []byte // after that: the last bytes, at least half of the limit and a margin once there are so many
	passed  bool
	total   int64
	lines   int64 // newlines seen
	whole   *file
	stored  io.WriteCloser // what writes to it
	spilled error          // why the spill file does not hold the whole
}

// KeptOutput is what remains of an output.
type KeptOutput struct {
	Text     string // head, a line that says what was left out, tail; valid UTF-8 without NUL
	Total    int64  // bytes written
	CutBytes int64  // bytes between head and tail
	CutLines int64  // newlines between head and tail
	Ref      string // names the whole output for Store.Open; "" when it was not kept
}

// Cut reports whether something was left out.
func (k KeptOutput) Cut() bool { return k.CutBytes > 0 }

func (w *OutputWriter) limit() int {
	if w.Limit > 0 {
		return w.Limit
	}
	return DefaultOutputLimit
}

// Write takes all of p and never fails. Close reports what could not be kept.
func (w *OutputWriter) Write(p []byte) (int, error) {
	w.total += int64(len(p))
	w.lines += int64(bytes.Count(p, newline))
	if !w.passed {
		if len(w.head)+len(p) <= w.limit() {
			w.head = append(w.head, p...)
			return len(p), nil
		}
		w.pass(p)
	}
	w.spill(p)
	w.keepTail(p)
	return len(p), nil
}

// half is the most of the text that is head, and the most that is tail.
func (w *OutputWriter) half() int { return w.limit() / 2 }

// pass goes from keeping all to keeping head and tail; p is the piece that does not fit.
func (w *OutputWriter) pass(p []byte) {
	w.passed = true
	if w.Spill != nil {
		if w.whole, w.spilled = w.Spill.create(); w.whole != nil && w.Mask != nil {
			w.stored = w.Mask.Writer(w.whole)
		}
		w.spill(w.head)
	}
	w.keepTail(w.head)
	most := w.half() + margin
	if n := most - len(w.head); n > 0 {
		w.head = append(w.head, p[:min(n, len(p))]...)
	}
	w.head = w.head[:min(most, len(w.head))]
}

// keepTail adds to the tail and forgets its oldest bytes.
func (w *OutputWriter) keepTail(p []byte) {
	most := w.half() + margin
	if len(p) >= most {
		w.tail = append(w.tail[:0], p[len(p)-most:]...)
		return
	}
	if len(w.tail)+len(p) > 2*most {
		n := copy(w.tail, w.tail[len(w.tail)+len(p)-most:])
		w.tail = w.tail[:n]
	}
	w.tail = append(w.tail, p...)
}

func (w *OutputWriter) spill(p []byte) {
	if w.whole == nil || w.spilled != nil {
		return
	}
	if w.stored != nil {
		_, w.spilled = w.stored.Write(p)
		return
	}
	_, w.spilled = w.whole.Write(p)
}

// Close ends the output and returns what was kept.
func (w *OutputWriter) Close() KeptOutput {
	k := KeptOutput{Total: w.total}
	if w.whole != nil {
		if w.stored != nil && w.spilled == nil {
			w.spilled = w.stored.Close()
		}
		if err := w.whole.Close(); err != nil && w.spilled == nil {
			w.spilled = err
		}
		k.Ref = w.whole.ref
	}
	head, tail := w.masked(w.head), w.masked(w.tail)
	if !w.passed {
		k.Text = clean(head)
		return k
	}
	head = wholeLinesHead(head[:min(w.half(), len(head))])
	tail = wholeLinesTail(tail[max(0, len(tail)-w.half()):])
	k.CutBytes = w.total - int64(len(head)) - int64(len(tail))
	k.CutLines = w.lines - int64(bytes.Count(head, newline)) - int64(bytes.Count(tail, newline))
	k.Text = clean(head) + w.notice(head, k) + clean(tail)
	return k
}

func (w *OutputWriter) masked(p []byte) []byte {
	if w.Mask == nil {
		return p
	}
	return w.Mask.Bytes(p)
}

func (w *OutputWriter) notice(head []byte, k KeptOutput) string {
	var b strings.Builder
	if n := len(head); n > 0 && head[n-1] != '\n' {
		b.WriteByte('\n')
	}
	noun := "lines"
	if k.CutLines == 1 {
		noun = "line"
	}
	fmt.Fprintf(&b, "[… %d %s, %s left out here", k.CutLines, noun, SizeText(k.CutBytes))
	switch {
	case k.Ref != "" && w.spilled == nil:
		fmt.Fprintf(&b, "; the whole output (%s): read_file with path %q", SizeText(k.Total), k.Ref)
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

// ShortLine bounds a short text, such as an error's: at most most bytes of valid UTF-8 without NUL, and a word where it
// was cut.
func ShortLine(text string, most int) string {
	if len(text) <= most {
		return clean([]byte(text))
	}
	return clean(wholeLinesHead([]byte(text[:most]))) + fmt.Sprintf("… [%s more]", SizeText(int64(len(text)-most)))
}

// clean makes valid UTF-8 without NUL, which some providers and terminals choke on. A run of what is no text becomes one
// sign, so the text is at most twice as long.
func clean(p []byte) string {
	s := string(p)
	if strings.IndexByte(s, 0) >= 0 {
		s = strings.ReplaceAll(s, "\x00", "\xff")
	}
	if !utf8.ValidString(s) {
		s = strings.ToValidUTF8(s, "\uFFFD")
	}
	return s
}

// SizeText writes a number of bytes for people: "812 B", "4.2 KB", "10.0 GB".
func SizeText(n int64) string {
	if n < 1000 {
		return fmt.Sprintf("%d B", n)
	}
	f, unit := float64(n)/1000, 0
	for f >= 999.95 && unit < 3 {
		f, unit = f/1000, unit+1
	}
	return fmt.Sprintf("%.1f %cB", f, "KMGT"[unit])
}

var _ io.Writer = (*OutputWriter)(nil)
