package sandbox

// The limits as results name them.
const (
	limitCPU          = "CPU time of a process"
	limitFileSize     = "size of a file"
	limitProcessCount = "processes at once"
	limitMemory       = "memory of a command"
)

// leastMemory is what the helper that starts a program must have, too.
const leastMemory = 64 << 20

// or returns the limits with the zero fields filled from others.
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

// defaultLimits are the limits where none are set.
func defaultLimits() Limits {
	return Limits{FileSize: 8 << 30, OpenFiles: 4096, Processes: 4096, Output: 10 << 30, Memory: -1}
}
