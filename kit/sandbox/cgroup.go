package sandbox

// The files cgroup_… limit the memory and the number of processes of a program, with all that it starts, by control
// groups of the Linux kernel. Whether any can be written is found by trying it, when the first limit needs one.

// cgroupKind is what a control group counts.
type cgroupKind int

// The kinds. Zero is none.
const (
	cgroupMemory cgroupKind = 1 + iota
	cgroupProcesses
)

// cgroupLimits are what a group limits. Zero and less mean no limit.
type cgroupLimits struct {
	Memory    int64 // bytes
	Processes int64
}

// An idleStarter starts a process that does nothing, for trying a group, and returns its number and what ends it.
type idleStarter func() (pid int, end func() error, err error)
