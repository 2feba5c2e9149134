package sandbox

// candidates are the rungs of Linux, the best first.
func candidates(Policy) []candidate {
	return []candidate{{RungNamespaces, openNamespaces}, {RungBubblewrap, openBubblewrap}, {RungLandlock, openLandlock}, {RungNone, openBare}}
}
