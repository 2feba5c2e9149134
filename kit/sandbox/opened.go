package sandbox

import (
	"context"
	"fmt"
	"net"
	"strconv"
)

// Opened are places that a program may use beside those of the policy: what the user opened later, for a while. They
// are absolute and have no links in them. A file or directory of the workspace that the sandbox protects or hides is
// opened by its own name; one that is below a place here stays as it is.
type Opened struct {
	Write []string // directories, with all below them
	Read  []string // files and directories
	// Ports are ports at which a program finds the servers of the machine: what connects to one of them on the loopback of the sandbox
	// reaches the same port on the loopback outside. A port at which a program of the sandbox listens already stays that program's.
	Ports []uint16
	// Servers are those of other machines that a program finds by their names although it knows of no proxy: what it sends there goes through
	// Policy.Proxy, which judges it as a tunnel. Backends of which Backend.Forwards is false leave them to the proxy alone.
	Servers []Server
}

// Server is a TCP server.
type Server struct {
	Name string // of its machine, as it is looked up; no address
	Port uint16
}

// String returns name:port.
func (s Server) String() string { return net.JoinHostPort(s.Name, strconv.Itoa(int(s.Port))) }

// IsZero reports whether no place is opened.
func (o Opened) IsZero() bool { return len(o.Write)+len(o.Read) == 0 }

// CheckOpened returns an error if access to a place cannot be granted: it must be there, be named without links, and hold neither what
// belongs to the system nor what belongs to the sandbox itself; in the workspace only what the sandbox closes can be.
func (b *Box) CheckOpened(path string) error {
	if err := b.inner.Openable(path); err != nil || !b.inner.Grants(path) {
		return err
	}
	_, err := b.Backend(context.Background())
	if err == nil && (b.view == nil || !b.view.Closes(path, b.inner.EnvFiles)) {
		err = fmt.Errorf("%s lies in the workspace, and the sandbox does not close it by this name", path)
	}
	return err
}
