//go:build linux

package sandbox

import (
	"syscall"
)

const (
	// helperRole is the environment variable that makes a process of our binary a helper of the sandbox.
	helperRole = "REIN_SANDBOX_HELPER"
	// roleSupervisor is the role of the process that starts a session's programs.
	roleSupervisor = "supervisor"
	// roleInit is the role of process 1 of a process namespace that bubblewrap made.
	roleInit = "init"
	// roleZygoteInit is the role of process 1 of a process namespace that the supervisor made.
	roleZygoteInit = "zygote-init"
	// controlFile is the file number of the socket to the parent. When the parent dies the socket closes, the helper ends, and
	// with it all that the helper started.
	controlFile = 3
	// keptFile is the number of the file that a zygote opened for its programs: their Landlock rules.
	keptFile = 4
	// lifeline is the number of a pipe that closes when the supervisor dies.
	lifeline = 5

	// brokenExit is the exit status of a helper that could not do its work.
	brokenExit = 125
)

// A helper must not initialise the hundred packages of the whole binary, which takes 10 ms instead of 1. This package
// imports little, so the runtime initialises it among the first, and main never runs. Of the packages that could be next, the
// runtime takes the first by name: what needs package unicode comes later, and much does. A program that embeds the sandbox
// has nothing to call, and nothing to forget.
func init() {
	switch role, _ := syscall.Getenv(helperRole); role {
	case roleInit:
		enterGroups()
		serveInit(false)
	case roleZygoteInit:
		serveInit(true)
	case roleSupervisor:
		serveSupervisor()
	}
}

// groupsVariable is the environment variable that holds how many open files, from firstGroup on, process 1 must write to in order
// to enter its control groups.
const (
	groupsVariable = "REIN_SANDBOX_GROUPS"
	firstGroupFile = 5
)

// enterGroups moves this process into its control groups: bubblewrap does not report its number to the parent.
func enterGroups() {
	text, _ := syscall.Getenv(groupsVariable)
	for fd := firstGroupFile; len(text) == 1 && fd < firstGroupFile+int(text[0]-'0'); fd++ {
		if _, err := syscall.Write(fd, []byte("0")); err != nil {
			send(helperReport{Kind: reportFailed, Index: -1, Errno: errnoOf(err)})
			syscall.Exit(brokenExit)
		}
	}
}

// closeOnExec keeps every file from the control socket on out of the hands of programs that a helper starts.
func closeOnExec() {
	const onExec = 4 // CLOSE_RANGE_CLOEXEC
	_, _, _ = syscall.RawSyscall(callCloseRange, controlFile, ^uintptr(0), onExec)
	syscall.CloseOnExec(controlFile) // close_range is younger than some kernels
}

// hideMemory keeps other processes of the user from reading this one.
func hideMemory() {
	const setDumpable = 4
	_, _, _ = syscall.RawSyscall(syscall.SYS_PRCTL, setDumpable, 0, 0)
}

// callCloseRange is close_range, which has the same number on every architecture and no name in package syscall.
const callCloseRange = 436

// send reports to the parent. When the parent has ended, the next read from the control socket fails.
func send(r helperReport) { _, _ = syscall.Write(controlFile, r.Encode()) }

func errnoOf(err error) int32 {
	if errno, ok := err.(syscall.Errno); ok {
		return int32(errno)
	}
	return int32(syscall.EINVAL)
}

func closeFiles(files []int) {
	for _, fd := range files {
		_ = syscall.Close(fd)
	}
}
