//go:build linux

package box

import (
	"runtime"
	"sync"
	"syscall"
	"unsafe"
)

// Request is what the parent asks of the warden; for Start the program's message follows in the same packet, and its
// three streams come as open files.
type Request struct {
	Kind   uint32
	ID     uint32 // of the run
	Signal uint32
	Flags  uint32
}

// The flags of requests.
const (
	// Isolate starts the program as process 1 of a process and a mount namespace of its own, with a fourth open file
	// as its control socket. The kernel then keeps anything from surviving it.
	Isolate = 1 << iota
	// Restricted carries out the calls, and starts the program, on one thread that is kept for it: what restricts it
	// is put on once, and every program that starts there has it on.
	Restricted
)

// The kinds of requests.
const (
	Start  = 1 + iota // start a program
	Signal            // send a signal to all processes of a run
)

// RequestSize is the length of a request's head in bytes.
const RequestSize = int(unsafe.Sizeof(Request{}))

// Bytes gives the head as it is sent.
func (r *Request) Bytes() []byte { return unsafe.Slice((*byte)(unsafe.Pointer(r)), RequestSize) }

// mostFiles is how many open files come with a request at most: three streams, a control socket, a program.
const mostFiles = 5

// LargestRequest is the most that one packet holds.
const LargestRequest = 160 << 10

// Mark is the variable that tells a run's processes apart; its value is the run's number in the life of the warden.
const Mark = "REIN_RUN"

// warden starts programs where there is no process namespace: it adopts whatever they leave behind, and ends it with
// the run, or with the parent.
type warden struct {
	mu   sync.Mutex
	self int
	runs map[int]run   // by the number of the run's own process
	born chan struct{} // has room for one; a child was started

	walled chan func() // work for the restricted thread; nil until there is some
}

type run struct {
	id       uint32
	isolated bool
}

// serveWarden serves the parent until it is gone, kills everything it ever started, and does not return.
func serveWarden() {
	const setSubreaper, setDumpable = 36, 4
	_, _, _ = syscall.RawSyscall(syscall.SYS_PRCTL, setSubreaper, 1, 0)
	_, _, _ = syscall.RawSyscall(syscall.SYS_PRCTL, setDumpable, 0, 0)
	closeOthers()
	w := &warden{self: syscall.Getpid(), runs: map[int]run{}, born: make(chan struct{}, 1)}
	go w.reap()
	packet, rights := make([]byte, LargestRequest), make([]byte, syscall.CmsgSpace(mostFiles*4))
	for {
		n, oobn, _, _, err := syscall.Recvmsg(Control, packet, rights, 0x40000000) // close on exec
		if err == syscall.EINTR {
			continue
		}
		if err != nil || n < RequestSize {
			break
		}
		r := *(*Request)(unsafe.Pointer(&packet[0]))
		switch r.Kind {
		case Start:
			m := decode(append([]byte(nil), packet[RequestSize:n]...))
			m.id = r.ID
			w.begin(r, m, files(rights[:oobn]))
		case Signal:
			w.signal(r.ID, syscall.Signal(r.Signal))
		}
	}
	w.endAll()
	syscall.Exit(0)
}

func files(rights []byte) []int {
	messages, err := syscall.ParseSocketControlMessage(rights)
	if err != nil || len(messages) == 0 {
		return nil
	}
	fds, _ := syscall.ParseUnixRights(&messages[0])
	return fds
}

// decode reads a message from memory. It comes from our own parent, whole.
func decode(b []byte) *message {
	m := &message{}
	head := unsafe.Slice((*byte)(unsafe.Pointer(&m.head)), unsafe.Sizeof(m.head))
	b = b[copy(head, b):]
	m.ops, m.regs = make([]op, m.head.ops), make([]uintptr, m.head.ops)
	if m.head.ops > 0 {
		b = b[copy(unsafe.Slice((*byte)(unsafe.Pointer(&m.ops[0])), uintptr(m.head.ops)*unsafe.Sizeof(m.ops[0])), b):]
	}
	m.blob = make([]byte, m.head.blob+8)
	b = b[copy(m.blob[:m.head.blob], b):]
	m.text = b
	return m
}

