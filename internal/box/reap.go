//go:build linux && (amd64 || arm64)

package box

import (
	"syscall"
	"unsafe"
)

// pollFile is a struct pollfd.
type pollFile struct {
	fd             int32
	events, result int16
}

const (
	pollIn = 1
	// burialInterval is how many seconds orphans of a program that goes on may lie dead.
	burialInterval = 1
	mostSignals    = 64 // in one read
)

// poll waits until one of two files can be read, or has ended.
//
//go:nosplit
//go:norace
//go:nocheckptr
func poll(files *[2]pollFile, most *syscall.Timespec) {
	_, _, _ = syscall.RawSyscall6(syscall.SYS_PPOLL, uintptr(unsafe.Pointer(files)), 2, uintptr(unsafe.Pointer(most)), 0, 0, 0)
}

// reap waits for the program's end and the parent's word at once, and does what there is to do then. When process 1
// ends, everything in the box dies.
//
//go:noinline
//go:nosplit
//go:norace
//go:nocheckptr
func (c *cradle) reap() {
	memory := c.message.at(0) // the message is done with
	files := (*[2]pollFile)(memory)
	*files = [2]pollFile{{fd: c.birth.ended, events: pollIn}, {fd: Control, events: pollIn}}
	wait := (*syscall.Timespec)(unsafe.Add(memory, 64))
	*wait = syscall.Timespec{Sec: burialInterval}
	c.wait(files, wait)
	spoken := files[1].result != 0
	c.bury((*syscall.Rusage)(memory))
	if spoken {
		obey((*[mostSignals]byte)(memory))
	}
}

// bury buries the dead. When the program itself is among them it reports how it ended, and ends.
//
//go:noinline
//go:nosplit
//go:norace
//go:nocheckptr
func (c *cradle) bury(used *syscall.Rusage) {
	var status uint32
	for {
		pid, _, errno := syscall.RawSyscall6(syscall.SYS_WAIT4, anyone, uintptr(unsafe.Pointer(&status)), syscall.WNOHANG, uintptr(unsafe.Pointer(used)), 0, 0)
		if errno != 0 || pid == 0 {
			return
		}
		if int(pid) == c.birth.pid {
			clear()
			cpu := (used.Utime.Sec+used.Stime.Sec)*1e9 + (used.Utime.Usec+used.Stime.Usec)*1e3
			tell(&Report{Kind: Ended, Status: status, CPU: cpu})
			exit(0)
		}
	}
}

const anyone = ^uintptr(0) // -1, for kill and wait

// clear ends all other processes of the box. Our own end would do that, too, but takes the kernel some milliseconds to
// take the mounts apart, and the parent need not wait for them.
//
//go:noinline
//go:nosplit
//go:norace
func clear() {
	for {
		if _, _, errno := syscall.RawSyscall6(syscall.SYS_KILL, anyone, uintptr(syscall.SIGKILL), 0, 0, 0, 0); errno == syscall.ESRCH {
			return
		}
		if _, _, errno := syscall.RawSyscall6(syscall.SYS_WAIT4, anyone, 0, 0, 0, 0, 0); errno == syscall.ECHILD {
			return
		}
	}
}

// obey passes the parent's signals on to everything in the box, and ends the box when the parent is gone.
//
//go:noinline
//go:nosplit
//go:norace
//go:nocheckptr
func obey(sent *[mostSignals]byte) {
	n, _, errno := syscall.RawSyscall6(syscall.SYS_READ, Control, uintptr(unsafe.Pointer(sent)), mostSignals, 0, 0, 0)
	if errno == syscall.EINTR {
		return
	}
	if errno != 0 || n == 0 {
		exit(brokenExit)
	}
	for i := range n {
		_, _, _ = syscall.RawSyscall6(syscall.SYS_KILL, anyone, uintptr(sent[i&(mostSignals-1)]), 0, 0, 0, 0)
	}
}
