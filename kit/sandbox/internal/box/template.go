//go:build linux && (amd64 || arm64)

package box

import (
	"runtime"
	"syscall"
	"unsafe"
)

// template is a process that does nothing but to fork: process 1 of a program is a copy of it, and costs a fortieth of the time that it takes to
// execute our binary again. It is itself a fork of a zygote's thread, with the mounts of the zygote, and with no file but those that
// process 1 has. See initProcess for the rule of the functions that it runs.
type template struct {
	socket  int // ours: a packet with a control socket goes in, a process number comes out
	process *initProcess

	// The memory of system calls.
	files      [6]uintptr // by the number that they get
	first      cloneArgs  // of the template
	second     cloneArgs  // of process 1
	pid        uint64
	name       [2][16]byte
	root       [2]byte
	controlled uintptr
	unused     [96]span // memory that it gives up
}

// cloneArgs is struct clone_args as far as its first version goes.
type cloneArgs struct {
	flags, pidFile, child, parent, exit, stack, stackSize, tls uint64
}

const (
	callClone3     = 435 // the same number on every architecture, as close_range
	cloneClear     = 0x100000000
	setName        = 15 // PR_SET_NAME
	aboveAll       = 64 // a number above all that process 1 has
	duplicateAbove = 1030
)

// newTemplate forks a template from this thread. kept, the null device and the lifeline are the files of each process 1.
func newTemplate(null, kept, lifelineFile int) (*template, error) {
	pair, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_SEQPACKET|syscall.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	t := &template{socket: pair[0], root: [2]byte{'/'}}
	if t.process, err = newInit(lifeline); err != nil {
		closeAll(pair[:])
		return nil, err
	}
	defer t.process.free()
	copy(t.name[0][:], "rein-zygote")
	copy(t.name[1][:], "rein-init")
	n := uintptr(null)
	t.files = [6]uintptr{n, n, n, Control: uintptr(pair[1]), Kept: uintptr(kept), lifeline: uintptr(lifelineFile)}
	t.first = cloneArgs{flags: cloneClear, exit: uint64(syscall.SIGCHLD)}
	t.second = cloneArgs{flags: syscall.CLONE_NEWNS | syscall.CLONE_NEWPID | syscall.CLONE_PARENT}
	copy(t.unused[:], t.spare())
	syscall.ForkLock.Lock()
	errno := t.fork()
	syscall.ForkLock.Unlock()
	runtime.KeepAlive(t)
	_ = syscall.Close(pair[1])
	if errno == 0 {
		if pid, err := t.answer(); err == nil && pid == 0 {
			return t, nil
		}
		errno = syscall.EPIPE
	}
	_ = syscall.Close(t.socket)
	return nil, errno
}

// start makes process 1 of new namespaces, which gets the socket, and returns its number.
func (t *template) start(control int) (int, error) {
	if err := syscall.Sendmsg(t.socket, []byte{0}, syscall.UnixRights(control), nil, syscall.MSG_NOSIGNAL); err != nil {
		return 0, err
	}
	return t.answer()
}

// answer reads a process number, or an error.
func (t *template) answer() (int, error) {
	var b [8]byte
	for {
		n, err := syscall.Read(t.socket, b[:])
		switch {
		case err == syscall.EINTR:
			continue
		case err != nil:
			return 0, err
		case n != len(b):
			return 0, syscall.EPIPE
		}
		pid := int64((&reader{rest: b[:]}).u64())
		if pid < 0 {
			return 0, syscall.Errno(-pid)
		}
		return int(pid), nil
	}
}

// close ends the template. What was started goes on.
func (t *template) close() { _ = syscall.Close(t.socket) }

// fork makes the template.
//
//go:nosplit
//go:norace
//go:noinline
func (t *template) fork() syscall.Errno {
	pid, errno := raw(callClone3, uintptr(unsafe.Pointer(&t.first)), unsafe.Sizeof(t.first), 0)
	if errno == 0 && pid == 0 {
		t.serve()
		t.process.serve()
	}
	return errno
}

// serve is the life of the template. It returns in process 1.
//
//go:nosplit
//go:norace
//go:noinline
func (t *template) serve() {
	raw(syscall.SYS_PRCTL, setName, uintptr(unsafe.Pointer(&t.name[0])), 0)
	for i, fd := range t.files {
		high, errno := raw(syscall.SYS_FCNTL, fd, duplicateAbove, aboveAll)
		if errno != 0 {
			exit(brokenExit)
		}
		t.files[i] = high
	}
	for i, fd := range t.files {
		if _, errno := raw(syscall.SYS_DUP3, fd, uintptr(i), 0); errno != 0 {
			exit(brokenExit)
		}
	}
	if _, errno := raw(callCloseRange, uintptr(len(t.files)), ^uintptr(0), 0); errno != 0 {
		exit(brokenExit)
	}
	if _, errno := raw(syscall.SYS_CHDIR, uintptr(unsafe.Pointer(&t.root)), 0, 0); errno != 0 {
		exit(brokenExit)
	}
	t.forget()
	for {
		t.reply() // the first says that the template is there
		t.receive()
		pid, errno := raw(callClone3, uintptr(unsafe.Pointer(&t.second)), unsafe.Sizeof(t.second), 0)
		if errno == 0 && pid == 0 {
			t.become()
			return
		}
		raw(syscall.SYS_CLOSE, t.controlled, 0, 0)
		t.pid = uint64(pid)
		if errno != 0 {
			t.pid = -uint64(errno)
		}
	}
}

// forget gives memory up, but not the stack.
//
//go:nosplit
//go:norace
//go:noinline
func (t *template) forget() {
	here := uintptr(0)
	here = uintptr(unsafe.Pointer(&here)) &^ (pageSize - 1)
	low, high := here-pageSize, here+2*pageSize
	for i := range t.unused {
		s := &t.unused[i]
		if s.from < low && s.from < s.to {
			raw(syscall.SYS_MUNMAP, s.from, min(s.to, low)-s.from, 0)
		}
		if s.to > high {
			raw(syscall.SYS_MUNMAP, max(s.from, high), s.to-max(s.from, high), 0)
		}
	}
}

// reply sends the number of the last process.
//
//go:nosplit
//go:norace
func (t *template) reply() {
	raw(syscall.SYS_WRITE, Control, uintptr(unsafe.Pointer(&t.pid)), wordSize)
}

// receive waits for a control socket, or ends with the zygote.
//
//go:nosplit
//go:norace
func (t *template) receive() {
	p := t.process
	for {
		p.parts[0].Len, p.in.Controllen = 1, rightsSize
		n, errno := raw(syscall.SYS_RECVMSG, Control, uintptr(unsafe.Pointer(&p.in)), messageCloseOnExec)
		if errno == syscall.EINTR {
			continue
		}
		if errno != 0 || n != 1 || p.in.Controllen < syscall.SizeofCmsghdr+4 {
			exit(brokenExit)
		}
		t.controlled = uintptr(fileNumber(&p.rights[0], 0))
		return
	}
}

// become gives process 1 its name and its files.
//
//go:nosplit
//go:norace
func (t *template) become() {
	raw(syscall.SYS_PRCTL, setName, uintptr(unsafe.Pointer(&t.name[1])), 0)
	if _, errno := raw(syscall.SYS_DUP3, t.controlled, Control, 0); errno != 0 {
		exit(brokenExit)
	}
	raw(callCloseRange, uintptr(len(t.files)), ^uintptr(0), 0)
}
