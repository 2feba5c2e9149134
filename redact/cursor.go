package redact

import "bytes"

// cursor reads a text forward and remembers when it ran out.
type cursor struct {
	text  []byte
	i     int
	final bool
	short bool
}

// peek returns the byte at the cursor, 0 at the end of the text.
func (c *cursor) peek() byte {
	if c.i >= len(c.text) {
		c.short = true
		return 0
	}
	return c.text[c.i]
}

// literal reads a text as it is, or in any case when fold is set.
func (c *cursor) literal(want string, fold bool) bool {
	rest := c.text[c.i:]
	n := min(len(rest), len(want))
	if !equal(rest[:n], want[:n], fold) {
		return false
	}
	if n < len(want) {
		c.short = true
		return false
	}
	c.i += n
	return true
}

// either reads one of several texts.
func (c *cursor) either(all ...string) bool {
	for _, want := range all {
		if c.literal(want, false) {
			return true
		}
	}
	return false
}

func equal(text []byte, want string, fold bool) bool {
	if !fold {
		return string(text) == want
	}
	return bytes.EqualFold(text, []byte(want))
}

// run reads at most limit bytes of a class and returns how many there were. One more than the limit counts as too
// many: limit+1 is returned.
func (c *cursor) run(set *class, limit int) int {
	from := c.i
	for c.i-from <= limit && set.has(c.peek()) {
		c.i++
	}
	return c.i - from
}
