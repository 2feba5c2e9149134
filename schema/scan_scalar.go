package schema

import (
	"strconv"
	"unicode/utf8"
)

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
