package sandbox

import (
	"fmt"
	"strings"
)

// Backend is a mechanism that isolates programs. The order is that of strength.
type Backend int

// The backends. docs/maintainers/sandbox.md lists what each does not enforce; tests hold it to that.
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
	// BackendContainer runs programs in a container of Docker or Podman: see Elsewhere. It is used only where it is named.
	BackendContainer
	// BackendExternal runs programs where a program of the user's runs them: see Elsewhere. It is used only where it is named.
	BackendExternal
)

// BackendNames are the names of the backends, the weakest first; the last two are used only where they are named.
func BackendNames() []string {
	return []string{"none", "seatbelt", "landlock", "bubblewrap", "namespaces", "container", "external"}
}

// String returns the name of the backend.
func (r Backend) String() string {
	names := BackendNames()
	if r < 0 || int(r) >= len(names) {
		return "unknown"
	}
	return names[r]
}

// Forwards reports whether programs find the servers of other machines that are opened to them without a proxy; with BackendBubblewrap those at
// ports from 1024 on.
func (r Backend) Forwards() bool { return r == BackendNamespaces || r == BackendBubblewrap }

// ParseBackend returns the backend of a name.
func ParseBackend(name string) (Backend, error) {
	for i, known := range BackendNames() {
		if name == known {
			return Backend(i), nil
		}
	}
	return BackendNone, fmt.Errorf("there is no sandbox backend %q: expected one of %s", name, strings.Join(BackendNames(), ", "))
}

// Mode decides what happens when no sandbox works.
type Mode string

// The modes.
const (
	Auto     Mode = "auto"     // the best backend that works here, with a warning when it is not the best there is
	Required Mode = "required" // nothing is started with a weaker backend than BackendBubblewrap
	Off      Mode = "off"      // no sandbox, as the user wants it
)

// Elsewhere is where programs run that do not run on this machine's own system. The zero value is nowhere.
type Elsewhere struct {
	// Image is what BackendContainer makes the container of a session from. It must be on this machine, and have the tools that commands
	// need.
	Image string
	// Engine is the program that runs containers, by its name or path: docker, podman. "" is the first of podman and docker that is installed.
	Engine string
	// Command is the program of BackendExternal: it speaks the protocol of docs/sandbox_protocol.md on its standard input and output.
	Command []string
}
