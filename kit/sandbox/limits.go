package sandbox

import "time"

// ProgramLimits bounds one program. Its fields are those of Limits: zero means the default, a negative number none.
type ProgramLimits struct {
	CPU       time.Duration
	FileSize  int64
	OpenFiles int64
	Processes int64
	Output    int64
	Memory    int64
}

// The limits as results name them.
const (
	limitCPU          = "CPU time of a process"
	limitFileSize     = "size of a file"
	limitProcessCount = "processes at once"
	limitMemory       = "memory of a command"
)

// leastMemory is what the helper that starts a program must have, too.
const leastMemory = 64 << 20

// Or returns the limits with the zero fields filled from others.
func (l ProgramLimits) Or(others ProgramLimits) ProgramLimits {
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

// defaultLimits are the limits where none are set.
func defaultLimits() ProgramLimits {
	return ProgramLimits{FileSize: 8 << 30, OpenFiles: 4096, Processes: 4096, Output: 10 << 30, Memory: -1}
}
