//go:build linux && (amd64 || arm64)

package box

import (
	"syscall"
	"unsafe"
)

// spawned is a program that is being started.
type spawned struct {
	streams [3]int
	mask    uint64 // the signals that it starts with blocked
	pid     int
	ended   int32 // a file that can be read when the program has ended
	errno   syscall.Errno
}

// point makes the pointers to the arguments and the environment.
//
//go:noinline
//go:nosplit
//go:norace
//go:nocheckptr
func (m *message) point() {
	field, from, slot := uint32(0), uint32(0), m.ops
	for i := range m.text {
		if *(*byte)(m.textAt(i)) != 0 {
			continue
		}
		if field >= 2 { // after the path and the directory
			*m.word(slot) = uintptr(m.textAt(from))
			slot++
			if field == m.argc+1 {
				*m.word(slot) = 0
				slot++
			}
		}
		field, from = field+1, i+1
	}
	*m.word(slot) = 0
}

// spawn starts the program. The caller has made the pointers, blocked all signals and taken Go's handlers away.
//
//go:nosplit
//go:norace
//go:nocheckptr
func (m *message) spawn(s *spawned) syscall.Errno {
	pid := m.spawnChild(s)
	if pid > ^uintptr(4095) {
		return syscall.Errno(-pid)
	}
	s.pid = int(pid)
	return s.errno
}

// spawnChild is a function of its own because the child uses its parent's stack: it must not return from here.
//
//go:noinline
//go:nosplit
//go:norace
//go:nocheckptr
func (m *message) spawnChild(s *spawned) uintptr {
	const pidFile = 0x1000 // CLONE_PIDFD
	pid := vfork(syscall.CLONE_VFORK|syscall.CLONE_VM|pidFile|uintptr(syscall.SIGCHLD), &s.ended)
	if pid == 0 {
		s.errno = m.become(s)
		exit(brokenExit)
	}
	return pid
}

// become turns the child into the program. It returns only when that fails.
//
//go:noinline
//go:nosplit
//go:norace
//go:nocheckptr
func (m *message) become(s *spawned) syscall.Errno {
	_, _, errno := syscall.RawSyscall6(syscall.SYS_SETSID, 0, 0, 0, 0, 0, 0)
	if errno == 0 && m.flags&flagTerminal != 0 {
		_, _, errno = syscall.RawSyscall6(syscall.SYS_IOCTL, 0, syscall.TIOCSCTTY, 1, 0, 0, 0)
	}
	if errno == 0 {
		_, _, errno = syscall.RawSyscall6(syscall.SYS_CHDIR, uintptr(m.textAt(m.dir())), 0, 0, 0, 0, 0)
	}
	if errno == 0 {
		_, _, errno = syscall.RawSyscall6(syscall.SYS_RT_SIGPROCMASK, setMask, uintptr(unsafe.Pointer(&s.mask)), 0, 8, 0, 0)
	}
	if errno == 0 {
		argv, env := m.word(m.ops), m.word(m.ops+m.argc+1)
		_, _, errno = syscall.RawSyscall6(syscall.SYS_EXECVE, uintptr(m.textAt(0)), uintptr(unsafe.Pointer(argv)), uintptr(unsafe.Pointer(env)), 0, 0, 0)
	}
	return errno
}

// dir is where the text has the directory: behind the path.
//
//go:nosplit
//go:norace
//go:nocheckptr
func (m *message) dir() uint32 {
	i := uint32(0)
	for *(*byte)(m.textAt(i)) != 0 {
		i++
	}
	return i + 1
}

// resetSignals takes the handlers away, which are Go's; what is ignored stays ignored.
//
//go:noinline
//go:nosplit
//go:norace
//go:nocheckptr
func resetSignals() {
	var action [4]uintptr // handler, flags, restorer, mask: no architecture has more
	at := uintptr(unsafe.Pointer(&action))
	for sig := uintptr(1); sig <= lastSignal; sig++ {
		_, _, errno := syscall.RawSyscall6(syscall.SYS_RT_SIGACTION, sig, 0, at, 8, 0, 0)
		if errno != 0 || action[0] <= 1 {
			continue
		}
		action = [4]uintptr{}
		_, _, _ = syscall.RawSyscall6(syscall.SYS_RT_SIGACTION, sig, at, 0, 8, 0, 0)
	}
}

// vfork is clone for a child that borrows our memory and our stack until it executes a program or ends. It returns
// twice: 0 in the child, and in the parent the child's number or an error as the kernel gives it.
//
//go:noescape
func vfork(flags uintptr, pidFile *int32) uintptr
