package sandbox

import (
	"fmt"
	"strings"
)

// Backend is one kind of wall, from none to the best; the order is that of strength.
type Backend int

// The rungs. What each leaves open is listed in docs/sandbox.md and held there by tests.
const (
	// BackendNone starts programs as the user.
	BackendNone Backend = iota
	// BackendSeatbelt is macOS's own sandbox with a generated profile.
	BackendSeatbelt
	// BackendLandlock confines files with Landlock and system calls with seccomp, without namespaces.
	BackendLandlock
	// BackendBubblewrap uses the bwrap program for the namespaces, and Landlock and seccomp inside.
	BackendBubblewrap
	// BackendNamespaces uses namespaces of our own, Landlock, seccomp, limits and no capabilities.
	BackendNamespaces
)

// BackendNames are the names of the backends, the weakest first.
func BackendNames() []string {
	return []string{"none", "seatbelt", "landlock", "bubblewrap", "namespaces"}
}

// String names the rung in one word.
func (r Backend) String() string {
	names := BackendNames()
	if r < 0 || int(r) >= len(names) {
		return "unknown"
	}
	return names[r]
}

// ParseBackend gives the rung of a name.
func ParseBackend(name string) (Backend, error) {
	for i, known := range BackendNames() {
		if name == known {
			return Backend(i), nil
		}
	}
	return BackendNone, fmt.Errorf("there is no rung %q: want one of %s", name, strings.Join(BackendNames(), ", "))
}

// Mode says what happens when the walls cannot be had.
type Mode string

// The modes.
const (
	Auto     Mode = "auto"     // the best rung that works here, said loudly when it is not the best there is
	Required Mode = "required" // nothing is started below RungBubblewrap
	Off      Mode = "off"      // no walls, by the user's word
)
