package sandbox

// candidates are the backends of Linux, the best first.
func candidates(Policy) []candidate {
	return []candidate{{BackendNamespaces, openNamespaces}, {BackendBubblewrap, openBubblewrap}, {BackendLandlock, openLandlock}, {BackendNone, openBare}}
}
