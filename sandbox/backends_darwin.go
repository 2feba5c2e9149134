package sandbox

import "rein/sandbox/internal/seatbelt"

// candidates are the backends of macOS, the best first.
func candidates() []candidate {
	return []candidate{{BackendSeatbelt, seatbelt.Open}, {BackendNone, openNone}}
}
