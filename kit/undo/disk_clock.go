package undo

import "time"

// wallClock notices when the wall clock jumps: what is read then is not settled, because its age is not known.
type wallClock struct{ seen time.Time }

// Jumped reports whether the wall clock and the monotonic clock went apart since the last call, by more than a second.
func (c *wallClock) Jumped(now time.Time) bool {
	last := c.seen
	c.seen = now
	if last.IsZero() {
		return false
	}
	apart := now.Round(0).Sub(last.Round(0)) - now.Sub(last)
	return apart.Abs() > time.Second
}
