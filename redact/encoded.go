package redact

import (
	"encoding/hex"
	"slices"
	"strings"
)

// Bounds of what may be between two characters of an encoded value.
const (
	maxIndent  = 16 // blanks around a line end
	maxColumn  = 80 // bytes of the column of text in a dump
	minAddress = 6  // digits of the address that begins a line of a dump
	maxAddress = 16
)

// encoded returns the anchors of a value in base64, base32 and hex, as encoders and dumps write them: in lines of any length, hex
// with separators, addresses and a column of text. Lines have five characters or more, else a writer would hold back ends of
// ordinary lines.
func encoded(value, kind string) (all []anchor) {
	if len(value) < minCode {
		return nil
	}
	codes := slices.Concat(base64Cores(value), base32Cores(value))
	slices.Sort(codes)
	for _, code := range slices.Compact(codes) {
		for cut := range 3 { // a line may end after the first characters: what is left of them says nothing
			rest := code[cut:]
			all = append(all, anchor{kind: kind, known: true, prefix: rest[:3], next: rest[3:4] + lineEnds, match: lines(rest)})
		}
	}
	digits := hex.EncodeToString([]byte(value))
	for _, rest := range []string{digits, digits[2:]} {
		for _, third := range []string{rest[2:3], " ", ":", ",", "-", "%", `\`, "\t"} {
			all = append(all, anchor{kind: kind, known: true, fold: true, prefix: rest[:2] + third, match: dump(rest)})
		}
	}
	return all
}

// lineEnds are the bytes with which lineEnd can begin.
const lineEnds = " \t\r\n\\"

// lines matches a code that may be broken into lines anywhere.
func lines(code string) func(*cursor) (int, int, bool) {
	return func(c *cursor) (from, to int, ok bool) {
		c.i -= 3
		from = c.i
		for i := range len(code) {
			if i > 0 && c.peek() != code[i] {
				c.lineEnd()
			}
			if c.peek() != code[i] {
				return 0, 0, false
			}
			c.i++
		}
		return from, c.i, true
	}
}

// dump matches hex digits with what programs put between the bytes.
func dump(digits string) func(*cursor) (int, int, bool) {
	return func(c *cursor) (from, to int, ok bool) {
		c.i -= 3
		from, columns := c.i, false
		for i := 0; i < len(digits); i += 2 {
			pair, at := digits[i:i+2], c.i
			if c.literal(pair, true) || i > 0 && (c.between() && c.literal(pair, true)) {
				continue
			}
			if c.i = at; i == 0 || !c.nextLine(pair) {
				return 0, 0, false
			}
			columns = true
		}
		if columns { // of the last line too
			for n := 0; n < maxColumn && c.peek() != '\n' && c.peek() != 0; n++ {
				c.i++
			}
		}
		return from, c.i, true
	}
}

// between reads a separator between the bytes of hex: blanks, a sign, or the beginning of an escape.
func (c *cursor) between() bool {
	from := c.i
	for n := 0; n < 4 && strings.IndexByte(" \t,:-%\"'", c.peek()) >= 0; n++ {
		c.i++
	}
	c.lineEnd()
	c.either(`\x`, "0x")
	return c.i > from
}

// nextLine reads the rest of a line of a dump, the address of the next one, and a byte.
func (c *cursor) nextLine(pair string) bool {
	for n := 0; n < maxColumn && c.peek() != '\n' && c.peek() != 0; n++ {
		c.i++
	}
	if !c.lineEnd() {
		return false
	}
	address := c.i
	for isHex([]byte{c.peek()}) && c.i-address < maxAddress {
		c.i++
	}
	if n := c.i - address; n < minAddress {
		c.i = address
	} else if c.peek() == ':' {
		c.i++
	}
	c.blanks()
	return c.literal(pair, true)
}

// lineEnd reads the end of a line, also one that is escaped, and the blanks around it. Without one it stays where it is.
func (c *cursor) lineEnd() bool {
	at := c.i
	c.indent()
	if !c.either("\n", `\n`, `\r\n`) {
		c.i = at
		return false
	}
	c.indent()
	c.lineNumber()
	return true
}

// lineNumber reads the number of a line as tools put it in front, with a tab or a colon.
func (c *cursor) lineNumber() {
	at := c.i
	for isDigit(c.peek()) && c.i-at < minAddress {
		c.i++
	}
	if c.i == at || c.peek() != '\t' && c.peek() != ':' {
		c.i = at
		return
	}
	c.i++
	c.indent()
}

func (c *cursor) indent() {
	for n := 0; n < maxIndent && (c.peek() == ' ' || c.peek() == '\t' || c.peek() == '\r'); n++ {
		c.i++
	}
}
