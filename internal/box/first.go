//go:build linux && (amd64 || arm64)

package box

import (
	"runtime"
	"syscall"
	"unsafe"
)

// A nursery is a fork of the warden, and process 1 of a box is a fork of its nursery. They execute nothing: that is 0.1 ms,
// where starting our binary again costs 0.8. In them Go's runtime is dead: its other threads, its locks and its collector
// stayed behind. What follows is therefore written for a machine without one, as package syscall writes what runs between
// fork and exec: no allocation, no stack that grows, no pointer of Go's stored, no signal caught; only system calls, on
// memory that was made before. That the stack suffices is checked when the binary is linked (nosplit).

// cradle is what the warden prepares for a nursery, and what this one and its boxes work with.
type cradle struct {
	message *message // at the start of the memory; after a nursery's calls, that is its scratch memory
	memory  []byte
	streams [3]int
	control int
	parent  int // the warden
	birth   spawned
	boxes   boxes
	wait    func(files *[2]pollFile, most *syscall.Timespec) // until one of them can be read
}

const (
	// cradleSize is the largest message with what it needs behind it.
	cradleSize = 4 << 20
	setMask    = 2 // SIG_SETMASK
	lastSignal = 64
	// brokenExit is the exit status when nothing was started.
	brokenExit = 125
)

// newCradle makes a cradle with a message in it. Its memory is outside of Go's: what is not used costs nothing.
func newCradle(packet []byte) (*cradle, syscall.Errno) {
	memory, err := syscall.Mmap(-1, 0, cradleSize, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_PRIVATE|syscall.MAP_ANON)
	if err != nil {
		return nil, syscall.ENOMEM
	}
	copy(memory, packet)
	return &cradle{message: (*message)(unsafe.Pointer(&memory[0])), memory: memory, parent: syscall.Getpid(), birth: spawned{streams: [3]int{0, 1, 2}}, wait: poll}, 0
}

// free gives the memory back in the process that does not need it.
func (c *cradle) free() { _ = syscall.Munmap(c.memory) }

// bear forks a nursery. Signals are blocked in it, and in all its boxes, for ever: their handlers are Go's.
//
//go:noinline
//go:nosplit
//go:norace
//go:nocheckptr
func (c *cradle) bear() (int, syscall.Errno) {
	c.blockSignals()
	pid, errno := fork(syscall.CLONE_NEWNS)
	if pid == 0 && errno == 0 {
		c.nurse()
	}
	_, _, _ = syscall.RawSyscall6(syscall.SYS_RT_SIGPROCMASK, setMask, uintptr(unsafe.Pointer(&c.birth.mask)), 0, 8, 0, 0)
	return pid, errno
}

// blockSignals blocks all signals and notes which were blocked before.
//
//go:nosplit
//go:norace
//go:nocheckptr
func (c *cradle) blockSignals() {
	all := ^uint64(0)
	_, _, _ = syscall.RawSyscall6(syscall.SYS_RT_SIGPROCMASK, setMask, uintptr(unsafe.Pointer(&all)), uintptr(unsafe.Pointer(&c.birth.mask)), 8, 0, 0)
}

// fork returns twice, like the system call.
//
//go:nosplit
//go:norace
func fork(namespaces uintptr) (int, syscall.Errno) {
	pid, _, errno := syscall.RawSyscall6(syscall.SYS_CLONE, namespaces|uintptr(syscall.SIGCHLD), 0, 0, 0, 0, 0)
	return int(pid), errno
}

// serveBox is process 1 of a box in which our binary was started: its runtime lives, and may sleep while we wait.
func serveBox() {
	enterGroups()
	runtime.LockOSThread() // what the calls restrict is one thread: the one that starts the program
	c, errno := newCradle(nil)
	if errno != 0 {
		syscall.Exit(brokenExit)
	}
	c.streams, c.control = [3]int{0, 1, 2}, Control
	c.wait = func(files *[2]pollFile, most *syscall.Timespec) {
		_, _, _ = syscall.Syscall6(syscall.SYS_PPOLL, uintptr(unsafe.Pointer(files)), 2, uintptr(unsafe.Pointer(most)), 0, 0, 0)
	}
	c.blockSignals()
	c.first()
}

