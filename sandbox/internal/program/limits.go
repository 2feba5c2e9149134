package program

import "time"

// Limits bounds one program. Its fields are those of sandbox.Limits: zero means the default, a negative number none.
type Limits struct {
	CPU       time.Duration
	FileSize  int64
	OpenFiles int64
	Processes int64
	Output    int64
	Memory    int64
}

// The limits as results name them.
const (
	LimitCPU       = "CPU time of a process"
	LimitFileSize  = "size of a file"
	LimitProcesses = "processes at once"
	LimitMemory    = "memory of a command"
)

// LeastMemory is what the helper that starts a program must have, too.
const LeastMemory = 64 << 20

// Or returns the limits with the zero fields filled from others.
func (l Limits) Or(others Limits) Limits {
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
		l.Memory = max(l.Memory, LeastMemory)
	}
	return l
}

// DefaultLimits are the limits where none are set.
func DefaultLimits() Limits {
	return Limits{FileSize: 8 << 30, OpenFiles: 4096, Processes: 4096, Output: 10 << 30, Memory: -1}
}
