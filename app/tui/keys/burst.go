package keys

import "time"

// A terminal without bracketed paste sends a paste as keys: so many so soon after each other.
const (
	burstKeys = 8
	burstTime = 10 * time.Millisecond
)

// Burst recognises a paste that comes as keys. The zero value is ready.
type Burst struct{ last [burstKeys]time.Time }

// Pressed takes a key, and reports whether it came in a burst.
func (b *Burst) Pressed(now time.Time) bool {
	oldest := b.last[0]
	copy(b.last[:], b.last[1:])
	b.last[burstKeys-1] = now
	return !oldest.IsZero() && now.Sub(oldest) <= burstTime
}
