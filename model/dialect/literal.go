package dialect

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
	"unicode/utf8"

	"rein/internal/jsonorder"
	"rein/internal/shape"
)

// literals reads Python literals and writes them as JSON. Nothing is ever evaluated.
type literals struct {
	s      *stream
	kwargs bool // values are the keyword arguments of name(key=value)
}

// deepestLiteral bounds the nesting of lists and dicts.
const deepestLiteral = 128

// value reads one literal at position i.
func (l *literals) value(i, depth int) (out []byte, next int, ok bool) {
	c, more := l.s.at(i)
	if !more || depth > deepestLiteral {
		return nil, i, false
	}
	switch c {
	case '"', '\'':
		text, next, ok := l.text(i, depth)
		return jsonorder.Quote(text), next, ok
	case '[', '(':
		return l.list(i, depth)
	case '{':
		return l.dict(i, depth)
	}
	return l.word(i)
}

// word reads a number or a named constant.
func (l *literals) word(i int) ([]byte, int, bool) {
	from := i
	for {
		c, ok := l.s.at(i)
		if !ok || !identByte(c) && c != '.' && c != '+' && c != '-' || i-from > 400 {
			break
		}
		i++
	}
	switch word := string(l.s.buf[from:i]); word {
	case "True", "true":
		return []byte("true"), i, true
	case "False", "false":
		return []byte("false"), i, true
	case "None", "null":
		return []byte("null"), i, true
	default:
		if json.Valid([]byte(word)) {
			return []byte(word), i, true
		}
		if n, ok := shape.ParseNumber(strings.TrimSuffix(strings.ReplaceAll(word, "_", ""), "."), false); ok {
			return n, i, true
		}
	}
	return nil, i, false
}

// list reads [a, b] or (a, b).
func (l *literals) list(i, depth int) ([]byte, int, bool) {
	closing := byte(']')
	if l.s.buf[i] == '(' {
		closing = ')'
	}
	var out bytes.Buffer
	out.WriteByte('[')
	i = l.s.blank(i + 1)
	for n := 0; ; n++ {
		if c, ok := l.s.at(i); ok && c == closing {
			out.WriteByte(']')
			return out.Bytes(), i + 1, true
		}
		v, next, ok := l.value(i, depth+1)
		if !ok {
			return nil, next, false
		}
		if n > 0 {
			out.WriteByte(',')
		}
		out.Write(v)
		if i, ok = l.comma(next, closing); !ok {
			return nil, i, false
		}
	}
}

// dict reads {"k": v}.
func (l *literals) dict(i, depth int) ([]byte, int, bool) {
	var out bytes.Buffer
	out.WriteByte('{')
	i = l.s.blank(i + 1)
	for n := 0; ; n++ {
		c, ok := l.s.at(i)
		if ok && c == '}' {
			out.WriteByte('}')
			return out.Bytes(), i + 1, true
		}
		if !ok || c != '"' && c != '\'' {
			return nil, i, false
		}
		key, next, ok := l.text(i, depth+1)
		if i = l.s.blank(next); !ok || !l.s.has(i, ":") {
			return nil, i, false
		}
		v, next, ok := l.value(l.s.blank(i+1), depth+1)
		if !ok {
			return nil, next, false
		}
		if n > 0 {
			out.WriteByte(',')
		}
		out.Write(jsonorder.Quote(key))
		out.WriteByte(':')
		out.Write(v)
		if i, ok = l.comma(next, '}'); !ok {
			return nil, i, false
		}
	}
}

// comma reads what is between items: a comma, or nothing before the closing bracket.
func (l *literals) comma(i int, closing byte) (int, bool) {
	i = l.s.blank(i)
	c, ok := l.s.at(i)
	if ok && c == ',' {
		return l.s.blank(i + 1), true
	}
	return i, ok && c == closing
}

// text reads a string. Templates write quotation marks inside strings unescaped, so a mark ends the string only when what
// follows can follow a string.
func (l *literals) text(i, depth int) (string, int, bool) {
	mark := l.s.buf[i]
	if triple := strings.Repeat(string(mark), 3); l.s.has(i, triple) {
		end, _ := l.s.find(i+3, []string{triple})
		if end < 0 {
			return "", len(l.s.buf), false
		}
		return string(l.s.buf[i+3 : end]), end + 3, true
	}
	var out []byte
	for i++; ; i++ {
		c, ok := l.s.at(i)
		switch {
		case !ok:
			return "", i, false
		case c == mark && l.ends(i+1, depth):
			return string(out), i + 1, true
		case c == '\\':
			var piece []byte
			if piece, i, ok = l.escape(i + 1); !ok {
				return "", i, false
			}
			out = append(out, piece...)
		default:
			out = append(out, c)
		}
	}
}

// ends reports whether position i can follow the closing mark of a string.
func (l *literals) ends(i, depth int) bool {
	i = l.s.blank(i)
	c, ok := l.s.at(i)
	switch {
	case !ok:
		return true
	case c == ',' && l.kwargs && depth == 0:
		return l.keyword(l.s.blank(i + 1))
	case c == ')' && l.kwargs && depth == 0:
		i = l.s.blank(i + 1)
		c, ok = l.s.at(i)
		return !ok || c == ']' || c == ',' || c == '<' || c == ';' || identByte(c)
	}
	return c == ',' || c == ')' || c == ']' || c == '}' || c == ':'
}

// keyword reports whether key= or a closing bracket is at position i.
func (l *literals) keyword(i int) bool {
	from := i
	for {
		c, ok := l.s.at(i)
		if !ok {
			return false
		}
		if i == from && c == ')' {
			return true
		}
		if !identByte(c) && c != '-' || i-from > longestName {
			i = l.s.blank(i)
			return i > from && l.s.has(i, "=")
		}
		i++
	}
}

// escape reads an escape after its backslash; one that Python does not know keeps its backslash.
func (l *literals) escape(i int) (out []byte, last int, ok bool) {
	c, ok := l.s.at(i)
	if !ok {
		return nil, i, false
	}
	switch c {
	case 'n':
		return []byte("\n"), i, true
	case 't':
		return []byte("\t"), i, true
	case 'r':
		return []byte("\r"), i, true
	case '\\', '\'', '"':
		return []byte{c}, i, true
	case 'b', 'f':
		return []byte{map[byte]byte{'b': '\b', 'f': '\f'}[c]}, i, true
	case '\n':
		return nil, i, true
	case 'x':
		return l.hex(i, 2)
	case 'u':
		return l.hex(i, 4)
	}
	return []byte{'\\', c}, i, true
}

// hex reads the n digits of \x41 or \u0041.
func (l *literals) hex(i, n int) ([]byte, int, bool) {
	if _, ok := l.s.at(i + n); !ok {
		return nil, i, false
	}
	r, err := strconv.ParseUint(string(l.s.buf[i+1:i+1+n]), 16, 32)
	if err != nil {
		return []byte{'\\', l.s.buf[i]}, i, true
	}
	return utf8.AppendRune(nil, rune(r)), i + n, true
}
