package sandbox

// Hardening closes rein's own process to those who share its user: nobody may attach to it, read its memory
// or environment under /proc, or find its keys in a core file.

import "sync"

// HardenProcess hardens the calling process: not dumpable (no ptrace, no /proc/PID/environ and mem for others of the same
// user), no core file for itself and its children, and no inherited open files except the three
// streams. Call it once, at the start of main. Where the system has no such switch it does nothing. An error names the
// step that failed; the process may continue.
//
// An exec makes a process dumpable again, so programs that rein starts are ordinary processes.
func HardenProcess() error { return hardenProcess() }

// window counts the starts of children in progress. It belongs to the one flag that the process has.
var window struct {
	sync.Mutex
	open int
	was  bool
}

// startHardened runs start, which starts a child, with the process dumpable, and closes it again when the last one that
// runs is done. While a process is not dumpable, the files under /proc/CHILD belong to root until the child's exec.
// An ordinary user then cannot write the maps of a new user namespace, and exec.Cmd.Start fails with "permission
// denied". In a process that is dumpable it only calls start. It returns start's error.
func startHardened(start func() error) error {
	enter()
	defer leave()
	return start()
}

func enter() {
	window.Lock()
	defer window.Unlock()
	if window.open == 0 {
		window.was = dumpable()
		if !window.was {
			_ = setDumpable(true) // when it fails, the start fails too, with an error
		}
	}
	window.open++
}

func leave() {
	window.Lock()
	defer window.Unlock()
	window.open--
	if window.open == 0 && !window.was {
		_ = setDumpable(false)
	}
}
