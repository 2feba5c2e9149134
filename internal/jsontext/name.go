package jsontext

import (
	"bytes"
	"unicode"
	"unicode/utf8"
)

// name reads a member's name and the colon behind it.
func (r *reader) name() error {
	r.space()
	quote, size := openingQuote(r.rest())
	if size == 0 {
		if err := r.bareName(); err != nil {
			return err
		}
		return r.colon(false)
	}
	start := r.pos + size
	end, closer := closingQuote(r.src[start:], r.closers(quote))
	if end < 0 {
		return r.cutOff("a name has no closing quote")
	}
	content := r.src[start : start+end]
	r.pos = start + end + closer
	if name, ok := r.quoteForgotten(content); ok {
		content = name
	}
	if quote != '"' {
		r.note("read other quotes as double quotes")
	}
	out, err := r.quotedWith(quote, content, r.out)
	if err != nil {
		return err
	}
	r.out = out
	return r.colon(true)
}

// quoteForgotten handles {"path:"a.go"}: the quote that seems to end the name opens the value.
func (r *reader) quoteForgotten(content []byte) ([]byte, bool) {
	name, found := bytes.CutSuffix(bytes.TrimRight(content, " "), []byte(":"))
	after := bytes.TrimLeft(r.rest(), " \t\r\n")
	if !found || !isWord(name) || len(after) == 0 || after[0] == ':' || isCloser(after[0]) || after[0] == ',' {
		return nil, false
	}
	r.note("added a missing quote after %q", name)
	r.pos -= 1
	for r.src[r.pos-1] != ':' {
		r.pos--
	}
	r.pos--
	return name, true
}

// bareName reads a name without quotes.
func (r *reader) bareName() error {
	end := bareNameSize(r.rest())
	if end == 0 {
		return r.broken("expected a name in quotes, found %.20q", r.rest())
	}
	r.note("put quotes around a name")
	r.out = append(append(append(r.out, '"'), r.rest()[:end]...), '"')
	r.pos += end
	return nil
}

// bareNameSize returns the length of the name without quotes at the start of text.
func bareNameSize(text []byte) int {
	n := 0
	for n < len(text) {
		c, size := utf8.DecodeRune(text[n:])
		if c != '_' && c != '$' && c != '-' && c != '.' && !unicode.IsLetter(c) && !unicode.IsDigit(c) {
			break
		}
		n += size
	}
	return n
}

// colon passes what is between a name and its value.
func (r *reader) colon(quoted bool) error {
	r.space()
	rest := r.rest()
	switch {
	case len(rest) == 0:
		return r.cutOff("a name has no value")
	case rest[0] == ':':
		r.pos++
		return nil
	case bytes.HasPrefix(rest, []byte("=>")), bytes.HasPrefix(rest, []byte("->")), bytes.HasPrefix(rest, []byte(":=")):
		r.pos += 2
	case bytes.HasPrefix(rest, []byte("：")):
		r.pos += 3
	case rest[0] == '=':
		r.pos++
	case quoted && startsValue(rest):
		r.note("added a missing colon")
		return nil
	default:
		return r.broken("expected a colon after a name, found %.20q", rest)
	}
	r.note("read another sign as a colon")
	return nil
}

// startsValue reports whether text begins with something that can only be a value.
func startsValue(text []byte) bool {
	if len(text) == 0 {
		return false
	}
	if _, size := openingQuote(text); size > 0 {
		return true
	}
	switch c := text[0]; {
	case c == '{' || c == '[' || c == '-' || c >= '0' && c <= '9':
		return true
	}
	word := text[:wordSize(text)]
	_, known := literals[string(word)]
	return known
}

// wordSize returns the length of the ASCII word at the start of text.
func wordSize(text []byte) int {
	n := 0
	for n < len(text) && isWordByte(text[n]) {
		n++
	}
	return n
}

func isWord(text []byte) bool { return len(text) > 0 && wordSize(text) == len(text) }

func isWordByte(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z'
}
