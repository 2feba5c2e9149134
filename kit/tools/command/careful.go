package command

import (
	"io"

	"rein/redact"
)

// careful passes on what is written to it, except for an end that may be the start of a secret. A reader who stops in
// between must not get a secret in two halves.
type careful struct {
	w    io.Writer
	mask *redact.Filter
	held []byte
}

// longestPending is how many bytes at the end of a text are checked: more than any key has.
const longestPending = 4 << 10

// pending is how many bytes at the end of a text are held back.
func pending(mask *redact.Filter, text []byte) int {
	return mask.Pending(text[max(0, len(text)-longestPending):])
}

func (c *careful) Write(p []byte) (int, error) {
	if len(p) >= longestPending && len(c.held) > 0 { // what is held back says nothing about the end of p
		if _, err := c.w.Write(c.take()); err != nil {
			return 0, err
		}
	}
	text := p
	if len(c.held) > 0 {
		text = append(c.held, p...)
	}
	n := len(text) - pending(c.mask, text)
	if n > 0 {
		if _, err := c.w.Write(text[:n]); err != nil {
			return 0, err
		}
	}
	c.held = append([]byte(nil), text[n:]...)
	return len(p), nil
}

// take returns what is held back, and holds it no longer.
func (c *careful) take() []byte {
	held := c.held
	c.held = nil
	return held
}
