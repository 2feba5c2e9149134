package sandbox

// Residue lists what a rung does not keep programs from, in words for the user. A test runs the attacks on each
// rung and holds this list to what it finds.
func Residue(r Backend) []string {
	switch r {
	case BackendNamespaces:
		return nil
	case BackendBubblewrap:
		return []string{"servers of one command are not reached by the next"}
	case BackendLandlock:
		return []string{
			"metadata of files outside (stat, chmod, chown, times, attributes of the user's own files)",
			"unix sockets that lie in readable directories",
			"seeing other processes",
			"protected and .env files of the workspace",
			"servers on the loopback do not work",
		}
	case BackendSeatbelt:
		return []string{
			"limits on time, files, processes and memory",
			"seeing and signalling other processes",
			"the system's own services",
			"programs that leave their group outlive the command",
			"servers on the loopback do not work",
		}
	}
	return []string{"files", "network", "other processes", "system calls"}
}
