//go:build linux

package box

import (
	"runtime"
	"sync"
	"syscall"
	"unsafe"
)

// WardenName is what the warden is called.
const WardenName = "rein-warden"

// Request is what the parent asks of the warden; for Start the program's message follows in the same packet, and its
// three streams come as open files.
type Request struct {
	Kind   uint32
	ID     uint32 // of the run
	Signal uint32
	_      uint32
}

// The kinds of requests.
const (
	Start  = 1 + iota // start a program
	Signal            // send a signal to all processes of a run
)

// RequestSize is the length of a request's head in bytes.
const RequestSize = int(unsafe.Sizeof(Request{}))

// Bytes gives the head as it is sent.
func (r *Request) Bytes() []byte { return unsafe.Slice((*byte)(unsafe.Pointer(r)), RequestSize) }

// LargestRequest is the most that one packet holds.
const LargestRequest = 160 << 10

// Mark is the variable that tells a run's processes apart; its value is the run's number in the life of the warden.
const Mark = "REIN_RUN"

// warden starts programs where there is no process namespace: it adopts whatever they leave behind, and ends it with
// the run, or with the parent.
type warden struct {
	mu   sync.Mutex
	self int
	runs map[int]uint32 // by the number of the run's own process
	born chan struct{}  // has room for one; a child was started
}

// Warden serves the parent until it is gone, kills everything it ever started, and does not return.
func Warden() {
	const setSubreaper, setDumpable = 36, 4
	_, _, _ = syscall.RawSyscall(syscall.SYS_PRCTL, setSubreaper, 1, 0)
	_, _, _ = syscall.RawSyscall(syscall.SYS_PRCTL, setDumpable, 0, 0)
	closeOthers()
	w := &warden{self: syscall.Getpid(), runs: map[int]uint32{}, born: make(chan struct{}, 1)}
	go w.reap()
	packet, rights := make([]byte, LargestRequest), make([]byte, syscall.CmsgSpace(3*4))
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
			go w.start(r.ID, m, files(rights[:oobn]))
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

// start carries out the calls on a thread of its own, which ends with them, and starts the program on it.
func (w *warden) start(id uint32, m *message, streams []int) {
	defer func() {
		for _, fd := range streams {
			_ = syscall.Close(fd)
		}
	}()
	runtime.LockOSThread() // and never unlocked: the thread's restrictions must not come back into the pool
	if len(streams) != 3 {
		send(&Report{Kind: Failed, ID: id, Index: -1, Errno: int32(syscall.EBADF)})
		return
	}
	for i := range m.ops {
		errno := m.run(i)
		switch {
		case m.ops[i].flags&attempted != 0:
			send(&Report{Kind: Attempted, ID: id, Index: int32(i), Errno: int32(errno)})
		case errno != 0 && !m.ops[i].forgives(errno):
			send(&Report{Kind: Failed, ID: id, Index: int32(i), Errno: int32(errno)})
			return
		}
	}
	if m.head.flags&flagProbe != 0 {
		send(&Report{Kind: Probed, ID: id})
		return
	}
	w.mu.Lock() // the reaper must not meet the child before it is known
	defer w.mu.Unlock()
	pid, errno := m.fork([]uintptr{uintptr(streams[0]), uintptr(streams[1]), uintptr(streams[2])})
	if errno != 0 {
		send(&Report{Kind: Failed, ID: id, Index: -1, Errno: int32(errno)})
		return
	}
	w.runs[pid] = id
	send(&Report{Kind: Started, ID: id, Index: int32(pid)})
	select {
	case w.born <- struct{}{}:
	default:
	}
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
		id, ours := w.runs[pid]
		if ours {
			w.sweep(pid, id, syscall.SIGKILL)
			delete(w.runs, pid)
			send(&Report{Kind: Ended, ID: id, Status: uint32(status), CPU: used.Utime.Nano() + used.Stime.Nano()})
		}
		w.mu.Unlock()
	}
}

func (w *warden) signal(id uint32, sig syscall.Signal) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for pid, run := range w.runs {
		if run == id {
			w.sweep(pid, id, sig)
			_ = syscall.Kill(-pid, sig)
		}
	}
}
