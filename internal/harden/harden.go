// Package harden closes rein's own process to those who share its user: nobody may attach to it, read its memory
// or environment under /proc, or find its keys in a core file.
package harden

import "sync"

// Process hardens the calling process: not dumpable (no ptrace, no /proc/PID/environ and mem for others of the same
// user) and no core file, for itself and for the children that it starts. Call it once, first thing in main. Where
// the system has no such switch it does nothing. An error says which step failed; the process may go on.
//
// Being not dumpable ends with exec, so programs that rein starts are ordinary again.
func Process() error { return process() }

// Window opens a hardened process for the moment of starting a child. While a process is not dumpable, the files
// under /proc/CHILD belong to root until the child's exec, so an ordinary user cannot write the maps of a new user
// namespace (exec.Cmd.Start fails with "permission denied"). The zero Window is ready; one is shared by all who
// start children, and may be used at once by many.
type Window struct {
	mu   sync.Mutex
	open int
	was  bool
}

// During runs start with the process dumpable, if it was not, and closes it again when the last one that runs is
// done. It returns start's error.
func (w *Window) During(start func() error) error {
	w.enter()
	defer w.leave()
	return start()
}

func (w *Window) enter() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.open == 0 {
		w.was = dumpable()
		if !w.was {
			setDumpable(true)
		}
	}
	w.open++
}

func (w *Window) leave() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.open--
	if w.open == 0 && !w.was {
		setDumpable(false)
	}
}
