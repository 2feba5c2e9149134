package repair

import (
	"bytes"
	"unicode/utf8"
)

// Valid tells whether input is one strict JSON value: as encoding/json sees it, and besides valid UTF-8, without
// half surrogate pairs and without a name that comes twice in an object.
func Valid(input []byte) bool {
	s := strict{src: input}
	s.space()
	if !s.value(0) {
		return false
	}
	s.space()
	return s.pos == len(s.src)
}

// strict passes over JSON; every method returns false at the first thing that is wrong.
type strict struct {
	src []byte
	pos int
}

func (s *strict) next() byte {
	if s.pos < len(s.src) {
		return s.src[s.pos]
	}
	return 0
}

func (s *strict) space() {
	for s.pos < len(s.src) {
		if c := s.src[s.pos]; c != ' ' && c != '\n' && c != '\t' && c != '\r' {
			return
		}
		s.pos++
	}
}

func (s *strict) value(depth int) bool {
	if depth > maxDepth {
		return false
	}
	switch c := s.next(); {
	case c == '{':
		return s.object(depth)
	case c == '[':
		return s.array(depth)
	case c == '"':
		return s.text()
	case c == 't':
		return s.word("true")
	case c == 'f':
		return s.word("false")
	case c == 'n':
		return s.word("null")
	}
	return s.number()
}

func (s *strict) word(w string) bool {
	if !bytes.HasPrefix(s.src[s.pos:], []byte(w)) {
		return false
	}
	s.pos += len(w)
	return true
}

func (s *strict) object(depth int) bool {
	s.pos++
	var names nameSet
	for first := true; ; first = false {
		s.space()
		if first && s.next() == '}' {
			break
		}
		start := s.pos
		if s.next() != '"' || !s.text() || !names.add(s.src[start+1:s.pos-1]) {
			return false
		}
		s.space()
		if s.next() != ':' {
			return false
		}
		s.pos++
		s.space()
		if !s.value(depth + 1) {
			return false
		}
		s.space()
		if s.next() == ',' {
			s.pos++
			continue
		}
		break
	}
	if s.next() != '}' {
		return false
	}
	s.pos++
	return true
}

func (s *strict) array(depth int) bool {
	s.pos++
	s.space()
	if s.next() == ']' {
		s.pos++
		return true
	}
	for {
		s.space()
		if !s.value(depth + 1) {
			return false
		}
		s.space()
		switch s.next() {
		case ',':
			s.pos++
		case ']':
			s.pos++
			return true
		default:
			return false
		}
	}
}

// text passes a string whose quote is at hand.
func (s *strict) text() bool {
	s.pos++
	if !s.content() || s.pos == len(s.src) {
		return false
	}
	s.pos++
	return true
}

// ordinary are the bytes of a string that stand for themselves and need no look: ASCII but for quotes, backslashes and
// control characters.
var ordinary = func() (table [256]bool) {
	for c := ' '; c < utf8.RuneSelf; c++ {
		table[c] = c != '"' && c != '\\'
	}
	return table
}()

// content passes the inside of a string, up to a quote or the end.
func (s *strict) content() bool {
	src, pos := s.src, s.pos
	for pos < len(src) {
		c := src[pos]
		switch {
		case ordinary[c]:
			pos++
		case c == '"':
			s.pos = pos
			return true
		case c == '\\':
			size, ok := escapeSize(src[pos:])
			if !ok {
				return false
			}
			pos += size
		default:
			r, size := utf8.DecodeRune(src[pos:])
			if c < ' ' || r == utf8.RuneError && size == 1 {
				return false
			}
			pos += size
		}
	}
	s.pos = pos
	return true
}

// strictText tells whether content can stand between quotes as it is.
func strictText(content []byte) bool {
	s := strict{src: content}
	return s.content() && s.pos == len(content)
}

// escapeSize returns the length of the JSON escape at the start of text; a surrogate pair is one escape.
func escapeSize(text []byte) (int, bool) {
	if len(text) < 2 {
		return 0, false
	}
	if text[1] != 'u' {
		switch text[1] {
		case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
			return 2, true
		}
		return 2, false
	}
	code, ok := hex4(text)
	switch {
	case !ok || code >= 0xDC00 && code < 0xE000:
		return 0, false
	case code < 0xD800 || code >= 0xE000:
		return 6, true
	}
	low, ok := hex4(text[6:])
	return 12, ok && low >= 0xDC00 && low < 0xE000
}

// hex4 reads the four digits of \uXXXX.
func hex4(text []byte) (code int, ok bool) {
	if len(text) < 6 || text[0] != '\\' || text[1] != 'u' {
		return 0, false
	}
	for _, c := range text[2:6] {
		switch {
		case c >= '0' && c <= '9':
			code = code<<4 | int(c-'0')
		case c|0x20 >= 'a' && c|0x20 <= 'f':
			code = code<<4 | int(c|0x20-'a'+10)
		default:
			return 0, false
		}
	}
	return code, true
}

func (s *strict) number() bool {
	if s.next() == '-' {
		s.pos++
	}
	if s.next() == '0' {
		s.pos++
	} else if !s.digits() {
		return false
	}
	if s.next() == '.' {
		s.pos++
		if !s.digits() {
			return false
		}
	}
	if c := s.next(); c == 'e' || c == 'E' {
		s.pos++
		if c := s.next(); c == '+' || c == '-' {
			s.pos++
		}
		return s.digits()
	}
	return true
}

func (s *strict) digits() bool {
	start := s.pos
	for c := s.next(); c >= '0' && c <= '9'; c = s.next() {
		s.pos++
	}
	return s.pos > start
}
