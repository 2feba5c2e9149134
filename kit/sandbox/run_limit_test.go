package sandbox

import (
	"io"
	"testing"
)

func TestLimitIsReadFromLastWords(t *testing.T) {
	all := Limits{OpenFiles: 100, Processes: 100, Memory: leastMemory}
	for name, row := range map[string]struct {
		limits Limits
		output string
		want   string
	}{
		"open files, of the shell":        {all, "bash: line 1: /dev/null: Too many open files\n", "open files of a process"},
		"open files, of Go":               {all, "open x: too many open files\n", "open files of a process"},
		"open files, of Python":           {all, "OSError: [Errno 24] Too many open files: 'x'\n", "open files of a process"},
		"open files, of node":             {all, "Error: EMFILE: too many open files, open 'x'\n", "open files of a process"},
		"processes, of the shell":         {all, "bash: fork: retry: Resource temporarily unavailable\n", "processes at once"},
		"processes, of dash":              {all, "sh: 1: Cannot fork\n", "processes at once"},
		"threads, of Python":              {all, "RuntimeError: can't start new thread\n", "processes at once"},
		"memory, of tail":                 {all, "tail: memory exhausted\n", "memory of a process"},
		"memory, of Python":               {all, "Traceback (most recent call last):\nMemoryError\n", "memory of a process"},
		"memory, of Go":                   {all, "fatal error: runtime: out of memory\n\ngoroutine 1\n", "memory of a process"},
		"memory, of node":                 {all, "FATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory\n", "memory of a process"},
		"memory where none is limited":    {Limits{OpenFiles: 100}, "tail: memory exhausted\n", ""},
		"a text about open files":         {all, "error: the docs say: too many open files is bad\n", ""},
		"a busy resource":                 {all, "read: Resource temporarily unavailable\n", ""},
		"a name that holds the words":     {all, "FAIL TestOutOfMemoryIsTold\n", ""},
		"a word long before the end":      {all, "x: Too many open files\n" + string(make([]byte, 5000)), ""},
		"an ordinary failure":             {all, "cat: x: No such file or directory\n", ""},
		"nothing at all, and no limits":   {Limits{}, "", ""},
		"a file table that is not theirs": {all, "x: Too many open files in system\n", ""},
	} {
		t.Run(name, func(t *testing.T) {
			words := &watched{out: io.Discard, limits: row.limits}
			for _, c := range []byte(row.output) {
				_, _ = words.Write([]byte{c})
			}
			if got := words.limit(true); got != row.want {
				t.Errorf("got %q, want %q", got, row.want)
			}
		})
	}
}
