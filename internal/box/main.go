//go:build linux

package box

import "syscall"

const (
	// Role is the variable that makes a process of our binary a helper of the sandbox, and nothing else.
	Role = "REIN_SANDBOX_HELPER"
	// RoleBox is the role of process 1 of a box that was made by somebody else, RoleWarden that of the warden, which starts
	// a session's programs.
	RoleBox, RoleSupervisor = "box", "warden"
	// Control is the file number of the socket to the parent. When the parent dies it ends, and so does all that the
	// helper started.
	Control = 3
	// Kept is the number of an open file that a nursery may have for all its boxes: their process 1 has it, too.
	Kept = 100
)

// A hundred packages of the whole binary would first prepare what a helper never uses: 10 ms instead of 1. This package
// needs little and is prepared among the first, before main's are even begun. It also means that a program that embeds
// the sandbox has nothing to call, and nothing to forget.
func init() {
	switch role, _ := syscall.Getenv(Role); role {
	case RoleBox:
		serveBox()
	case RoleSupervisor:
		serveSupervisor()
	}
}

// Groups is the variable that tells process 1 of a box how many open files from FirstGroup on lead into control groups.
const (
	Groups     = "REIN_SANDBOX_GROUPS"
	FirstGroup = 5
)

// enterGroups moves this process into its control groups: whoever started it has no number of it to tell.
func enterGroups() {
	text, _ := syscall.Getenv(Groups)
	for fd := FirstGroup; len(text) == 1 && fd < FirstGroup+int(text[0]-'0'); fd++ {
		if _, err := syscall.Write(fd, []byte("0")); err != nil {
			send(&Report{Kind: Failed, Index: -1, Errno: int32(err.(syscall.Errno))})
			syscall.Exit(1)
		}
	}
}

// closeOthers keeps files that someone left open without close-on-exec out of the programs' hands.
func closeOthers() {
	const closeOnExec = 4
	_, _, _ = syscall.RawSyscall(callCloseRange, Control, ^uintptr(0), closeOnExec)
	syscall.CloseOnExec(Control)
}

// callCloseRange is close_range, which has the same number on every architecture and no name in package syscall.
const callCloseRange = 436

func send(r *Report) { _, _ = syscall.Write(Control, r.Bytes()) }
