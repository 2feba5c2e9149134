package sandbox

import (
	"errors"
	"fmt"
	"maps"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"rein/internal/plainfile"
)

// hostNames are names of other machines that programs find at addresses of their own loopback, since their servers have a door there. They stand in a
// file that programs see in place of the machine's.
type hostNames struct {
	file *os.File // nil: programs see the machine's own

	mu   sync.Mutex
	last netip.Addr
	used map[string]*hostName
}

type hostName struct {
	address netip.Addr
	users   int
}

// newHostNames makes the file, if there is a proxy that names could lead to, and names it in the policy.
func newHostNames(p *backendPolicy) (*hostNames, error) {
	h := &hostNames{last: netip.AddrFrom4([4]byte{127, 65, 0, 0}), used: map[string]*hostName{}}
	if p.Proxy == nil || p.HostNetwork {
		return h, nil
	}
	p.hosts = filepath.Join(p.Own.Session(), "hosts")
	var err error
	if h.file, err = os.Create(p.hosts); err != nil {
		return nil, err
	}
	return h, h.write()
}

// Close ends the work with the file, which stays as it is.
func (h *hostNames) Close() {
	if h.file != nil {
		h.file.Close()
	}
}

// Take returns the address at which programs find a name, until it is given back. "" is the machine's own loopback.
func (h *hostNames) Take(name string) (netip.Addr, error) {
	if name == "" {
		return netip.AddrFrom4([4]byte{127, 0, 0, 1}), nil
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	n := h.used[name]
	if n == nil {
		h.last = h.last.Next()
		n = &hostName{address: h.last}
		h.used[name] = n
	}
	n.users++
	if n.users > 1 {
		return n.address, nil
	}
	return n.address, h.write()
}

// GiveBack ends the use of a name.
func (h *hostNames) GiveBack(name string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if n := h.used[name]; n != nil {
		if n.users--; n.users == 0 {
			delete(h.used, name)
			_ = h.write() // the address leads nowhere any more
		}
	}
}

// without takes the names that are used out of a line of the machine's file: programs would find them at the addresses of both.
func (h *hostNames) without(line string) string {
	words := strings.Fields(line)
	rest := slices.DeleteFunc(slices.Clone(words), func(word string) bool { return h.used[strings.ToLower(word)] != nil })
	switch {
	case len(rest) == len(words):
		return line
	case len(rest) < 2:
		return ""
	}
	return strings.Join(rest, " ") + "\n"
}

// write writes the file in its place, since programs have it by a mount. The lock is held.
func (h *hostNames) write() error {
	if h.file == nil {
		return errors.New("programs have the names of the machine")
	}
	var text strings.Builder
	for _, name := range slices.Sorted(maps.Keys(h.used)) {
		fmt.Fprintf(&text, "%s %s\n", h.used[name].address, name)
	}
	own, _ := plainfile.Read(hostsFile)
	for line := range strings.Lines(string(own)) {
		text.WriteString(h.without(line))
	}
	_, err := h.file.WriteAt([]byte(text.String()), 0)
	return errors.Join(err, h.file.Truncate(int64(text.Len())))
}
