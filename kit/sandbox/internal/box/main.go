//go:build linux

package box

import (
	"syscall"
)

const (
	// Role is the environment variable that makes a process of our binary a helper of the sandbox.
	Role = "REIN_SANDBOX_HELPER"
	// RoleSupervisor is the role of the process that starts a session's programs.
	RoleSupervisor = "supervisor"
	// RoleInit is the role of process 1 of a process namespace that bubblewrap made.
	RoleInit = "init"
	// RoleContainer is the role of process 1 of a container: it is a supervisor whose control socket is at ContainerControl.
	RoleContainer = "container"
	// roleZygoteInit is the role of process 1 of a process namespace that the supervisor made.
	roleZygoteInit = "zygote-init"
	// Control is the file number of the socket to the parent. When the parent dies the socket closes, the helper ends, and
	// with it all that the helper started.
	Control = 3
	// Kept is the number of the file that a zygote opened for its programs: their Landlock rules.
	Kept = 4
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
	switch role, _ := syscall.Getenv(Role); role {
	case RoleInit:
		enterGroups()
		serveInit(false)
	case roleZygoteInit:
		serveInit(true)
	case RoleSupervisor:
		serveSupervisor()
	case RoleContainer:
		connectControl()
		serveSupervisor()
	}
}

// ContainerControl is where process 1 of a container finds the socket to the parent.
const ContainerControl = "/.rein/control/socket"

// connectControl makes the socket to the parent the file that every helper has it in.
func connectControl() {
	fd, err := syscall.Socket(syscall.AF_UNIX, syscall.SOCK_SEQPACKET, 0)
	if err == nil {
		err = syscall.Connect(fd, &syscall.SockaddrUnix{Name: ContainerControl})
	}
	if err == nil && fd != Control {
		err = syscall.Dup3(fd, Control, 0)
	}
	if err != nil {
		_, _ = syscall.Write(2, []byte("connect to rein: "+err.Error()+"\n"))
		syscall.Exit(brokenExit)
	}
}

// Groups is the environment variable that holds how many open files, from FirstGroup on, process 1 must write to in order
// to enter its control groups.
const (
	Groups     = "REIN_SANDBOX_GROUPS"
	FirstGroup = 5
)

// enterGroups moves this process into its control groups: bubblewrap does not report its number to the parent.
func enterGroups() {
	text, _ := syscall.Getenv(Groups)
	for fd := FirstGroup; len(text) == 1 && fd < FirstGroup+int(text[0]-'0'); fd++ {
		if _, err := syscall.Write(fd, []byte("0")); err != nil {
			send(Report{Kind: Failed, Index: -1, Errno: errnoOf(err)})
			syscall.Exit(brokenExit)
		}
	}
}

// closeOnExec keeps every file from the control socket on out of the hands of programs that a helper starts.
func closeOnExec() {
	_, _, _ = syscall.RawSyscall(callCloseRange, Control, ^uintptr(0), onExec)
	syscall.CloseOnExec(Control) // close_range is younger than some kernels
}

// hideMemory keeps other processes of the user from reading this one.
func hideMemory() {
	const setDumpable = 4
	_, _, _ = syscall.RawSyscall(syscall.SYS_PRCTL, setDumpable, 0, 0)
}

// callCloseRange is close_range, which has the same number on every architecture and no name in package syscall.
const (
	callCloseRange = 436
	onExec         = 4 // CLOSE_RANGE_CLOEXEC

	messageCloseOnExec = 0x40000000 // MSG_CMSG_CLOEXEC
)

// send reports to the parent. When the parent has ended, the next read from the control socket fails.
func send(r Report) { _, _ = syscall.Write(Control, r.Encode()) }

func errnoOf(err error) int32 {
	if errno, ok := err.(syscall.Errno); ok {
		return int32(errno)
	}
	return int32(syscall.EINVAL)
}

func closeAll(files []int) {
	for _, fd := range files {
		_ = syscall.Close(fd)
	}
}
