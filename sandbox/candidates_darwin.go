package sandbox

// candidates are the rungs of macOS, the best first.
func candidates(Policy) []candidate {
	return []candidate{{BackendSeatbelt, openSeatbelt}, {BackendNone, openNone}}
}