// first is process 1. It does not return.
//
//go:noinline
//go:nosplit
//go:norace
//go:nocheckptr
func (c *cradle) first() {
	c.moveIn()
	m := c.message
	m.receive()
	m.carryOut()
	m.point()
	if errno := m.spawn(&c.birth); errno != 0 {
		fail(-1, errno)
	}
	tell(&Report{Kind: Started})
	// Our copies of the streams would keep a pipe open that the program has closed.
	for fd := range uintptr(Control) {
		_, _, _ = syscall.RawSyscall6(syscall.SYS_CLOSE, fd, 0, 0, 0, 0, 0)
	}
	for {
		c.reap()
	}
}

// moveIn binds us to our parent's life, and leaves nothing open that was the parent's but what is ours, in its place, and
// none of its signal handlers.
//
//go:noinline
//go:nosplit
//go:norace
//go:nocheckptr
func (c *cradle) moveIn() {
	_, _, _ = syscall.RawSyscall6(syscall.SYS_PRCTL, syscall.PR_SET_PDEATHSIG, uintptr(syscall.SIGKILL), 0, 0, 0, 0)
	for i := range c.streams {
		_, _, _ = syscall.RawSyscall6(syscall.SYS_DUP3, uintptr(c.streams[i]), uintptr(i), 0, 0, 0, 0)
	}
	_, _, _ = syscall.RawSyscall6(syscall.SYS_DUP3, uintptr(c.control), Control, syscall.O_CLOEXEC, 0, 0, 0)
	_, _, _ = syscall.RawSyscall6(syscall.SYS_FCNTL, Control, syscall.F_SETFD, syscall.FD_CLOEXEC, 0, 0, 0)
	_, _, _ = syscall.RawSyscall6(callCloseRange, Control+1, Kept-1, 0, 0, 0, 0)
	_, _, _ = syscall.RawSyscall6(callCloseRange, Kept+1, lastFile, 0, 0, 0, 0)
	resetSignals()
}

const lastFile = 1<<32 - 1

// receive reads the message from the control socket.
//
//go:noinline
//go:nosplit
//go:norace
//go:nocheckptr
func (m *message) receive() {
	fill(m.at(0), headSize)
	if m.size() > cradleSize {
		fail(-1, syscall.E2BIG)
	}
	fill(m.at(headSize), m.sent())
}

// fill reads from the control socket until the memory is full. It ends us when the parent is gone.
//
//go:nosplit
//go:norace
//go:nocheckptr
func fill(at unsafe.Pointer, n uintptr) {
	for n > 0 {
		got, _, errno := syscall.RawSyscall6(syscall.SYS_READ, Control, uintptr(at), n, 0, 0, 0)
		if errno == syscall.EINTR {
			continue
		}
		if errno != 0 || got == 0 {
			exit(brokenExit)
		}
		at, n = unsafe.Add(at, got), n-got
	}
}

// carryOut carries out the calls.
//
//go:noinline
//go:nosplit
//go:norace
//go:nocheckptr
func (m *message) carryOut() {
	for i := range m.ops {
		errno := m.do(i)
		switch o := m.op(i); {
		case o.flags&attempted != 0:
			tell(&Report{Kind: Attempted, Index: int32(i), Errno: int32(errno)})
		case errno != 0 && !o.forgives(errno):
			fail(int32(i), errno)
		}
	}
	if m.flags&flagProbe != 0 {
		tell(&Report{Kind: Probed})
		exit(0)
	}
}

// tell reports to the parent.
//
//go:noinline
//go:nosplit
//go:norace
//go:nocheckptr
func tell(r *Report) {
	_, _, _ = syscall.RawSyscall6(syscall.SYS_WRITE, Control, uintptr(unsafe.Pointer(r)), unsafe.Sizeof(*r), 0, 0, 0)
}

//go:noinline
//go:nosplit
//go:norace
func fail(index int32, errno syscall.Errno) {
	tell(&Report{Kind: Failed, Index: index, Errno: int32(errno)})
	exit(brokenExit)
}

//go:noinline
//go:nosplit
//go:norace
func exit(status uintptr) {
	for {
		_, _, _ = syscall.RawSyscall6(syscall.SYS_EXIT_GROUP, status, 0, 0, 0, 0, 0)
	}
}
