//go:build linux

package box

import (
	"runtime"
	"syscall"
	"unsafe"
)

const (
	// Role is the variable that makes a process of our binary a helper of the sandbox, and nothing else.
	Role = "REIN_SANDBOX_HELPER"
	// RoleBox is the role of process 1 of a box, RoleWarden that of the warden of programs without one.
	RoleBox, RoleWarden = "box", "warden"
	// Control is the file number of the socket to the parent. When the parent dies it ends, and so does the box.
	Control = 3
	// brokenExit is the child's exit status when nothing was started.
	brokenExit = 125
)

// A helper is started for every command, and a hundred packages of the whole binary would first prepare what it never
// uses: 10 ms instead of 1. This package needs little and is prepared among the first, before main's are even begun.
// It also means that a program that embeds the sandbox has nothing to call, and nothing to forget.
func init() {
	switch role, _ := syscall.Getenv(Role); role {
	case RoleBox:
		serveBox()
	case RoleWarden:
		serveWarden()
	}
}

// serveBox carries out the message of the parent on the control socket and does not return.
func serveBox() {
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
	m.start()
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
	id   uint32    // of the run, in a warden
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
		r := Report{Kind: File, ID: m.id}
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

// start starts the program and stays until it has ended.
func (m *message) start() {
	ended := -1
	attr := m.session()
	attr.PidFD = &ended // can be read when the program has ended
	pid, errno := m.fork([]uintptr{0, 1, 2}, attr)
	if errno != 0 {
		send(&Report{Kind: Failed, Index: -1, Errno: int32(errno)})
		syscall.Exit(brokenExit)
	}
	send(&Report{Kind: Started})
	// Our copies of the streams would keep a pipe open that the program has closed.
	for fd := range 3 {
		_ = syscall.Close(fd)
	}
	reap(pid, ended)
}

// session makes the program the leader of a session of its own.
func (m *message) session() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setsid: true, Setctty: m.head.flags&flagTerminal != 0}
}

// fork starts the program.
func (m *message) fork(streams []uintptr, attr *syscall.SysProcAttr) (int, syscall.Errno) {
	fields := m.strings()
	path, dir := fields[0], fields[1]
	argv := fields[2 : 2+m.head.argc]
	env := fields[2+m.head.argc:]
	pid, err := syscall.ForkExec(path, argv, &syscall.ProcAttr{Dir: dir, Env: env, Files: streams, Sys: attr})
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

// pollFile is a struct pollfd.
type pollFile struct {
	fd             int32
	events, result int16
}

const (
	pollIn = 1
	// burialInterval is how long orphans of a program that goes on may lie dead.
	burialInterval = 1
)

// reap waits for the program's end and the parent's word at once, without a second thread, which would cost every
// command a tenth of a millisecond. When process 1 ends, everything in the box dies.
func reap(program, ended int) {
	for {
		files := [2]pollFile{{fd: int32(ended), events: pollIn}, {fd: Control, events: pollIn}}
		wait := syscall.Timespec{Sec: burialInterval}
		_, _, _ = syscall.Syscall6(syscall.SYS_PPOLL, uintptr(unsafe.Pointer(&files)), 2, uintptr(unsafe.Pointer(&wait)), 0, 0, 0)
		bury(program)
		if files[1].result != 0 {
			obey()
		}
	}
}

// bury buries the dead. When the program itself is among them it reports how it ended, and ends.
func bury(program int) {
	for {
		var status syscall.WaitStatus
		var used syscall.Rusage
		pid, err := syscall.Wait4(-1, &status, syscall.WNOHANG, &used)
		if pid == program {
			clear()
			send(&Report{Kind: Ended, Status: uint32(status), CPU: used.Utime.Nano() + used.Stime.Nano()})
			syscall.Exit(0)
		}
		if pid <= 0 || err != nil {
			return
		}
	}
}

// clear ends all other processes of the box. Our own end would do that, too, but takes the kernel some milliseconds to
// take the mounts apart, and the parent need not wait for them.
func clear() {
	for {
		if err := syscall.Kill(-1, syscall.SIGKILL); err == syscall.ESRCH {
			return
		}
		if _, err := syscall.Wait4(-1, nil, 0, nil); err == syscall.ECHILD {
			return
		}
	}
}

// obey passes the parent's signals on to everything in the box, and ends the box when the parent is gone.
func obey() {
	var signals [64]byte
	n, err := syscall.Read(Control, signals[:])
	if n <= 0 && err != syscall.EINTR {
		syscall.Exit(brokenExit)
	}
	for _, sig := range signals[:max(n, 0)] {
		_ = syscall.Kill(-1, syscall.Signal(sig))
	}
}
