package sandbox

import (
	"fmt"
	"strings"
)

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

func rungNames() []string {
	return []string{"none", "seatbelt", "landlock", "bubblewrap", "namespaces"}
}

// String names the rung in one word.
func (r Rung) String() string {
	names := rungNames()
	if r < 0 || int(r) >= len(names) {
		return "unknown"
	}
	return names[r]
}

// ParseRung gives the rung of a name.
func ParseRung(name string) (Rung, error) {
	for i, known := range rungNames() {
		if name == known {
			return Rung(i), nil
		}
	}
	return RungNone, fmt.Errorf("there is no rung %q: want one of %s", name, strings.Join(rungNames(), ", "))
}

// Mode says what happens when the walls cannot be had.
type Mode string

// The modes.
const (
	Auto     Mode = "auto"     // the best rung that works here, said loudly when it is not the best there is
	Required Mode = "required" // nothing is started below RungBubblewrap
	Off      Mode = "off"      // no walls, by the user's word
)
