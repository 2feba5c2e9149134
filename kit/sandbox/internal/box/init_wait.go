//go:build linux && (amd64 || arm64)

package box

import (
	"syscall"
	"unsafe"
)

// How process 1 waits, reaps and ends: see initProcess for the rule of these functions.

// pollFile is a struct pollfd.
type pollFile struct {
	fd             int32
	events, result int16
}

const (
	pollIn = 1
	// reapInterval is how many seconds orphans of a program that continues may stay zombies.
	reapInterval = 1

	clonePidFile = 0x1000 // CLONE_PIDFD
)

// poll waits until the program has ended, or the parent has sent something, which it reports, or, if reaping, a while has
// passed. It ends the process when the supervisor is gone.
//
//go:nosplit
//go:norace
func (p *initProcess) poll(reaping bool) (spoken bool) {
	p.files[0].fd, p.files[1].fd, p.files[2].fd = p.ended, Control, p.lifeline
	for i := range p.files {
		p.files[i].events, p.files[i].result = pollIn, 0
	}
	var errno syscall.Errno
	if reaping {
		_, _, errno = syscall.RawSyscall6(syscall.SYS_PPOLL, uintptr(unsafe.Pointer(&p.files)), uintptr(len(p.files)), uintptr(unsafe.Pointer(&p.second)), 0, 0, 0)
		p.second.Sec, p.second.Nsec = reapInterval, 0 // the kernel leaves there what remained
	} else {
		_, _, errno = syscall.RawSyscall6(syscall.SYS_PPOLL, uintptr(unsafe.Pointer(&p.files)), uintptr(len(p.files)), 0, 0, 0, 0)
	}
	if errno == 0 && p.files[2].result != 0 {
		exit(brokenExit)
	}
	return errno == 0 && p.files[1].result != 0
}

// wait waits for the program's end or the parent's signals, and does what there is to do then.
//
//go:nosplit
//go:norace
//go:noinline
func (p *initProcess) wait() {
	spoken := p.poll(true)
	p.reap()
	if spoken {
		p.passSignals()
	}
}

// reap waits for the processes that have ended. When the program is among them it reports how it ended, and ends.
//
//go:nosplit
//go:norace
//go:noinline
func (p *initProcess) reap() {
	for {
		pid, errno := p.waitAny(syscall.WNOHANG)
		if errno != 0 || pid == 0 {
			return
		}
		if pid == p.program {
			status, cpu := p.status, p.used.Utime.Nano()+p.used.Stime.Nano()
			left := p.endOthers()
			p.write32(0, Ended)
			p.write32(4, 0)
			p.write32(8, 0)
			p.write32(12, status)
			p.write32(16, uint32(cpu))
			p.write32(20, uint32(uint64(cpu)>>32))
			p.write32(24, 0)
			p.write32(28, left)
			p.send()
			exit(0)
		}
	}
}

// waitAny is wait4 for any child.
//
//go:nosplit
//go:norace
func (p *initProcess) waitAny(options uintptr) (int, syscall.Errno) {
	for {
		pid, _, errno := syscall.RawSyscall6(syscall.SYS_WAIT4, ^uintptr(0), uintptr(unsafe.Pointer(&p.status)), options, uintptr(unsafe.Pointer(&p.used)), 0, 0)
		if errno != syscall.EINTR {
			return int(pid), errno
		}
	}
}

const (
	lastWords  = 20        // how often we look whether what the program left behind ends by itself, as the rest of a pipe does
	lookAgain  = 1_000_000 // nanoseconds between two looks
	mostReaped = 1000      // processes that may end meanwhile: a bomb makes new ones
)

// endOthers ends all other processes of the namespace, and returns how many did not end by themselves. Our own end would end them,
// too, but the kernel then takes some milliseconds to take the mounts apart, for which the parent need not wait.
//
//go:nosplit
//go:norace
//go:noinline
func (p *initProcess) endOthers() (left uint32) {
	for looks, reaped := 0, 0; looks < lastWords && reaped < mostReaped; reaped++ {
		pid, errno := p.waitAny(syscall.WNOHANG)
		if errno == syscall.ECHILD {
			break
		}
		if pid == 0 {
			looks++
			raw(syscall.SYS_NANOSLEEP, uintptr(unsafe.Pointer(&p.moment)), 0, 0)
		}
	}
	for {
		if _, errno := raw(syscall.SYS_KILL, ^uintptr(0), uintptr(syscall.SIGKILL), 0); errno == syscall.ESRCH {
			return left
		}
		switch pid, errno := p.waitAny(0); {
		case errno == syscall.ECHILD:
			return left
		case pid > 0:
			left++
		}
	}
}

// passSignals passes the parent's signals on to everything in the namespace, and ends it when the parent is gone.
//
//go:nosplit
//go:norace
func (p *initProcess) passSignals() {
	n, errno := raw(syscall.SYS_READ, Control, uintptr(unsafe.Pointer(&p.sent)), uintptr(len(p.sent)))
	if errno == syscall.EINTR {
		return
	}
	if errno != 0 || n == 0 {
		exit(brokenExit)
	}
	for i := range int(n) {
		raw(syscall.SYS_KILL, ^uintptr(0), uintptr(p.sent[i]), 0)
	}
}
