package settings

import "cmp"

// Memory says what is remembered from one session to the next. Zero means the default.
type Memory struct {
	Off    bool `json:"off,omitempty"`              // there are no tools for it, and nothing is read
	Digest int  `json:"digest,omitempty" none:"-1"` // bytes that a new session reads at its start; -1: none
	Most   int  `json:"most,omitempty"`             // entries that are kept (default 200000)
}

// DigestSize returns the bytes of a digest; 0: none.
func (m Memory) DigestSize() int { return max(cmp.Or(m.Digest, 4096), 0) }
