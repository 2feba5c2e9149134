package jsontext

import (
	"bytes"
	"unicode/utf8"
)

// reader reads almost JSON and writes JSON. It refuses rather than guesses.
type reader struct {
	*repairer
	src    []byte
	pos    int
	out    []byte
	stack  []byte // the open brackets, innermost last
	odd    int    // strings that hold an odd number of unescaped quotes
	cut    bool   // closing brackets were missing at the end
	inner  bool   // a string held unescaped quotes
	atRoot string // the name of the root's member that is being read

	// The objects that a brace has just closed, and whether one of them has several members: when a brace is missing
	// at the end, it may as well be missing there.
	lastClosed int
	several    bool

	blockEnd, lineEnd ahead
	lastQuote         int // the offset behind the last double quote of the input

	curly, curlySingle bool // whether the input holds smart closing quotes
}

func (r *reader) next() byte {
	if r.pos < len(r.src) {
		return r.src[r.pos]
	}
	return 0
}

// rest is what has not been read yet.
func (r *reader) rest() []byte { return r.src[r.pos:] }

// ended reports whether the JSON text is over: at the end of the input, at a chat marker or tag, or at a code fence.
func (r *reader) ended() bool { return r.endsAt(r.pos) }

// endsAt reports whether the JSON text is over at pos. A marker before more quotes is in a string that broke.
func (r *reader) endsAt(pos int) bool {
	return pos >= len(r.src) || pos >= r.lastQuote && endsHere(r.src[pos:])
}

func newReader(m *repairer, src []byte, pos int) *reader {
	return &reader{repairer: m, src: src, pos: pos, out: make([]byte, 0, len(src)-pos+32), lastQuote: bytes.LastIndexByte(src, '"') + 1,
		curly: bytes.Contains(src, []byte("”")), curlySingle: bytes.Contains(src, []byte("’"))}
}

func endsHere(rest []byte) bool {
	return len(rest) > 1 && (rest[0] == '<' || rest[0] == '`') && (bytes.HasPrefix(rest, []byte("<|")) || bytes.HasPrefix(rest, []byte("</")) || bytes.HasPrefix(rest, []byte("```")))
}

func (r *reader) cutOff(what string) error {
	return refuse(truncated, len(r.src), "%s", what)
}

func (r *reader) broken(format string, args ...any) error {
	return refuse(broken, r.pos, format, args...)
}

// space passes white space and comments.
func (r *reader) space() {
	for r.pos < len(r.src) {
		rest := r.rest()
		if n := spaceSize(rest); n > 0 {
			r.pos += n
			continue
		}
		n := r.commentSize(r.pos)
		if n == 0 {
			return
		}
		r.note("dropped a comment")
		r.pos += n
	}
}

// spaceSize returns the length of the white space at the start of text, counting Unicode spaces.
func spaceSize(text []byte) int {
	if len(text) == 0 {
		return 0
	}
	switch text[0] {
	case ' ', '\n', '\t', '\r', '\f', '\v':
		return 1
	}
	if text[0] < utf8.RuneSelf {
		return 0
	}
	switch r, size := utf8.DecodeRune(text); r {
	case '\u00a0', '\u2002', '\u2003', '\u2009', '\u200b', '\u202f', '\u3000', '\ufeff':
		return size
	}
	return 0
}

// commentSize returns the length of the comment at pos, or 0. A comment that never ends is none.
func (r *reader) commentSize(pos int) int {
	if pos >= len(r.src) || r.src[pos] != '/' && r.src[pos] != '#' {
		return 0
	}
	rest := r.src[pos:]
	switch {
	case bytes.HasPrefix(rest, []byte("/*")):
		if end := r.blockEnd.from(r.src, pos+2, "*/"); end < len(r.src) {
			return end + 2 - pos
		}
	case bytes.HasPrefix(rest, []byte("//")), bytes.HasPrefix(rest, []byte("#")):
		if end := r.lineEnd.from(r.src, pos, "\n"); end < len(r.src) {
			return end + 1 - pos
		}
	}
	return 0
}

// ahead remembers where a mark comes next, so that to ask often costs no more than to ask once.
type ahead struct{ asked, found int }

// from returns the offset of the first mark at or behind pos, or the length of src.
func (a *ahead) from(src []byte, pos int, mark string) int {
	if a.found > 0 && pos >= a.asked && pos <= a.found {
		return a.found
	}
	a.asked, a.found = pos, len(src)
	if i := bytes.Index(src[min(pos, len(src)):], []byte(mark)); i >= 0 {
		a.found = pos + i
	}
	return a.found
}

// value reads one value of the wanted kind of the schema.
func (r *reader) value() error {
	if len(r.stack) > maxRepairDepth {
		return r.broken("nested deeper than %d", maxRepairDepth)
	}
	if r.ended() {
		return r.cutOff("a value is missing")
	}
	switch c := r.next(); c {
	case '{':
		return r.object()
	case '[', '(':
		return r.array()
	}
	if quote, size := openingQuote(r.rest()); size > 0 {
		return r.text(quote, size)
	}
	return r.bare()
}
