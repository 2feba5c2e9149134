package sandbox

import (
	"fmt"
	"syscall"
)

func hardenProcess() error {
	if err := setDumpable(false); err != nil {
		return fmt.Errorf("make the process not dumpable: %w", err)
	}
	if err := syscall.Setrlimit(syscall.RLIMIT_CORE, &syscall.Rlimit{}); err != nil {
		return fmt.Errorf("forbid core files: %w", err)
	}
	keepFiles()
	return nil
}

// keepFiles closes what we were started with, but for the three streams, to the programs that we start. A kernel that
// cannot is older than what the sandbox needs.
func keepFiles() {
	const closeRange, onExec = 436, 4 // the same number on every architecture since Linux 5.9
	_, _, _ = syscall.RawSyscall(closeRange, 3, ^uintptr(0), onExec)
}

func dumpable() bool {
	is, _, _ := syscall.RawSyscall(syscall.SYS_PRCTL, syscall.PR_GET_DUMPABLE, 0, 0)
	return is != 0
}

func setDumpable(on bool) error {
	var value uintptr
	if on {
		value = 1
	}
	if _, _, errno := syscall.RawSyscall(syscall.SYS_PRCTL, syscall.PR_SET_DUMPABLE, value, 0); errno != 0 {
		return errno
	}
	return nil
}
