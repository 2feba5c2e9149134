package files

import (
	"bytes"
	"io"
)

// lineMatch is one matching line, or a line beside one.
type lineMatch struct {
	Line   int64 // number, from 1
	Text   []byte
	Cut    int64 // bytes of the line that are not in Text
	From   int64 // bytes cut off in front of Text; part of Cut
	Beside bool  // a line of context
	More   bool  // a further line of a match over several lines
	Gap    bool  // lines were left out between the one before and this
}

// searchLimits limits what is kept of the matches of a file.
type searchLimits struct {
	Max           int // matching lines; the search of the file ends there; 0 means none are kept but all are counted
	Before, After int // lines of context
	Line          int // most bytes kept of a line
}

// fileMatches is what was found in one file.
type fileMatches struct {
	Count   int64       // matching lines seen; not all of them when Want.Max ended the search
	Matches []lineMatch // with context, in order
	Binary  bool        // a NUL among the first bytes: not searched
	Large   bool        // too large to be read at once: not searched
	Ended   bool        // Want.Max ended the search
}

// finder searches one file, chunk by chunk.
type finder struct {
	p      *searchPattern
	m      *machine
	want   searchLimits
	found  *fileMatches
	breaks int64  // line breaks before the chunk
	last   int64  // number of the last line in Matches
	after  int    // lines of context still to come
	behind []byte // the last lines of the chunk before, for context
}

// Text searches a complete text.
func (p *searchPattern) Text(text []byte, want searchLimits) fileMatches {
	var found fileMatches
	f := &finder{p: p, want: want, found: &found}
	defer f.rest()
	f.chunk(text)
	return found
}

// Stream searches the text of a reader through a buffer. A line that is longer than the buffer is searched in pieces.
func (p *searchPattern) Stream(r io.Reader, buf []byte, want searchLimits) (fileMatches, error) {
	var found fileMatches
	f := &finder{p: p, want: want, found: &found}
	defer f.rest()
	held := 0
	for {
		n, err := io.ReadFull(r, buf[held:])
		text := buf[:held+n]
		end := err == io.EOF || err == io.ErrUnexpectedEOF
		if err != nil && !end {
			return found, err
		}
		cut := len(text)
		if i := bytes.LastIndexByte(text, '\n'); !end && i >= 0 {
			cut = i + 1
		}
		f.chunk(text[:cut])
		if end || found.Ended {
			return found, nil
		}
		held = copy(buf, text[cut:])
	}
}

// scan starts on a text.
func (f *finder) scan(text []byte) lineScanner {
	s := lineScanner{p: f.p, text: text, sift: f.p.needles.usable(text)}
	if !s.sift && f.m == nil {
		f.m = f.p.machine()
	}
	s.machine = f.m
	return s
}

// rest returns the machine to the pool.
func (f *finder) rest() {
	if f.m != nil {
		f.p.idle.Put(f.m)
	}
}

// chunk searches some whole lines.
func (f *finder) chunk(text []byte) {
	s := f.scan(text)
	counted, breaks := 0, f.breaks // line breaks before counted
	pos := 0                       // lines before it are done with
	for {
		start, end, ok := s.line()
		if !ok {
			break
		}
		f.found.Count++
		if f.want.Max == 0 {
			continue
		}
		pos = f.follow(text, pos, start, &breaks, &counted)
		number := breaks + int64(bytes.Count(text[counted:start], newline)) + 1
		f.lead(text, pos, start, number)
		f.keep(text[start:end], number, false)
		breaks, counted = number-1, start
		f.after, pos = f.want.After, f.past(text, end)
		if f.found.Count >= int64(f.want.Max) {
			f.follow(text, pos, len(text), &breaks, &counted)
			f.found.Ended = true
			return
		}
	}
	if f.want.Max > 0 {
		f.follow(text, pos, len(text), &breaks, &counted)
		f.breaks = breaks + int64(bytes.Count(text[counted:], newline))
		f.remember(text)
	}
}

var newline = []byte{'\n'}

// past returns the start of the line behind one that ends there, with or without a CR.
func (f *finder) past(text []byte, end int) int {
	if i := bytes.IndexByte(text[end:], '\n'); i >= 0 {
		return end + i + 1
	}
	return len(text)
}

// follow keeps the context behind the last match, up to a position, and returns where the rest starts.
func (f *finder) follow(text []byte, pos, limit int, breaks *int64, counted *int) int {
	for f.after > 0 && pos < limit {
		*breaks += int64(bytes.Count(text[*counted:pos], newline))
		*counted = pos
		end := f.past(text, pos)
		f.keep(trimmed(text[pos:end]), *breaks+1, true)
		pos = end
		f.after--
	}
	return pos
}

// lead keeps the context in front of a match.
func (f *finder) lead(text []byte, pos, start int, number int64) {
	if f.want.Before == 0 {
		return
	}
	front := text[pos:start]
	if pos == 0 && len(f.behind) > 0 {
		front = append(append([]byte{}, f.behind...), front...)
	}
	lines := tail(front, f.want.Before)
	for i, l := range lines {
		if n := number - int64(len(lines)-i); n > f.last {
			f.keep(l, n, true)
		}
	}
}

// tail returns the last lines of a text that ends with a line break.
func tail(text []byte, most int) [][]byte {
	var all [][]byte
	for len(text) > 0 && len(all) < most {
		at := bytes.LastIndexByte(text[:len(text)-1], '\n') + 1
		all = append([][]byte{trimmed(text[at:])}, all...)
		text = text[:at]
	}
	return all
}

// mostBehind is how many bytes are held for context across chunks: lines can be as long as a file.
const mostBehind = 64 << 10

// remember holds the last lines of a chunk for the next one.
func (f *finder) remember(text []byte) {
	if f.want.Before == 0 {
		return
	}
	at, lines := len(text), 0
	for ; lines < f.want.Before && at > 0; lines++ {
		at = bytes.LastIndexByte(text[:at-1], '\n') + 1
	}
	if lines == f.want.Before {
		f.behind = nil
	}
	f.behind = append(f.behind[:len(f.behind):len(f.behind)], text[at:]...)
	f.behind = f.behind[max(0, len(f.behind)-mostBehind):]
}

// keep copies a line to what was found.
func (f *finder) keep(line []byte, number int64, beside bool) {
	m := lineMatch{Line: number, Beside: beside, Gap: f.last > 0 && number > f.last+1}
	from, to := 0, len(line)
	if to > f.want.Line {
		if at := f.p.Index(line); !beside && at != nil && at[1] > f.want.Line {
			from = max(0, min(at[0]-f.want.Line/4, len(line)-f.want.Line))
		}
		to = min(len(line), from+f.want.Line)
	}
	m.Text = bytes.Clone(line[from:to])
	m.Cut, m.From = int64(len(line)-(to-from)), int64(from)
	f.last = number
	f.found.Matches = append(f.found.Matches, m)
}

func trimmed(line []byte) []byte {
	return bytes.TrimSuffix(bytes.TrimSuffix(line, newline), []byte{'\r'})
}
