package sandbox

import (
	"io"
)

// watched passes a program's output on: up to the limit of output. It keeps the end of the output, where a program that ran into
// another limit writes an error.
type watched struct {
	out     io.Writer
	limits  Limits // that hold for the program; zero where nobody set any
	stop    func() // ends a program that writes too much
	written int64
	over    bool
	tail    []byte
}

// longestWords is how much of the end of the output is looked at.
const longestWords = 2 << 10

// Write passes a piece of output on. What comes after the limit is dropped: the program is being ended.
func (w *watched) Write(p []byte) (int, error) {
	n := len(p)
	if w.over {
		return n, nil
	}
	if most := w.limits.Output; most > 0 && int64(n) > most-w.written {
		p, w.over = p[:most-w.written], true
		defer w.stop()
	}
	w.written += int64(len(p))
	w.tail = append(w.tail, p[max(0, len(p)-longestWords):]...)
	if len(w.tail) > 2*longestWords {
		w.tail = append(w.tail[:0], w.tail[len(w.tail)-longestWords:]...)
	}
	if _, err := w.out.Write(p); err != nil {
		return 0, err
	}
	return n, nil
}

// The limits as results name them.
const (
	limitOpenFiles = "open files of a process"
	limitProcesses = limitProcessCount
	limitData      = "memory of a process"
	limitOutput    = "output of a command"
)

// The messages of common programs and libraries for the errors EMFILE, EAGAIN of a fork, and ENOMEM, at the end of a line
// or as its mark: a text that only mentions them is no proof.
var (
	saysOpenFiles = lazily(`(?m)[:)] *[Tt]oo many open files\.?$|\(os error 24\)|\[Errno 24\]|\bEMFILE\b`)
	saysProcesses = lazily(`(?m)\bfork: (retry: )?Resource temporarily unavailable$|[Cc]annot fork|fork failed: Resource temporarily unavailable|can't start new thread|fork/exec \S+: resource temporarily unavailable|failed to create new OS thread|\bspawn \S+ EAGAIN\b`)
	saysMemory    = lazily(`(?m)memory exhausted$|[:)] *[Cc]annot allocate memory\.?$|^MemoryError\b|std::bad_alloc|^fatal error: runtime: (cannot allocate memory|out of memory)|^fatal error: out of memory|heap out of memory$|\bENOMEM\b|\(os error 12\)|\[Errno 12\]|cannot allocate \d+ bytes|[Oo]ut of memory[.!]?$`)
)

// limit names the limit that the program ran into: too much output for certain; another one by the error message of a
// program that failed, if that limit was set.
func (w *watched) limit(failed bool) string {
	switch {
	case w.over:
		return limitOutput
	case !failed:
		return ""
	case w.limits.OpenFiles > 0 && saysOpenFiles().Match(w.tail):
		return limitOpenFiles
	case w.limits.Processes > 0 && saysProcesses().Match(w.tail):
		return limitProcesses
	case w.limits.Memory > 0 && saysMemory().Match(w.tail):
		return limitData
	}
	return ""
}
