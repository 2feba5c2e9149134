// Package cgroup limits the memory and the number of processes of a program, with all that it starts, by control groups
// of the Linux kernel. Whether any can be written is found by trying it, when the first limit needs one.
package cgroup

// Kind is what a control group counts.
type Kind int

// The kinds. Zero is none.
const (
	Memory Kind = 1 + iota
	Processes
)

// Limits are what a group limits. Zero and less mean no limit.
type Limits struct {
	Memory    int64 // bytes
	Processes int64
}

// An Idle starts a process that does nothing, for trying a group, and returns its number and what ends it.
type Idle func() (pid int, end func() error, err error)
