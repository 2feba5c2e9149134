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
	// Fresh carries out the calls on a new thread, which serves all that comes after: what the calls restrict is
	// restricted for every later program, and not for the warden's other threads.
	Fresh = 1 << iota
	// Zygote carries out the calls in a new process with mounts of its own, which then serves requests for boxes from a
	// fourth open file. A request to it has a box's three streams and control socket, and no message: process 1 of the
	// box, in process and mount namespaces of its own, reads that from its control socket.
	Zygote
	// Announced tells the number of process 1 of a box when it is born.
	Announced
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

// mostFiles is how many open files come with a request at most: three streams, a control socket, a program, groups.
const mostFiles = 8

// LargestRequest is the most that one packet holds.
const LargestRequest = 160 << 10

// Mark is the variable that tells a run's processes apart; its value is the run's number in the life of the warden.
const Mark = "REIN_RUN"

// supervisor starts a session's programs. Where they have no process namespace it adopts whatever they leave behind, and
// ends it with the run; in any case it ends all of them with the parent.
type supervisor struct {
	mu   sync.Mutex
	self int
	runs map[int]run   // by the number of the run's own process
	born chan struct{} // has room for one; a child was started

	signals chan Request // for a thread that nothing restricts; closed when the parent is gone
}

type run struct {
	id       uint32
	isolated bool
}

// serveSupervisor serves the parent until it is gone, kills everything it ever started, and does not return.
func serveSupervisor() {
	const setSubreaper, setDumpable = 36, 4
	_, _, _ = syscall.RawSyscall(syscall.SYS_PRCTL, setSubreaper, 1, 0)
	_, _, _ = syscall.RawSyscall(syscall.SYS_PRCTL, setDumpable, 0, 0)
	closeOthers()
	w := &supervisor{self: syscall.Getpid(), runs: map[int]run{}, born: make(chan struct{}, 1), signals: make(chan Request)}
	go w.reap()
	go w.serve(nil)
	for r := range w.signals {
		w.signal(r.ID, syscall.Signal(r.Signal))
	}
	w.endAll()
	syscall.Exit(0)
}

// serve carries out the parent's requests on one thread, from the first, if there is one, to the one that asks for a
// thread of its own, or to the last. A thread that was served out ends: the goroutine never unlocks it.
func (w *supervisor) serve(first func()) {
	runtime.LockOSThread()
	if first != nil {
		first()
	}
	packet, rights := make([]byte, LargestRequest), make([]byte, syscall.CmsgSpace(mostFiles*4))
	for {
		n, oobn, _, _, err := syscall.Recvmsg(Control, packet, rights, 0x40000000) // close on exec
		if err == syscall.EINTR {
			continue
		}
		if err != nil || n < RequestSize {
			close(w.signals)
			return
		}
		r := *(*Request)(unsafe.Pointer(&packet[0]))
		streams := files(rights[:oobn])
		switch {
		case r.Kind == Signal:
			w.signals <- r
		case r.Flags&Fresh != 0:
			m := decode(packet[RequestSize:n])
			go w.serve(func() { w.start(r, m, streams) })
			return
		case r.Flags&Zygote != 0:
			w.zygote(r, packet[RequestSize:n], streams)
		default:
			w.start(r, decode(packet[RequestSize:n]), streams)
		}
	}
}

func files(rights []byte) []int {
	messages, err := syscall.ParseSocketControlMessage(rights)
	if err != nil || len(messages) == 0 {
		return nil
	}
	fds, _ := syscall.ParseUnixRights(&messages[0])
	return fds
}

// start carries out the calls and starts the program.
func (w *supervisor) start(r Request, m *message, streams []int) {
	defer closeAll(streams)
	if len(streams) < 3 {
		send(&Report{Kind: Failed, ID: r.ID, Index: -1, Errno: int32(syscall.EBADF)})
		return
	}
	m.id = r.ID
	for i := range m.ops {
		errno := m.do(i)
		switch o := m.op(i); {
		case o.flags&attempted != 0:
			send(&Report{Kind: Attempted, ID: r.ID, Index: int32(i), Errno: int32(errno)})
		case errno != 0 && !o.forgives(errno):
			send(&Report{Kind: Failed, ID: r.ID, Index: int32(i), Errno: int32(errno)})
			return
		}
	}
	if m.flags&flagProbe != 0 {
		send(&Report{Kind: Probed, ID: r.ID, Status: m.last()})
		return
	}
	w.begin(r, func() (int, syscall.Errno) { return m.fork(streams) })
}

func closeAll(files []int) {
	for _, fd := range files {
		_ = syscall.Close(fd)
	}
}

// zygote starts the process that boxes are made in.
func (w *supervisor) zygote(r Request, packet []byte, files []int) {
	defer closeAll(files)
	c, errno := newCradle(packet)
	if len(files) < 4 {
		errno = syscall.EBADF
	}
	if errno != 0 {
		send(&Report{Kind: Failed, ID: r.ID, Index: -1, Errno: int32(errno)})
		return
	}
	defer c.free()
	copy(c.streams[:], files)
	c.control = files[3]
	w.begin(r, c.bear)
}

// begin starts a run's own process and tells the parent.
func (w *supervisor) begin(r Request, fork func() (int, syscall.Errno)) {
	w.mu.Lock() // the reaper must not meet the child before it is known
	defer w.mu.Unlock()
	pid, errno := fork()
	if errno != 0 {
		send(&Report{Kind: Failed, ID: r.ID, Index: -1, Errno: int32(errno)})
		return
	}
	w.runs[pid] = run{r.ID, r.Flags&Zygote != 0}
	send(&Report{Kind: Started, ID: r.ID, Index: int32(pid)})
	select {
	case w.born <- struct{}{}:
	default:
	}
}

// fork starts the program where we are.
func (m *message) fork(streams []int) (int, syscall.Errno) {
	fields, files := m.strings(), make([]uintptr, len(streams))
	for i, fd := range streams {
		files[i] = uintptr(fd)
	}
	argv, env := fields[2:2+m.argc], fields[2+m.argc:]
	attr := &syscall.SysProcAttr{Setsid: true, Setctty: m.flags&flagTerminal != 0}
	pid, err := syscall.ForkExec(fields[0], argv, &syscall.ProcAttr{Dir: fields[1], Env: env, Files: files, Sys: attr})
	if err == nil {
		return pid, 0
	}
	if errno, ok := err.(syscall.Errno); ok {
		return 0, errno
	}
	return 0, syscall.EINVAL
}

// reap buries the dead, and when a run's own process is among them ends what it left behind.
func (w *supervisor) reap() {
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

func (w *supervisor) signal(id uint32, sig syscall.Signal) {
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
