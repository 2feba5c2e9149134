package sandbox

import (
	"errors"
	"net"
	"slices"
	"sync"
)

// Policy defines what the programs of one session may see and change. All paths are absolute. The zero value but for
// Workspace is the strictest: no network, nothing of the home directory but tools, and one place to write.
type Policy struct {
	// Workspace is where programs start and may write.
	Workspace string
	// Writable are further directories that they may write (--add-dir).
	Writable []string
	// Readable are directories and files that they may read although they are in a place that is hidden.
	Readable []string
	// Home is the user's home directory; "" is taken from the environment.
	Home string
	// Hidden are files and directories of the program that uses the sandbox (its settings, records, keys): programs neither
	// see nor change them, wherever they lie. One that is missing, in a place that programs may write, is made.
	Hidden []string
	// Private is a directory of ours, kept for this workspace alone: caches of tools live there, and the private /tmp
	// of each session while it lasts. "" makes one that Close removes.
	Private string
	// Opened are places that all programs may use beside these: what the user opened by an answer that was kept.
	Opened Opened
	// EnvFiles lets programs read the .env files of the workspace.
	EnvFiles bool
	// HostNetwork leaves the network as it is. The default is a network with nothing but a loopback of its own.
	HostNetwork bool
	// Debuggers lets programs trace those that they start, as gdb, strace and the leak check of sanitizers do, in backends that give each
	// command processes of its own.
	Debuggers bool
	// Proxy, if set, is called once, in a goroutine of its own, with a listener inside the programs' network at
	// ProxyAddress; the proxy variables of their environment point there. The listener is closed when the box is, and
	// Close waits for Proxy to return. Backends without a network of their own never call it.
	Proxy func(net.Listener)
	// Parent is the environment that the programs' is made from; nil is that of this process.
	Parent []string
	// Mode decides what happens when no sandbox works; "" is Auto.
	Mode Mode
	// Only names the one backend to use: when it does not work nothing is started.
	// "" is the best that works on this machine's own system.
	Only string
	// Elsewhere is where programs run with BackendContainer and BackendExternal.
	Elsewhere Elsewhere
	// Warn, if set, gets warnings for the user: when a weaker backend is used, or a limit is weaker than asked.
	Warn func(string)
	// Limits bound each program unless its spec has other limits.
	Limits Limits
	// Trees is what is known of the names in Workspace and Writable. Nil: their directories are read.
	Trees *Trees
}

// ProxyAddress is where the proxy listens inside a program's own network.
const ProxyAddress = proxyAddress

// inner is the policy as backends know it, with the links taken out of its paths.
func (p Policy) inner() (backendPolicy, error) {
	return backendPolicy{Workspace: p.Workspace, Writable: p.Writable, Readable: p.Readable, Home: p.Home, Hidden: p.Hidden, Private: p.Private,
		Servers: p.Opened.Servers, EnvFiles: p.EnvFiles, HostNetwork: p.HostNetwork, Debuggers: p.Debuggers, Proxy: p.Proxy, Parent: p.Parent, Warn: p.Warn,
		Limits: p.Limits, Elsewhere: p.Elsewhere, Groups: newGroups(), Trees: p.Trees, Index: newIndex(nil, p.Trees), WarnOfMemory: &sync.Once{}}.Resolved(p.Opened)
}

// only leaves of the backends of this system the one that the policy names, or those of the system itself.
func (p Policy) only(backends []candidate) []candidate {
	if p.Only == "" {
		return slices.DeleteFunc(backends, func(c candidate) bool { return c.backend >= BackendContainer })
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

// DefaultLimits are the limits where none are set: they stop runaway programs and leave ordinary ones alone.
func DefaultLimits() Limits { return Limits(defaultLimits()) }
