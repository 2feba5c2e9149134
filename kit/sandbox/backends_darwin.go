package sandbox

// candidates are the backends of macOS, the best first.
func candidates() []candidate {
	return []candidate{{BackendSeatbelt, openSeatbelt}, {BackendNone, openNone}, {BackendExternal, openExternal}}
}
