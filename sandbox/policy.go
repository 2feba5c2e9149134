package sandbox

import (
	"errors"
	"net"
	"slices"
	"sync"

	"rein/sandbox/internal/cgroup"
	"rein/sandbox/internal/private"
)

// Policy defines what the programs of one session may see and change. All paths are absolute. The zero value but for
// Workspace is the strictest: no network, nothing of the home directory but tools, and one place to write.
type Policy struct {
	// Workspace is where programs start and may write.
	Workspace string
	// Writable are further directories that they may write (--add-dir).
	Writable []string
	// Readable are directories and files that they may read although they lie in a place that is hidden.
	Readable []string
	// Home is the user's home directory; "" is taken from the environment.
	Home string
	// Private is a directory of ours, kept for this workspace alone: caches of tools live there, and the private /tmp
	// of each session while it lasts. "" makes one that Close removes.
	Private string
	// Opened are places that all programs may use beside these: what the user opened by an answer that was kept.
	Opened Opened
	// EnvFiles lets programs read the .env files of the workspace.
	EnvFiles bool
	// HostNetwork leaves the network as it is. The default is a network with nothing but a loopback of its own.
	HostNetwork bool
	// Proxy, if set, is called once, in a goroutine of its own, with a listener inside the programs' network at
	// ProxyAddress; the proxy variables of their environment point there. The listener is closed when the box is, and
	// Close waits for Proxy to return. Backends without a network of their own never call it.
	Proxy func(net.Listener)
	// Parent is the environment that the programs' is made from; nil is that of this process.
	Parent []string
	// Mode decides what happens when no sandbox works; "" is Auto.
	Mode Mode
	// Only names the one backend to use: when it does not work nothing is started.
	// "" is the best that works.
	Only string
	// Warn, if set, gets warnings for the user: when a weaker backend is used, or a limit is weaker than asked.
	Warn func(string)
	// Limits bound each program unless its spec has other limits.
	Limits Limits

	own                private.Dirs    // made when it is prepared
	groups             *cgroup.Session // made by New
	warnOfMemory       *sync.Once      // made by New
	unlocked, unmasked []string        // protected or closed places of the workspace that the user opened
}

// ProxyAddress is where the proxy listens inside a program's own network.
const ProxyAddress = "127.0.0.1:3128"

// proxyEnv points programs to the proxy. Loopback goes direct: servers of the program's own live there.
func proxyEnv() []string {
	const proxy, direct = "http://" + ProxyAddress, "localhost,127.0.0.1,::1"
	return []string{
		"HTTP_PROXY=" + proxy, "HTTPS_PROXY=" + proxy, "ALL_PROXY=" + proxy, "NO_PROXY=" + direct,
		"http_proxy=" + proxy, "https_proxy=" + proxy, "all_proxy=" + proxy, "no_proxy=" + direct,
	}
}

// only leaves of the backends of this system the one that the policy names.
func (p Policy) only(backends []candidate) []candidate {
	if p.Only == "" {
		return backends
	}
	return slices.DeleteFunc(backends, func(c candidate) bool { return c.backend.String() != p.Only })
}

// checkOnly checks the name of the one backend.
func (p Policy) checkOnly() error {
	if p.Only == "" {
		return nil
	}
	backend, err := ParseBackend(p.Only)
	if err == nil && p.Mode == Off && backend != BackendNone {
		err = errors.New("the sandbox is off, and a backend is named: one of the two")
	}
	return err
}

// or gives the limits with the zero fields filled from others.
func (l Limits) or(others Limits) Limits {
	if l.CPU == 0 {
		l.CPU = others.CPU
	}
	if l.FileSize == 0 {
		l.FileSize = others.FileSize
	}
	if l.OpenFiles == 0 {
		l.OpenFiles = others.OpenFiles
	}
	if l.Processes == 0 {
		l.Processes = others.Processes
	}
	if l.Output == 0 {
		l.Output = others.Output
	}
	if l.Memory == 0 {
		l.Memory = others.Memory
	}
	if l.Memory > 0 {
		l.Memory = max(l.Memory, leastMemory)
	}
	return l
}

// leastMemory is what the helper that starts a program must have, too.
const leastMemory = 64 << 20

// limits are those that hold for a program.
func (p Policy) limits(spec Spec) Limits { return spec.Limits.or(p.Limits).or(DefaultLimits()) }

// DefaultLimits are the limits where none are set: they stop what runs away and nothing that works.
func DefaultLimits() Limits {
	return Limits{FileSize: 8 << 30, OpenFiles: 4096, Processes: 4096, Output: 10 << 30, Memory: -1}
}
