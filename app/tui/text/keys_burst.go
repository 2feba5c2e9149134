package text

import "time"

// A terminal without bracketed paste sends a paste as keys, each so soon after the one before. Nobody types so fast.
const burstTime = 10 * time.Millisecond

// Burst recognises a paste that comes as keys. The zero value is ready.
type Burst struct{ last time.Time }

// Pressed takes a key, and reports whether it came in a burst.
func (b *Burst) Pressed(now time.Time) bool {
	before := b.last
	b.last = now
	return !before.IsZero() && now.Sub(before) <= burstTime
}

// Busy leaves out a time in which the program took no keys: those that came meanwhile are as close to the one before as they were typed.
func (b *Burst) Busy(d time.Duration) {
	if !b.last.IsZero() {
		b.last = b.last.Add(d)
	}
}
