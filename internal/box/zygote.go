//go:build linux && (amd64 || arm64)

package box

import (
	"syscall"
	"unsafe"
)

// boxes are the boxes of a nursery whose process 1 has not ended.
type boxes struct {
	id      [mostBoxes]uint32
	pid     [mostBoxes]int32 // 0 is a free place
	orphan  bool             // the parent wants no more
	signals int32            // a file that can be read when a child has ended
}

// mostBoxes is how many boxes a nursery has at once.
const mostBoxes = 1024

// scratch is how a nursery uses its memory when its own message is done with.
type scratch struct {
	files   [2]pollFile
	head    fileMessage
	rights  [mostFiles + 4]uintptr
	request Request
	used    syscall.Rusage
	signal  [128]byte
}

// nurse is a nursery: it carries out its message, which makes what all boxes have in common, and then makes boxes. It does
// not return.
//
//go:noinline
//go:nosplit
//go:norace
//go:nocheckptr
func (c *cradle) nurse() {
	c.moveIn()
	// Boxes stay in this session: the scheduler shares the machine among sessions, and each new one waits for its turn.
	_, _, _ = syscall.RawSyscall6(syscall.SYS_SETSID, 0, 0, 0, 0, 0, 0)
	if above, _, _ := syscall.RawSyscall6(syscall.SYS_GETPPID, 0, 0, 0, 0, 0, 0); int(above) != c.parent {
		exit(brokenExit) // the warden was gone before we could be bound to it
	}
	c.message.carryOut()
	tell(&Report{Kind: Probed})
	child := uint64(1) << (syscall.SIGCHLD - 1)
	fd, _, _ := syscall.RawSyscall6(syscall.SYS_SIGNALFD4, ^uintptr(0), uintptr(unsafe.Pointer(&child)), 8, syscall.O_CLOEXEC|syscall.O_NONBLOCK, 0, 0)
	c.boxes.signals = int32(fd)
	for {
		if c.attend() {
			c.first()
		}
	}
}

// attend waits for a request or the end of a box. It returns true in a new box.
//
//go:noinline
//go:nosplit
//go:norace
//go:nocheckptr
func (c *cradle) attend() bool {
	s := (*scratch)(c.message.at(0))
	s.files = [2]pollFile{{fd: c.boxes.signals, events: pollIn}, {fd: Control, events: pollIn}}
	if c.boxes.orphan {
		s.files[1].fd = -1
		if !c.childrenLeft(s) {
			exit(0)
		}
	}
	poll(&s.files, nil)
	asked := s.files[1].result != 0
	if s.files[0].result != 0 {
		_, _, _ = syscall.RawSyscall6(syscall.SYS_READ, uintptr(c.boxes.signals), uintptr(unsafe.Pointer(&s.signal)), unsafe.Sizeof(s.signal), 0, 0, 0)
		c.childrenLeft(s)
	}
	return asked && c.accept(s)
}

// childrenLeft buries the boxes that have ended, says so, and reports whether there are others.
//
//go:noinline
//go:nosplit
//go:norace
//go:nocheckptr
func (c *cradle) childrenLeft(s *scratch) bool {
	var status uint32
	for {
		pid, _, errno := syscall.RawSyscall6(syscall.SYS_WAIT4, anyone, uintptr(unsafe.Pointer(&status)), syscall.WNOHANG, uintptr(unsafe.Pointer(&s.used)), 0, 0)
		if errno != 0 || pid == 0 {
			return errno != syscall.ECHILD
		}
		for i := range c.boxes.pid {
			if c.boxes.pid[i] == int32(pid) {
				c.boxes.pid[i] = 0
				tell(&Report{Kind: Ended, ID: c.boxes.id[i], Status: status})
				break
			}
		}
	}
}

// accept serves a request. It returns true in a new box.
//
//go:noinline
//go:nosplit
//go:norace
//go:nocheckptr
func (c *cradle) accept(s *scratch) bool {
	const closeOnExec = 0x40000000 // MSG_CMSG_CLOEXEC
	h := &s.head
	*h = fileMessage{count: 1, controlSize: unsafe.Sizeof(s.rights)}
	h.part = [2]uintptr{uintptr(unsafe.Pointer(&s.request)), unsafe.Sizeof(s.request)}
	h.parts, h.control = uintptr(unsafe.Pointer(&h.part)), uintptr(unsafe.Pointer(&s.rights))
	n, _, errno := syscall.RawSyscall6(syscall.SYS_RECVMSG, Control, uintptr(unsafe.Pointer(h)), closeOnExec, 0, 0, 0)
	if errno == syscall.EINTR {
		return false
	}
	if errno != 0 || n < unsafe.Sizeof(s.request) {
		c.boxes.orphan = true
		return false
	}
	if s.request.Kind == Signal {
		c.signal(&s.request)
		return false
	}
	const head = 16 // of the rights: their size, level and kind
	if h.controlSize < head+4*4 {
		tell(&Report{Kind: Failed, ID: s.request.ID, Index: -1, Errno: int32(syscall.EBADF)})
		return false
	}
	files := (*[4]int32)(unsafe.Add(unsafe.Pointer(&s.rights), head))
	born := c.bearBox(&s.request, files)
	if !born {
		for _, fd := range files {
			_, _, _ = syscall.RawSyscall6(syscall.SYS_CLOSE, uintptr(fd), 0, 0, 0, 0, 0)
		}
	}
	return born
}

// bearBox forks process 1 of a box. It returns true in this one.
//
//go:noinline
//go:nosplit
//go:norace
//go:nocheckptr
func (c *cradle) bearBox(r *Request, files *[4]int32) bool {
	place := 0
	for place < mostBoxes-1 && c.boxes.pid[place] != 0 {
		place++
	}
	pid, errno := 0, syscall.EAGAIN
	if c.boxes.pid[place] == 0 {
		for i := range c.streams {
			c.streams[i] = int(files[i])
		}
		c.control = int(files[3])
		pid, errno = fork(syscall.CLONE_NEWNS | syscall.CLONE_NEWPID)
	}
	if pid == 0 && errno == 0 {
		return true
	}
	said := Report{Kind: Started, ID: r.ID, Index: int32(pid)}
	if errno != 0 {
		said.Kind, said.Index, said.Errno = Failed, -1, int32(errno)
	} else {
		c.boxes.id[place], c.boxes.pid[place] = r.ID, int32(pid)
	}
	if errno != 0 || r.Flags&Announced != 0 {
		tell(&said)
	}
	return false
}

// signal sends a signal to process 1 of a box; the one that it heeds is SIGKILL, which ends all in the box.
//
//go:noinline
//go:nosplit
//go:norace
//go:nocheckptr
func (c *cradle) signal(r *Request) {
	for i := range c.boxes.pid {
		if c.boxes.id[i] == r.ID && c.boxes.pid[i] != 0 {
			_, _, _ = syscall.RawSyscall6(syscall.SYS_KILL, uintptr(c.boxes.pid[i]), uintptr(r.Signal), 0, 0, 0, 0)
		}
	}
}
