package jsonscan

import (
	"encoding/binary"
	"math/bits"
)

// deepest is how deep values may nest in what Valid takes: as deep as encoding/json allows.
const deepest = 10000

// Valid reports whether in is one whole JSON value, by the same rules as json.Valid, and several times as fast where the
// value is mostly text.
func Valid(in []byte) bool {
	c := checker{in: in}
	return c.value() && c.end()
}

// checker stands before a value. Its methods step over what they name, and report whether it was there.
type checker struct {
	in   []byte
	at   int
	open []byte // the ends of the containers it stands in
}

// value steps over one value, whatever it contains. It keeps a stack of its own: what is deep must not end the process.
func (c *checker) value() bool {
	for {
		opened, ok := c.head()
		if !ok {
			return false
		}
		if opened {
			continue
		}
		if more, ok := c.tail(); !ok || !more {
			return ok
		}
	}
}

// head steps over a scalar, an empty container, or into a container up to its first value.
func (c *checker) head() (opened, ok bool) {
	c.space()
	switch b := c.next(); b {
	case '{', '[':
		c.at++
		c.space()
		end := b + 2 // in ASCII, of both
		if len(c.open) == deepest {
			return false, false
		}
		if c.take(end) {
			return false, true
		}
		c.open = append(c.open, end)
		return true, b == '[' || c.key()
	case '"':
		return false, c.text()
	case 't':
		return false, c.word("true")
	case 'f':
		return false, c.word("false")
	case 'n':
		return false, c.word("null")
	}
	return false, c.number()
}

// tail steps from the end of a value up to the next one; more is false at the end of the outermost.
func (c *checker) tail() (more, ok bool) {
	for len(c.open) > 0 {
		c.space()
		end := c.open[len(c.open)-1]
		if c.take(',') {
			return true, end == ']' || c.key()
		}
		if !c.take(end) {
			return false, false
		}
		c.open = c.open[:len(c.open)-1]
	}
	return false, true
}

func (c *checker) key() bool {
	c.space()
	if c.next() != '"' || !c.text() {
		return false
	}
	c.space()
	return c.take(':')
}

func (c *checker) end() bool {
	c.space()
	return c.at == len(c.in)
}

func (c *checker) space() {
	for c.at < len(c.in) {
		switch c.in[c.at] {
		case ' ', '\t', '\n', '\r':
			c.at++
		default:
			return
		}
	}
}

// next returns the byte at hand, or 0 at the end.
func (c *checker) next() byte {
	if c.at < len(c.in) {
		return c.in[c.at]
	}
	return 0
}

func (c *checker) take(b byte) bool {
	if c.next() != b || c.at == len(c.in) {
		return false
	}
	c.at++
	return true
}

func (c *checker) word(w string) bool {
	if len(c.in)-c.at < len(w) || string(c.in[c.at:c.at+len(w)]) != w {
		return false
	}
	c.at += len(w)
	return true
}

func (c *checker) number() bool {
	c.take('-')
	if !c.take('0') && !c.digits() {
		return false
	}
	if c.take('.') && !c.digits() {
		return false
	}
	if c.take('e') || c.take('E') {
		if !c.take('+') {
			c.take('-')
		}
		return c.digits()
	}
	return true
}

func (c *checker) digits() bool {
	from := c.at
	for c.at < len(c.in) && c.in[c.at]-'0' <= 9 {
		c.at++
	}
	return c.at > from
}

// text steps over a string whose opening quote is at hand.
func (c *checker) text() bool {
	for c.at++; ; {
		c.plain()
		switch c.next() {
		case '"':
			c.at++
			return true
		case '\\':
			if !c.escape() {
				return false
			}
		default: // a control character, or the end
			return false
		}
	}
}

func (c *checker) escape() bool {
	c.at++
	switch c.next() {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		c.at++
		return true
	case 'u':
		if _, ok := hex4(c.in[c.at-1:]); ok {
			c.at += 5
			return true
		}
	}
	return false
}

const (
	ones  = 0x0101010101010101
	highs = 0x8080808080808080
)

// plain steps to the next quote, backslash or control character, eight bytes at a time. The lowest mark is always right:
// a borrow can only add marks above one that is.
func (c *checker) plain() {
	for ; c.at+8 <= len(c.in); c.at += 8 {
		w := binary.LittleEndian.Uint64(c.in[c.at:])
		quote, slash := w^ones*'"', w^ones*'\\'
		marks := ((quote-ones)&^quote | (slash-ones)&^slash | (w-ones*' ')&^w) & highs
		if marks != 0 {
			c.at += bits.TrailingZeros64(marks) / 8
			return
		}
	}
	for c.at < len(c.in) {
		if b := c.in[c.at]; b < ' ' || b == '"' || b == '\\' {
			return
		}
		c.at++
	}
}
