package sandbox

// Rung is one kind of wall, from none to the best; the order is that of strength.
type Rung int

// The rungs. What each leaves open is listed in docs/sandbox.md and held there by tests.
const (
	// RungNone starts programs as the user.
	RungNone Rung = iota
	// RungSeatbelt is macOS's own sandbox with a generated profile.
	RungSeatbelt
	// RungLandlock confines files with Landlock and system calls with seccomp, without namespaces.
	RungLandlock
	// RungBubblewrap uses the bwrap program for the namespaces, and Landlock and seccomp inside.
	RungBubblewrap
	// RungNamespaces uses namespaces of our own, Landlock, seccomp, limits and no capabilities.
	RungNamespaces
)

// String names the rung in one word.
func (r Rung) String() string {
	names := [...]string{"none", "seatbelt", "landlock", "bubblewrap", "namespaces"}
	if r < 0 || int(r) >= len(names) {
		return "unknown"
	}
	return names[r]
}

// Mode says what happens when the walls cannot be had.
type Mode string

// The modes.
const (
	Auto     Mode = "auto"     // the best rung that works here, said loudly when it is not the best there is
	Required Mode = "required" // nothing is started below RungBubblewrap
	Off      Mode = "off"      // no walls, by the user's word
)
