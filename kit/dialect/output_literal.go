package dialect

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
	"unicode/utf8"
)

// literalReader reads Python literals and writes them as JSON. Nothing is ever evaluated.
type literalReader struct {
	In     *modelOutput
	Kwargs bool // values are the keyword arguments of name(key=value)

	// Doubtful are the keys that follow a string in which quotation marks are not escaped. Unless they are known to be keys,
	// they may be text of that string.
	Doubtful []string

	unescaped bool // the value that was read last had such a mark
}

// deepestLiteral bounds the nesting of lists and dicts.
const deepestLiteral = 128

// Value reads one literal at position i.
func (l *literalReader) Value(i, depth int) (out []byte, next int, ok bool) {
	c, more := l.In.At(i)
	if !more || depth > deepestLiteral {
		return nil, i, false
	}
	switch c {
	case '"', '\'':
		text, next, ok := l.text(i, depth)
		return quoteJSON(text), next, ok
	case '[', '(':
		return l.list(i, depth)
	case '{':
		return l.dict(i, depth)
	}
	return l.word(i)
}

// word reads a number or a named constant.
func (l *literalReader) word(i int) ([]byte, int, bool) {
	from := i
	for {
		c, ok := l.In.At(i)
		if !ok || !isNameByte(c) && c != '.' && c != '+' && c != '-' || i-from > 400 {
			break
		}
		i++
	}
	switch word := string(l.In.Buf[from:i]); word {
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
		if n, ok := parseJSONNumber(strings.TrimSuffix(strings.ReplaceAll(word, "_", ""), "."), false); ok {
			return n, i, true
		}
	}
	return nil, i, false
}

// list reads [a, b] or (a, b).
func (l *literalReader) list(i, depth int) ([]byte, int, bool) {
	closing := byte(']')
	if l.In.Buf[i] == '(' {
		closing = ')'
	}
	var out bytes.Buffer
	out.WriteByte('[')
	i = l.In.Blank(i + 1)
	for n := 0; ; n++ {
		if c, ok := l.In.At(i); ok && c == closing {
			out.WriteByte(']')
			return out.Bytes(), i + 1, true
		}
		v, next, ok := l.Value(i, depth+1)
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
func (l *literalReader) dict(i, depth int) ([]byte, int, bool) {
	var out bytes.Buffer
	out.WriteByte('{')
	i = l.In.Blank(i + 1)
	doubt := false
	for n := 0; ; n++ {
		c, ok := l.In.At(i)
		if ok && c == '}' {
			out.WriteByte('}')
			return out.Bytes(), i + 1, true
		}
		if !ok || c != '"' && c != '\'' {
			return nil, i, false
		}
		key, next, ok := l.text(i, depth+1)
		if i = l.In.Blank(next); !ok || !l.In.Has(i, ":") {
			return nil, i, false
		}
		if doubt {
			l.Doubtful = append(l.Doubtful, key)
		}
		l.unescaped = false
		v, next, ok := l.Value(l.In.Blank(i+1), depth+1)
		if !ok {
			return nil, next, false
		}
		doubt = doubt || l.unescaped
		if n > 0 {
			out.WriteByte(',')
		}
		out.Write(quoteJSON(key))
		out.WriteByte(':')
		out.Write(v)
		if i, ok = l.comma(next, '}'); !ok {
			return nil, i, false
		}
	}
}

// comma reads what is between items: a comma, or nothing before the closing bracket.
func (l *literalReader) comma(i int, closing byte) (int, bool) {
	i = l.In.Blank(i)
	c, ok := l.In.At(i)
	if ok && c == ',' {
		return l.In.Blank(i + 1), true
	}
	return i, ok && c == closing
}

// text reads a string. Templates write quotation marks inside strings unescaped, so a mark ends the string only when what
// follows can follow a string.
func (l *literalReader) text(i, depth int) (string, int, bool) {
	mark := l.In.Buf[i]
	if triple := strings.Repeat(string(mark), 3); l.In.Has(i, triple) {
		end, _ := l.In.Find(i+3, []string{triple})
		if end < 0 {
			return "", len(l.In.Buf), false
		}
		return string(l.In.Buf[i+3 : end]), end + 3, true
	}
	var out []byte
	for i++; ; i++ {
		c, ok := l.In.At(i)
		switch {
		case !ok:
			return "", i, false
		case c == mark && l.ends(i+1, depth):
			return string(out), i + 1, true
		case c == mark:
			l.unescaped = true
			out = append(out, c)
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
func (l *literalReader) ends(i, depth int) bool {
	i = l.In.Blank(i)
	c, ok := l.In.At(i)
	switch {
	case !ok:
		return true
	case c == ',' && l.Kwargs && depth == 0:
		return l.keyword(l.In.Blank(i + 1))
	case c == ')' && l.Kwargs && depth == 0:
		i = l.In.Blank(i + 1)
		c, ok = l.In.At(i)
		return !ok || c == ']' || c == ',' || c == '<' || c == ';' || c == '`' || isNameByte(c)
	}
	return c == ',' || c == ')' || c == ']' || c == '}' || c == ':'
}

// keyword reports whether key= or a closing bracket is at position i.
func (l *literalReader) keyword(i int) bool {
	from := i
	for {
		c, ok := l.In.At(i)
		if !ok {
			return false
		}
		if i == from && c == ')' {
			return true
		}
		if !isNameByte(c) && c != '-' || i-from > longestName {
			i = l.In.Blank(i)
			return i > from && l.In.Has(i, "=")
		}
		i++
	}
}

// escape reads an escape after its backslash; one that Python does not know keeps its backslash.
func (l *literalReader) escape(i int) (out []byte, last int, ok bool) {
	c, ok := l.In.At(i)
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
func (l *literalReader) hex(i, n int) ([]byte, int, bool) {
	if _, ok := l.In.At(i + n); !ok {
		return nil, i, false
	}
	r, err := strconv.ParseUint(string(l.In.Buf[i+1:i+1+n]), 16, 32)
	if err != nil {
		return []byte{'\\', l.In.Buf[i]}, i, true
	}
	return utf8.AppendRune(nil, rune(r)), i + n, true
}
