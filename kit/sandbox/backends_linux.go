package sandbox

// candidates are the backends of Linux, the best first.
func candidates() []candidate {
	return []candidate{{BackendNamespaces, openNamespaces}, {BackendBubblewrap, openBubblewrap},
		{BackendLandlock, openLandlock}, {BackendNone, openBare}, {BackendContainer, openContainer}, {BackendExternal, openExternal}}
}

func newGroups() *sessionCgroups { return newLinuxGroups() }

// countsProcesses reports whether the kernel holds a backend's programs to their limit of processes.
func countsProcesses(g *sessionCgroups, r Backend) bool {
	return kernelCountsProcesses(g, r == BackendNamespaces)
}
