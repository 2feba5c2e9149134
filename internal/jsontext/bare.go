package jsontext

import (
	"bytes"
	"strconv"
	"strings"
)

// literals are the bare words of Python and JavaScript that mean the same as one of JSON.
var literals = map[string]string{
	"true": "true", "True": "true", "TRUE": "true", "false": "false", "False": "false", "FALSE": "false",
	"null": "null", "None": "null", "NULL": "null", "Null": "null", "undefined": "null",
}

// nowhere are words whose meaning JSON cannot express, or that mean different things in different languages.
var nowhere = map[string]bool{"NaN": true, "nan": true, "nil": true, "Infinity": true, "inf": true, "-Infinity": true, "-inf": true, "+Infinity": true}

// bare reads a value without quotes: a number, a word of a programming language, or a text that lost its quotes.
func (r *reader) bare() error {
	token := bareToken(r.rest())
	if len(token) == 0 {
		return r.broken("expected a value, found %.20q", r.rest())
	}
	if r.pos+len(token) == len(r.src) {
		return r.cutOff("a value may continue")
	}
	kind := r.wanted()
	word := string(token)
	switch {
	case isNumber(token):
		return r.put(word, len(token))
	case literals[word] != "":
		if literals[word] != word {
			r.note("read %s as %s", word, literals[word])
		}
		return r.put(literals[word], len(token))
	case kind == "string" && !strings.Contains(word, ":"):
		return r.bareText(token)
	case nowhere[word]:
		return refuse(ambiguous, r.pos, "%s is not a JSON value", word)
	}
	if number, ok := looseNumber(word, kind); ok {
		r.note("read %s as the number %s", word, number)
		return r.put(number, len(token))
	}
	if numberLike.get().MatchString(word) || runTogether(token) || r.stack[len(r.stack)-1] == '[' && span.get().MatchString(word) {
		return refuse(ambiguous, r.pos, "%.20q could be more than one thing", word)
	}
	return r.bareText(token)
}

func (r *reader) put(text string, size int) error {
	r.out = append(r.out, text...)
	r.pos += size
	return nil
}

// bareToken returns the text up to white space or structure.
func bareToken(text []byte) []byte {
	for i := range text {
		switch text[i] {
		case ',', '}', ']', ')', '{', '[', '(', '"', '\'', '`', ' ', '\n', '\r', '\t', ';':
			return text[:i]
		case '<':
			if endsHere(text[i:]) {
				return text[:i]
			}
		case ':':
			// Not the colon of a nested name: only that of an address or a time belongs to the text.
			if i+1 < len(text) && text[i+1] == '/' || i > 0 && isDigit(text[i-1]) && i+1 < len(text) && isDigit(text[i+1]) {
				continue
			}
			return text[:i+1]
		}
	}
	return text
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func isNumber(text []byte) bool {
	c := Cursor{In: text}
	return c.Number() && c.At == len(text)
}

var (
	// numberLike is what people may mean as a number: 007, 1_000, 0x1F, 1.5.
	numberLike  = lazy{text: `^[+-]?(\d[\d_]*(\.\d*)?([eE][+-]?\d+)?|0[xX][0-9a-fA-F]+|0[oO][0-7]+|0[bB][01]+|[+-]*)[nLfF]?$`}
	plainNumber = lazy{text: `^([+-]?)(\d*\.\d+|\d+\.|\d+)$`}
	span        = lazy{text: `^-?[\d.]+(-[\d.]+)?$`} // 1-5 in a list may be two numbers
	zeros       = lazy{text: `^-?0\d*$`}
)

// looseNumber reads +5, .5 and 5. as the number that they are everywhere; 007, 1_000 and 0x1F only where the schema
// wants a number.
func looseNumber(word, kind string) (string, bool) {
	if m := plainNumber.get().FindStringSubmatch(word); m != nil && !(len(m[2]) > 1 && m[2][0] == '0' && isDigit(m[2][1])) {
		number := strings.TrimSuffix(m[2], ".")
		if number[0] == '.' {
			number = "0" + number
		}
		return strings.TrimPrefix(m[1], "+") + number, true
	}
	if kind != "integer" && kind != "number" {
		return "", false
	}
	if zeros.get().MatchString(word) {
		n, err := strconv.ParseInt(word, 10, 64)
		return strconv.FormatInt(n, 10), err == nil
	}
	n, err := strconv.ParseInt(word, 0, 64)
	return strconv.FormatInt(n, 10), err == nil
}

// runTogether reports whether a word is two values without anything between them: nullnull, 5true.
func runTogether(word []byte) bool {
	isValue := func(w []byte) bool { return literals[string(w)] != "" || isNumber(w) }
	for i := 1; i < len(word) && len(word) < 40; i++ {
		if isValue(word[:i]) && isValue(word[i:]) && !(isNumber(word[:i]) && isNumber(word[i:])) {
			return true
		}
	}
	return false
}

// bareText reads a text without quotes: one word, or in an object all words up to a comma, a bracket or the line's end.
func (r *reader) bareText(token []byte) error {
	rest := r.rest()
	size := len(token)
	for r.stack[len(r.stack)-1] == '{' && size < len(rest) && rest[size] == ' ' {
		word := bareToken(rest[size+1:])
		if len(word) == 0 || bytes.HasSuffix(word, []byte(":")) || r.commentSize(r.pos+size+1) > 0 {
			break
		}
		size += 1 + len(word)
	}
	text := bytes.TrimRight(rest[:size], " ")
	switch {
	case r.pos+size == len(r.src):
		return r.cutOff("a text without quotes may continue")
	case bytes.HasSuffix(token, []byte(":")), bytes.HasSuffix(text, []byte("...")), !StrictContent(text), bytes.ContainsAny(text, "\\"):
		return r.broken("%.20q is not a value", text)
	}
	r.pos += size
	if err := r.afterBare(); err != nil {
		return err
	}
	r.note("put quotes around a text")
	r.out = append(append(append(r.out, '"'), text...), '"')
	return nil
}

// afterBare checks that a text without quotes is followed by a clear end.
func (r *reader) afterBare() error {
	pos, newline := r.skip(r.pos)
	rest := r.src[pos:]
	switch {
	case len(rest) == 0:
		return r.cutOff("a text without quotes may continue")
	case isCloser(rest[0]) && rest[0] != ')', newline && r.namesMember(rest):
		return nil
	case separatorSize(rest) > 0:
		pos, _ = r.skip(pos + separatorSize(rest))
		if r.continues(pos, r.stack[len(r.stack)-1] == '[') {
			return nil
		}
	}
	return refuse(ambiguous, r.pos, "a text without quotes could end in two places")
}
