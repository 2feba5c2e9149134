package schema

import (
	"strconv"
	"unicode/utf8"
)

// fastDepth bounds the recursion of the fast path; deeper arguments take the long way.
const fastDepth = 64

// scan walks arguments and proves, where it can, that they are strict JSON that fits the everyday subset. A false from
// any of its methods means "not proven", never "wrong": the full validator then decides.
type scan struct {
	src   []byte
	pos   int
	depth int
}

// proves tells whether raw is certainly an object that is valid against n, to be used exactly as it stands.
func (n *node) proves(raw []byte) bool {
	s := scan{src: raw}
	s.space()
	if s.next() != '{' || !s.value(n) {
		return false
	}
	s.space()
	return s.pos == len(s.src)
}

func (s *scan) space() {
	for s.pos < len(s.src) {
		switch s.src[s.pos] {
		case ' ', '\t', '\n', '\r':
			s.pos++
		default:
			return
		}
	}
}

// next returns the byte at hand, or 0 at the end.
func (s *scan) next() byte {
	if s.pos < len(s.src) {
		return s.src[s.pos]
	}
	return 0
}

func (s *scan) take(b byte) bool {
	if s.next() != b {
		return false
	}
	s.pos++
	return true
}

func (s *scan) value(n *node) bool {
	if n.opaque {
		return false
	}
	switch s.next() {
	case '{':
		return n.may(isObject) && n.enum == nil && s.object(n)
	case '[':
		return n.may(isArray) && n.enum == nil && s.array(n)
	case '"':
		return n.may(isString) && s.text(n)
	case 't':
		return n.may(isBoolean) && s.word("true") && n.allows('t', "")
	case 'f':
		return n.may(isBoolean) && s.word("false") && n.allows('f', "")
	case 'n':
		return n.may(isNull) && s.word("null") && n.allows('n', "")
	}
	return n.may(isInteger|isNumber) && s.number(n)
}

func (n *node) may(k kinds) bool { return n.types == 0 || n.types&k != 0 }

// allows tells whether a scalar is among the enum's values, if there is an enum.
func (n *node) allows(kind byte, text string) bool {
	if n.enum == nil {
		return true
	}
	for _, e := range n.enum {
		if byte(e.kind) == kind && e.text == text {
			return true
		}
	}
	return false
}

func (s *scan) word(w string) bool {
	if len(s.src)-s.pos < len(w) || string(s.src[s.pos:s.pos+len(w)]) != w {
		return false
	}
	s.pos += len(w)
	return true
}

func (s *scan) object(n *node) bool {
	if s.depth++; s.depth > fastDepth {
		return false
	}
	s.pos++
	var seen uint64
	s.space()
	if s.next() == '}' {
		s.pos++
		s.depth--
		return n.required == 0
	}
	for {
		s.space()
		if !s.member(n, &seen) {
			return false
		}
		s.space()
		if s.take(',') {
			continue
		}
		s.depth--
		return s.take('}') && seen&n.required == n.required
	}
}

// member proves one member whose name is declared and comes for the first time.
func (s *scan) member(n *node, seen *uint64) bool {
	start := s.pos + 1
	if plain, ok := s.quoted(); !ok || !plain {
		return false
	}
	i := n.lookup(string(s.src[start : s.pos-1]))
	if i < 0 || *seen&(1<<i) != 0 {
		return false
	}
	*seen |= 1 << i
	s.space()
	if !s.take(':') {
		return false
	}
	s.space()
	return s.value(n.properties[i].node)
}

var anything = &node{length: bounds{0, -1}, count: bounds{0, -1}}

func (s *scan) array(n *node) bool {
	if s.depth++; s.depth > fastDepth {
		return false
	}
	s.pos++
	items := n.items
	if items == nil {
		items = anything
	}
	count := 0
	s.space()
	if !s.take(']') {
		for {
			s.space()
			if !s.value(items) {
				return false
			}
			count++
			s.space()
			if s.take(',') {
				continue
			}
			if !s.take(']') {
				return false
			}
			break
		}
	}
	s.depth--
	return count >= n.count.low && (n.count.high < 0 || count <= n.count.high)
}

// text proves a string and, where asked for, its length and its membership of the enum.
func (s *scan) text(n *node) bool {
	start := s.pos + 1
	plain, ok := s.quoted()
	if !ok {
		return false
	}
	content := s.src[start : s.pos-1]
	if n.enum != nil && (!plain || !n.allows('"', string(content))) {
		return false
	}
	if n.length.low == 0 && n.length.high < 0 {
		return true
	}
	length := utf8.RuneCount(content)
	return plain && length >= n.length.low && (n.length.high < 0 || length <= n.length.high)
}

// quoted passes a string; plain means that it holds no escape.
func (s *scan) quoted() (plain, ok bool) {
	if !s.take('"') {
		return false, false
	}
	plain = true
	for s.pos < len(s.src) {
		c := s.src[s.pos]
		switch {
		case c == '"':
			s.pos++
			return plain, true
		case c < ' ':
			return false, false
		case c == '\\':
			plain = false
			if !s.escape() {
				return false, false
			}
		case c < utf8.RuneSelf:
			s.pos++
		default:
			r, size := utf8.DecodeRune(s.src[s.pos:])
			if r == utf8.RuneError && size == 1 {
				return false, false
			}
			s.pos += size
		}
	}
	return false, false
}

// escape passes a backslash and what follows. Surrogates come in pairs or not at all: the long way looks at them.
func (s *scan) escape() bool {
	if s.pos+1 >= len(s.src) {
		return false
	}
	switch s.src[s.pos+1] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		s.pos += 2
		return true
	case 'u':
		if s.pos+6 > len(s.src) {
			return false
		}
		code, err := strconv.ParseUint(string(s.src[s.pos+2:s.pos+6]), 16, 32)
		if err != nil || code >= 0xD800 && code < 0xE000 {
			return false
		}
		s.pos += 6
		return true
	}
	return false
}

// number proves a number that needs no rewriting: for an integer, plain digits.
func (s *scan) number(n *node) bool {
	start := s.pos
	integral, ok := s.numeral()
	if !ok {
		return false
	}
	literal := s.src[start:s.pos]
	if !integral && (n.types == 0 || n.types&isNumber == 0) && n.types != 0 {
		return false
	}
	if n.enum != nil && !n.allows('0', string(literal)) {
		return false
	}
	if len(literal) > 17 {
		return integral && len(literal) < 300 && n.min == nil && n.max == nil && n.types&isInteger == 0
	}
	if n.min == nil && n.max == nil {
		return true
	}
	f, err := strconv.ParseFloat(string(literal), 64)
	return err == nil && (n.min == nil || f >= *n.min) && (n.max == nil || f <= *n.max)
}

// numeral passes a JSON number without an exponent.
func (s *scan) numeral() (integral, ok bool) {
	s.take('-')
	if s.take('0') {
		if c := s.next(); c >= '0' && c <= '9' {
			return false, false
		}
	} else if !s.digits() {
		return false, false
	}
	if c := s.next(); c == 'e' || c == 'E' {
		return false, false
	}
	if !s.take('.') {
		return true, true
	}
	ok = s.digits()
	c := s.next()
	return false, ok && c != 'e' && c != 'E'
}

func (s *scan) digits() bool {
	start := s.pos
	for s.pos < len(s.src) && s.src[s.pos] >= '0' && s.src[s.pos] <= '9' {
		s.pos++
	}
	return s.pos > start
}
