package sandbox

import "io"

// lastWords passes output on and keeps its end, where a program that ran into a limit says so.
type lastWords struct {
	out    io.Writer
	limits Limits // that hold for the program; zero where nobody set any
	tail   []byte
}

// longestWords is how much of the end of the output is looked at.
const longestWords = 2 << 10

// Write passes a piece of output on.
func (l *lastWords) Write(p []byte) (int, error) {
	l.tail = append(l.tail, p[max(0, len(p)-longestWords):]...)
	if len(l.tail) > 2*longestWords {
		l.tail = append(l.tail[:0], l.tail[len(l.tail)-longestWords:]...)
	}
	return l.out.Write(p)
}

// What the usual programs and libraries say of the errors EMFILE, EAGAIN of a fork, and ENOMEM, at the end of a line
// or as its mark: a text that only speaks of them is no proof.
var (
	saysOpenFiles = lazily(`(?m)[:)] *[Tt]oo many open files\.?$|\(os error 24\)|\[Errno 24\]|\bEMFILE\b`)
	saysProcesses = lazily(`(?m)\bfork: (retry: )?Resource temporarily unavailable$|[Cc]annot fork|fork failed: Resource temporarily unavailable|can't start new thread|fork/exec \S+: resource temporarily unavailable|failed to create new OS thread|\bspawn \S+ EAGAIN\b`)
	saysMemory    = lazily(`(?m)memory exhausted$|[:)] *[Cc]annot allocate memory\.?$|^MemoryError\b|std::bad_alloc|^fatal error: runtime: (cannot allocate memory|out of memory)|^fatal error: out of memory|heap out of memory$|\bENOMEM\b|\(os error 12\)|\[Errno 12\]|cannot allocate \d+ bytes|[Oo]ut of memory[.!]?$`)
)

// limit names the limit that a failed program says it ran into, if one was set.
func (l *lastWords) limit() string {
	switch {
	case l.limits.OpenFiles > 0 && saysOpenFiles().Match(l.tail):
		return "open files of a process"
	case l.limits.Processes > 0 && saysProcesses().Match(l.tail):
		return "processes at once"
	case l.limits.Memory > 0 && saysMemory().Match(l.tail):
		return "memory of a process"
	}
	return ""
}