// begin starts a program here, or on the restricted thread.
func (w *warden) begin(r Request, m *message, streams []int) {
	if r.Flags&Restricted == 0 {
		w.start(r, m, streams)
		return
	}
	if w.walled == nil {
		w.walled = make(chan func()) // its receiver is the one goroutine that stays on the thread
		go func() {
			runtime.LockOSThread() // and never unlocked
			for work := range w.walled {
				work()
			}
		}()
	}
	w.walled <- func() { w.start(r, m, streams) }
}

// start carries out the calls and starts the program.
func (w *warden) start(r Request, m *message, streams []int) {
	defer func() {
		for _, fd := range streams {
			_ = syscall.Close(fd)
		}
	}()
	if len(streams) < 3 {
		send(&Report{Kind: Failed, ID: r.ID, Index: -1, Errno: int32(syscall.EBADF)})
		return
	}
	for i := range m.ops {
		errno := m.run(i)
		switch {
		case m.ops[i].flags&attempted != 0:
			send(&Report{Kind: Attempted, ID: r.ID, Index: int32(i), Errno: int32(errno)})
		case errno != 0 && !m.ops[i].forgives(errno):
			send(&Report{Kind: Failed, ID: r.ID, Index: int32(i), Errno: int32(errno)})
			return
		}
	}
	if m.head.flags&flagProbe != 0 {
		send(&Report{Kind: Probed, ID: r.ID, Status: m.last()})
		return
	}
	w.fork(r, m, streams)
}

func (w *warden) fork(r Request, m *message, streams []int) {
	attr := m.session()
	if r.Flags&Isolate != 0 {
		attr.Cloneflags = syscall.CLONE_NEWNS | syscall.CLONE_NEWPID
	}
	files := make([]uintptr, len(streams))
	for i, fd := range streams {
		files[i] = uintptr(fd)
	}
	w.mu.Lock() // the reaper must not meet the child before it is known
	defer w.mu.Unlock()
	pid, errno := m.fork(files, attr)
	if errno != 0 {
		send(&Report{Kind: Failed, ID: r.ID, Index: -1, Errno: int32(errno)})
		return
	}
	w.runs[pid] = run{r.ID, r.Flags&Isolate != 0}
	send(&Report{Kind: Started, ID: r.ID, Index: int32(pid)})
	select {
	case w.born <- struct{}{}:
	default:
	}
}

// last is the result of the last call: the parent may want an open file that stays here.
func (m *message) last() uint32 {
	if len(m.regs) == 0 {
		return 0
	}
	return uint32(m.regs[len(m.regs)-1])
}

// reap buries the dead, and when a run's own process is among them ends what it left behind.
func (w *warden) reap() {
	for {
		var status syscall.WaitStatus
		var used syscall.Rusage
		pid, err := syscall.Wait4(-1, &status, 0, &used)
		if err == syscall.ECHILD {
			<-w.born
			continue
		}
		if err != nil {
			continue
		}
		w.mu.Lock()
		r, ours := w.runs[pid]
		if ours {
			if !r.isolated {
				w.sweep(pid, r.id, syscall.SIGKILL)
			}
			delete(w.runs, pid)
			send(&Report{Kind: Ended, ID: r.id, Status: uint32(status), CPU: used.Utime.Nano() + used.Stime.Nano()})
		}
		w.mu.Unlock()
	}
}

func (w *warden) signal(id uint32, sig syscall.Signal) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for pid, r := range w.runs {
		if r.id != id {
			continue
		}
		if !r.isolated {
			w.sweep(pid, id, sig)
		}
		_ = syscall.Kill(-pid, sig)
	}
}
