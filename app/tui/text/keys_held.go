package text

import (
	"time"

	tea "charm.land/bubbletea/v2"
)

// Settle is how long a key that answers waits before it counts. A further key within that time says that it is held down, or that
// it belongs to something that was typed ahead: then it does not count. Keys that are held down come at least 10 times a second.
const Settle = 120 * time.Millisecond

// Held tells a key that is pressed from one that is held down, also on terminals that do not say so. The zero value is ready.
type Held struct {
	count int
	waits bool      // the last key does
	last  time.Time // when a key came that would answer
}

// Settled says that Settle has passed since a key.
type Settled struct {
	Key   tea.KeyPressMsg
	count int
}

// Came is called for each key that comes.
func (h *Held) Came() {
	h.count++
	h.waits = false
}

// Wait lets the key that came last wait, and returns the command that gives its Settled. One that the terminal calls a repeat never
// counts, nor does one that came as soon after another as repeats do: the last of them, before the key is let go, is no answer either.
func (h *Held) Wait(k tea.KeyPressMsg, now time.Time) tea.Cmd {
	repeated := k.IsRepeat || now.Sub(h.last) < Settle
	if h.last = now; repeated {
		return nil
	}
	h.waits = true
	s := h.Settled(k)
	return tea.Tick(Settle, func(time.Time) tea.Msg { return s })
}

// Settled is the message of a key that came last.
func (h *Held) Settled(k tea.KeyPressMsg) Settled { return Settled{k, h.count} }

// Counts reports whether a key that waited counts: no other one came meanwhile. It counts once.
func (h *Held) Counts(s Settled) bool {
	counts := h.waits && s.count == h.count
	h.waits = h.waits && !counts
	return counts
}
