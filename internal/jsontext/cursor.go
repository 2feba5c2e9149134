package jsontext

import (
	"encoding/binary"
	"math/bits"
	"unicode/utf8"
)

// A Cursor steps over JSON text from left to right. Its methods step over what they name and report whether it was
// there; where it was not, the cursor may be anywhere.
type Cursor struct {
	In []byte
	At int // offset of the next byte
}

// Space steps over white space.
func (c *Cursor) Space() {
	for c.At < len(c.In) {
		switch c.In[c.At] {
		case ' ', '\t', '\n', '\r':
			c.At++
		default:
			return
		}
	}
}

// Next returns the next byte, or 0 at the end.
func (c *Cursor) Next() byte {
	if c.At < len(c.In) {
		return c.In[c.At]
	}
	return 0
}

// Take steps over one byte.
func (c *Cursor) Take(b byte) bool {
	if c.At == len(c.In) || c.In[c.At] != b {
		return false
	}
	c.At++
	return true
}

// Word steps over a word: true, false or null.
func (c *Cursor) Word(w string) bool {
	if len(c.In)-c.At < len(w) || string(c.In[c.At:c.At+len(w)]) != w {
		return false
	}
	c.At += len(w)
	return true
}

// Number steps over a number.
func (c *Cursor) Number() bool {
	c.Take('-')
	if !c.Take('0') && !c.digits() {
		return false
	}
	if c.Take('.') && !c.digits() {
		return false
	}
	if c.Take('e') || c.Take('E') {
		if !c.Take('+') {
			c.Take('-')
		}
		return c.digits()
	}
	return true
}

func (c *Cursor) digits() bool {
	from := c.At
	for c.At < len(c.In) && c.In[c.At]-'0' <= 9 {
		c.At++
	}
	return c.At > from
}

// StrictText steps over a string with its quotes and reports whether it has escapes. A string that is no UTF-8 or has
// halves of surrogate pairs is not taken.
func (c *Cursor) StrictText() (escaped, ok bool) { return c.text(true) }

func (c *Cursor) text(strict bool) (escaped, ok bool) {
	from := c.At
	if !c.Take('"') {
		return false, false
	}
	for {
		c.plain()
		switch c.Next() {
		case '"':
			c.At++
			return escaped, !strict || utf8.Valid(c.In[from:c.At])
		case '\\':
			size, ok := EscapeSize(c.In[c.At:])
			if ok && strict && size > 2 {
				size, ok = StrictEscapeSize(c.In[c.At:])
			}
			if !ok {
				return true, false
			}
			escaped = true
			c.At += size
		default: // a control character, or the end
			return escaped, false
		}
	}
}

// StrictContent reports whether content is the inside of a string that StrictText accepts.
func StrictContent(content []byte) bool {
	c := Cursor{In: content}
	for c.plain(); c.At < len(content); c.plain() {
		size, ok := StrictEscapeSize(content[c.At:])
		if !ok {
			return false
		}
		c.At += size
	}
	return utf8.Valid(content)
}

// EscapeSize returns the length of the escape at the start of text: 2, or 6 for \uXXXX.
func EscapeSize(text []byte) (size int, ok bool) {
	if len(text) < 2 || text[0] != '\\' {
		return 0, false
	}
	switch text[1] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return 2, true
	case 'u':
		_, ok := hex4(text)
		return 6, ok
	}
	return 0, false
}

// StrictEscapeSize is EscapeSize for an escape that means a character: a surrogate pair is one escape of 12 bytes, and
// half of a pair is none.
func StrictEscapeSize(text []byte) (size int, ok bool) {
	size, ok = EscapeSize(text)
	if !ok || size == 2 {
		return size, ok
	}
	switch r, _ := hex4(text); {
	case low(r):
		return 0, false
	case high(r):
		_, n := unicodeEscape(text)
		return n, n == 12
	}
	return 6, true
}

const (
	ones  = 0x0101010101010101
	highs = 0x8080808080808080
)

// plain steps to the next quote, backslash or control character, eight bytes at a time. The lowest mark is always right:
// a borrow can only add marks above one that is.
func (c *Cursor) plain() {
	for ; c.At+8 <= len(c.In); c.At += 8 {
		w := binary.LittleEndian.Uint64(c.In[c.At:])
		quote, slash := w^ones*'"', w^ones*'\\'
		marks := ((quote-ones)&^quote | (slash-ones)&^slash | (w-ones*' ')&^w) & highs
		if marks != 0 {
			c.At += bits.TrailingZeros64(marks) / 8
			return
		}
	}
	for c.At < len(c.In) {
		if b := c.In[c.At]; b < ' ' || b == '"' || b == '\\' {
			return
		}
		c.At++
	}
}
