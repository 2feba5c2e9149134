package sandbox

import (
	"rein/sandbox/internal/cgroup"
	"rein/sandbox/internal/linux"
)

// candidates are the backends of Linux, the best first.
func candidates() []candidate {
	return []candidate{{BackendNamespaces, linux.OpenNamespaces}, {BackendBubblewrap, linux.OpenBubblewrap},
		{BackendLandlock, linux.OpenLandlock}, {BackendNone, linux.OpenBare}}
}

func newGroups() *cgroup.Session { return linux.NewGroups() }

// countsProcesses reports whether the kernel holds a backend's programs to their limit of processes.
func countsProcesses(g *cgroup.Session, r Backend) bool {
	return linux.CountsProcesses(g, r == BackendNamespaces)
}
