package jsontext

import (
	"bytes"
	"unicode/utf8"
	"unsafe"
)

// Str reads a string and returns its text; anything else is skipped and nil. Half a surrogate pair is kept in three bytes
// (as WTF-8 does), so that Join can put the halves together when a stream cut between them.
func (s *Scan) Str() []byte {
	if s.Kind() != '"' {
		s.Skip()
		return nil
	}
	from := s.at + 1
	text := s.text()
	s.last = Span{from, s.end}
	return text
}

func (s *Scan) text() []byte {
	text, escaped := s.quoted()
	if !escaped {
		return text
	}
	from := len(s.scratch)
	s.scratch = Unescape(s.scratch, text)
	return s.scratch[from:]
}

// quoted reads over a string and returns what is between its quotes. Most strings are short: bytes are looked at
// one by one first, which is faster than to set out for a search.
func (s *Scan) quoted() (text []byte, escaped bool) {
	in, from := s.in, s.at+1
	for end := from; end < len(in); end++ {
		if end-from == 32 && !escaped {
			end += plain(in[end:])
			if end == len(in) {
				break
			}
		}
		switch in[end] {
		case '"':
			s.end, s.at = end, end+1
			s.space()
			return in[from:end], escaped
		case '\\':
			escaped = true
			end++
		}
	}
	s.at = len(in)
	s.fail("no closing quote")
	return nil, false
}

// plain returns how far it is to the next quote or backslash.
func plain(b []byte) int {
	if i := bytes.IndexByte(b, '"'); i >= 0 {
		b = b[:i]
	}
	if i := bytes.IndexByte(b, '\\'); i >= 0 {
		return i
	}
	return len(b)
}

// Unescape appends the text that the inside of a string means. An escape that is none is kept as it is.
func Unescape(out, in []byte) []byte {
	for {
		i := bytes.IndexByte(in, '\\')
		if i < 0 || i+1 >= len(in) {
			return append(out, in...)
		}
		out = append(out, in[:i]...)
		c := in[i+1]
		if c != 'u' {
			out, in = append(out, simple(c)...), in[i+2:]
			continue
		}
		r, n := unicodeEscape(in[i:])
		if n == 0 {
			out, in = append(out, in[i:i+2]...), in[i+2:]
			continue
		}
		out, in = appendRune(out, r), in[i+n:]
	}
}

// Text returns the text that the inside of a string means, as Unescape does.
func Text(in []byte) string {
	out := Unescape(make([]byte, 0, len(in)), in)
	return unsafe.String(unsafe.SliceData(out), len(out)) // nobody else has its bytes
}

func simple(c byte) string {
	switch c {
	case 'n':
		return "\n"
	case 't':
		return "\t"
	case '"':
		return `"`
	case '\\':
		return `\`
	case '/':
		return "/"
	case 'r':
		return "\r"
	case 'b':
		return "\b"
	case 'f':
		return "\f"
	}
	return string([]byte{'\\', c})
}

// unicodeEscape reads \uXXXX, two of them when they are a surrogate pair, and returns how long it was; 0 for none.
func unicodeEscape(in []byte) (r rune, n int) {
	r, ok := hex4(in)
	if !ok {
		return 0, 0
	}
	if high(r) && len(in) >= 12 && in[6] == '\\' && in[7] == 'u' {
		if second, ok := hex4(in[6:]); ok && low(second) {
			return pair(r, second), 12
		}
	}
	return r, 6
}

func hex4(in []byte) (r rune, ok bool) {
	if len(in) < 6 {
		return 0, false
	}
	for _, c := range in[2:6] {
		switch {
		case c >= '0' && c <= '9':
			r = r<<4 | rune(c-'0')
		case c >= 'a' && c <= 'f':
			r = r<<4 | rune(c-'a'+10)
		case c >= 'A' && c <= 'F':
			r = r<<4 | rune(c-'A'+10)
		default:
			return 0, false
		}
	}
	return r, true
}

func high(r rune) bool { return r >= 0xD800 && r < 0xDC00 }
func low(r rune) bool  { return r >= 0xDC00 && r < 0xE000 }

func pair(a, b rune) rune { return (a-0xD800)<<10 | (b - 0xDC00) + 0x10000 }

// appendRune is utf8.AppendRune, but keeps half a surrogate pair as three bytes.
func appendRune(out []byte, r rune) []byte {
	if high(r) || low(r) {
		return append(out, byte(0xE0|r>>12), byte(0x80|r>>6&0x3F), byte(0x80|r&0x3F))
	}
	return utf8.AppendRune(out, r)
}

// Join returns text as valid UTF-8: halves of a surrogate pair that met become one character, all else that is no UTF-8
// becomes U+FFFD. Text that is right comes back as it is.
func Join(text string) string {
	if utf8.ValidString(text) {
		return text
	}
	out := make([]byte, 0, len(text))
	for i := 0; i < len(text); {
		r, n := utf8.DecodeRuneInString(text[i:])
		if r == utf8.RuneError && n == 1 {
			a, b := half(text[i:]), half(text[min(i+3, len(text)):])
			switch {
			case high(a) && low(b):
				r, n = pair(a, b), 6
			case a != 0:
				n = 3
			}
		}
		out = utf8.AppendRune(out, r)
		i += n
	}
	return string(out)
}

// half reads half a surrogate pair of three bytes; 0 for none.
func half(s string) rune {
	if len(s) < 3 || s[0] != 0xED || s[1] < 0xA0 || s[1] > 0xBF || s[2]&0xC0 != 0x80 {
		return 0
	}
	return 0xD000 | rune(s[1]&0x3F)<<6 | rune(s[2]&0x3F)
}
