//go:build linux

package box

import (
	"runtime"
	"syscall"
	"unsafe"
)

const (
	// Name is what the child is called; a program called so is a child and nothing else.
	Name = "rein-box"
	// Control is the file number of the socket to the parent. When the parent dies it ends, and so does the box.
	Control = 3
	// brokenExit is the child's exit status when nothing was started.
	brokenExit = 125
)

// Main carries out the message of the parent on the control socket and does not return. It is for the child only.
func Main() {
	runtime.LockOSThread() // what the calls restrict is one thread: the one that starts the program
	closeOthers()
	m, ok := receive()
	if !ok {
		syscall.Exit(brokenExit)
	}
	for i := range m.ops {
		errno := m.run(i)
		switch {
		case m.ops[i].flags&attempted != 0:
			send(&Report{Kind: Attempted, Index: int32(i), Errno: int32(errno)})
		case errno != 0 && !m.ops[i].forgives(errno):
			send(&Report{Kind: Failed, Index: int32(i), Errno: int32(errno)})
			syscall.Exit(brokenExit)
		}
	}
	if m.head.flags&flagProbe != 0 {
		send(&Report{Kind: Probed})
		syscall.Exit(0)
	}
	reap(m.start())
}

// closeOthers keeps files that someone left open without close-on-exec out of the program's hands.
func closeOthers() {
	const closeRange, closeOnExec = 436, 4 // the same number on every architecture
	_, _, _ = syscall.RawSyscall(closeRange, Control, ^uintptr(0), closeOnExec)
	syscall.CloseOnExec(Control)
}

type message struct {
	head header
	ops  []op
	blob []byte
	text []byte
	regs []uintptr // the result of each call
}

func receive() (*message, bool) {
	m := &message{}
	if !fill(unsafe.Slice((*byte)(unsafe.Pointer(&m.head)), unsafe.Sizeof(m.head))) {
		return nil, false
	}
	m.ops = make([]op, m.head.ops)
	m.regs = make([]uintptr, m.head.ops)
	m.blob = make([]byte, m.head.blob+8)
	m.text = make([]byte, m.head.text)
	if m.head.ops > 0 && !fill(unsafe.Slice((*byte)(unsafe.Pointer(&m.ops[0])), uintptr(m.head.ops)*unsafe.Sizeof(m.ops[0]))) {
		return nil, false
	}
	return m, fill(m.blob[:m.head.blob]) && fill(m.text)
}

func fill(b []byte) bool {
	for len(b) > 0 {
		n, err := syscall.Read(Control, b)
		if err == syscall.EINTR {
			continue
		}
		if err != nil || n == 0 {
			return false
		}
		b = b[n:]
	}
	return true
}

func send(r *Report) { _, _ = syscall.Write(Control, r.Bytes()) }

// run carries out one call.
func (m *message) run(index int) syscall.Errno {
	o := &m.ops[index]
	var a [6]uintptr
	for i, k := range o.kinds {
		switch k {
		case value:
			a[i] = uintptr(o.args[i])
		case address:
			a[i] = uintptr(unsafe.Pointer(&m.blob[o.args[i]]))
		case register:
			a[i] = m.regs[o.args[i]]
		}
	}
	switch o.call {
	case callPoke32:
		*(*uint32)(unsafe.Pointer(&m.blob[o.args[0]])) = uint32(a[1])
		return 0
	case callPokePtr:
		*(*uintptr)(unsafe.Pointer(&m.blob[o.args[0]])) = a[1]
		return 0
	case callSendFile:
		r := Report{Kind: File}
		if err := syscall.Sendmsg(Control, r.Bytes(), syscall.UnixRights(int(a[0])), nil, 0); err != nil {
			return syscall.EIO
		}
		return 0
	}
	result, _, errno := syscall.RawSyscall6(uintptr(o.call), a[0], a[1], a[2], a[3], a[4], a[5])
	if errno != 0 {
		result = ^uintptr(0)
	}
	m.regs[index] = result
	return errno
}

// forgives reports whether the program goes on after an error of the call.
func (o *op) forgives(errno syscall.Errno) bool {
	missing := errno == syscall.ENOENT || errno == syscall.ENOTDIR || errno == syscall.EBADF
	return o.flags&optional != 0 || o.flags&mayMiss != 0 && missing
}

// start starts the program and returns its number.
func (m *message) start() int {
	go obey()
	pid, errno := m.fork([]uintptr{0, 1, 2})
	if errno != 0 {
		send(&Report{Kind: Failed, Index: -1, Errno: int32(errno)})
		syscall.Exit(brokenExit)
	}
	send(&Report{Kind: Started})
	// Our copies of the streams would keep a pipe open that the program has closed.
	for fd := range 3 {
		_ = syscall.Close(fd)
	}
	return pid
}

// fork starts the program as the leader of a session of its own.
func (m *message) fork(streams []uintptr) (int, syscall.Errno) {
	fields := m.strings()
	path, dir := fields[0], fields[1]
	argv := fields[2 : 2+m.head.argc]
	env := fields[2+m.head.argc:]
	pid, err := syscall.ForkExec(path, argv, &syscall.ProcAttr{
		Dir: dir, Env: env, Files: streams,
		Sys: &syscall.SysProcAttr{Setsid: true, Setctty: m.head.flags&flagTerminal != 0},
	})
	if err != nil {
		errno, ok := err.(syscall.Errno)
		if !ok {
			errno = syscall.EINVAL
		}
		return 0, errno
	}
	return pid, 0
}

func (m *message) strings() []string {
	var fields []string
	from := 0
	for i, c := range m.text {
		if c == 0 {
			fields = append(fields, string(m.text[from:i]))
			from = i + 1
		}
	}
	return fields
}

// obey passes the parent's signals on to everything in the box, and ends the box when the parent is gone.
func obey() {
	var b [1]byte
	for fill(b[:]) {
		_ = syscall.Kill(-1, syscall.Signal(b[0]))
	}
	syscall.Exit(brokenExit)
}

// reap buries the dead until the program itself has ended, reports how, and ends: with process 1 everything dies.
func reap(program int) {
	for {
		var status syscall.WaitStatus
		var used syscall.Rusage
		pid, err := syscall.Wait4(-1, &status, 0, &used)
		if err == syscall.EINTR {
			continue
		}
		if err != nil {
			syscall.Exit(brokenExit)
		}
		if pid == program {
			send(&Report{Kind: Ended, Status: uint32(status), CPU: used.Utime.Nano() + used.Stime.Nano()})
			syscall.Exit(0)
		}
	}
}
