package edit

import (
	"sort"
	"strings"
	"time"
)

// document is a file cut into lines. Offsets are bytes of raw.
type document struct {
	raw   string
	lines []line
	view  string // raw without its BOM, every line end one \n; what literal search reads
	eol   string // the line end that most lines have
	cr    bool   // lines end in a lone \r
	fresh bool   // it is, to the byte, what the model last saw
	keys  *keyIndex
	until time.Time
}

// line is one line of a document: its text is raw[start:end], its line end raw[end:next].
type line struct {
	start, end, next int
	at               int // where it begins in view
}

func parse(raw string, until time.Time) *document {
	d := &document{raw: raw, until: until, eol: "\n"}
	pos := 0
	if strings.HasPrefix(raw, bom) {
		pos = len(bom)
	}
	body := raw[pos:]
	hasCR := strings.Contains(body, "\r")
	d.cr = hasCR && !strings.Contains(body, "\n")
	d.cut(pos)
	if !hasCR {
		d.view = body
		return d
	}
	d.joinView()
	return d
}

func (d *document) cut(pos int) {
	end, crlf := byte('\n'), 0
	if d.cr {
		end, d.eol = '\r', "\r"
	}
	at := 0
	d.lines = make([]line, 0, strings.Count(d.raw, string(end))+1)
	for pos < len(d.raw) {
		l := line{start: pos, at: at}
		i := strings.IndexByte(d.raw[pos:], end)
		if i < 0 {
			l.end, l.next = len(d.raw), len(d.raw)
		} else {
			l.end, l.next = pos+i, pos+i+1
			if end == '\n' && i > 0 && d.raw[l.end-1] == '\r' {
				l.end--
				crlf++
			}
		}
		at += l.end - l.start + 1
		d.lines = append(d.lines, l)
		pos = l.next
	}
	if crlf*2 > len(d.lines) || crlf > 0 && crlf == len(d.lines)-1 {
		d.eol = "\r\n"
	}
}

func (d *document) joinView() {
	var b strings.Builder
	b.Grow(len(d.raw))
	for i := range d.lines {
		b.WriteString(d.text(i))
		if d.lines[i].next > d.lines[i].end {
			b.WriteByte('\n')
		}
	}
	d.view = b.String()
}

func (d *document) text(i int) string { return d.raw[d.lines[i].start:d.lines[i].end] }
func (d *document) end(i int) string  { return d.raw[d.lines[i].end:d.lines[i].next] }

// lineAt is the line that holds a byte of view.
func (d *document) lineAt(at int) int {
	return sort.Search(len(d.lines), func(i int) bool { return d.lines[i].at > at }) - 1
}

// late means that the time limit of the call has passed.
func (d *document) late() bool { return time.Now().After(d.until) }
