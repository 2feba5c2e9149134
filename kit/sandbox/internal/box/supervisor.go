//go:build linux

package box

import (
	"runtime"
	"sync"
	"syscall"
)

// Mark is the environment variable that marks the processes of a run; its value is the run's number in the life of the
// supervisor.
const Mark = "REIN_RUN"

// supervisor starts a session's programs. Programs that have no process namespace may leave processes behind: the
// supervisor adopts these and ends them with the run. When the parent is gone it ends all of them.
type supervisor struct {
	mu   sync.Mutex
	self int
	runs map[int]run   // by the number of the run's own process
	born chan struct{} // has room for one; a child was started

	signals chan Request // for a thread that nothing restricts; closed when the parent is gone

	zygotes  map[uint32]*zygote // used by the serving goroutine only
	null     int                // the null device
	lifeline int                // a pipe that closes when we end
}

type run struct {
	id       uint32
	isolated bool // it has a process namespace
}

// serveSupervisor serves the parent until it is gone, kills everything it ever started, and does not return.
func serveSupervisor() {
	const setSubreaper = 36
	_, _, _ = syscall.RawSyscall(syscall.SYS_PRCTL, setSubreaper, 1, 0)
	hideMemory()
	closeOnExec()
	s := &supervisor{self: syscall.Getpid(), runs: map[int]run{}, born: make(chan struct{}, 1), signals: make(chan Request), zygotes: map[uint32]*zygote{}}
	if err := s.openFiles(); err != nil {
		syscall.Exit(brokenExit)
	}
	go s.reap()
	go s.serve(nil)
	for r := range s.signals {
		s.signal(r.ID, syscall.Signal(r.Signal))
	}
	s.endAll()
	syscall.Exit(0)
}

// openFiles opens the null device and the pipe whose other end only this process has.
func (s *supervisor) openFiles() (err error) {
	if s.null, err = syscall.Open("/dev/null", syscall.O_RDWR|syscall.O_CLOEXEC, 0); err != nil {
		return err
	}
	var pipe [2]int
	err = syscall.Pipe2(pipe[:], syscall.O_CLOEXEC)
	s.lifeline = pipe[0]
	return err
}

// serve carries out the parent's requests on one thread, from the first, if there is one, to the one that wants a thread of
// its own, or to the last. A thread that was served out ends: the goroutine never unlocks it.
func (s *supervisor) serve(first func()) {
	runtime.LockOSThread()
	if first != nil {
		first()
	}
	packet, rights := make([]byte, LargestRequest), make([]byte, syscall.CmsgSpace(mostFiles*4))
	for {
		n, oobn, _, _, err := syscall.Recvmsg(Control, packet, rights, messageCloseOnExec)
		if err == syscall.EINTR {
			continue
		}
		r, ok := decodeRequest(packet[:max(n, 0)])
		if err != nil || !ok {
			close(s.signals)
			return
		}
		files, message := files(rights[:oobn]), packet[RequestSize:n]
		if r.Kind == Start && r.Fresh {
			program, order, ok := decode(message)
			go s.serve(func() { s.start(r, program, order, ok, files) })
			return
		}
		s.obey(r, message, files)
	}
}

// obey carries out one request on this thread.
func (s *supervisor) obey(r Request, message []byte, files []int) {
	z := s.zygotes[r.Zygote]
	switch {
	case r.Kind == Signal:
		s.signals <- r
	case r.Kind == Start:
		program, order, ok := decode(message)
		s.start(r, program, order, ok, files)
		return
	case r.Kind == StartZygote:
		program, _, ok := decode(message)
		if !ok {
			send(Report{Kind: Failed, ID: r.ID, Index: -1, Errno: int32(syscall.EBADMSG)})
			break
		}
		z := &zygote{starts: make(chan initStart)}
		s.zygotes[r.ID] = z
		go z.serve(s, r.ID, program)
	case r.Kind == StartInit && z != nil && len(files) == 1:
		if t := z.template.Load(); t != nil {
			s.begin(r.ID, true, func() (int, error) { return t.start(files[0]) })
			break
		}
		z.starts <- initStart{r.ID, files[0]}
		return // it closes the file
	case r.Kind == EndZygote && z != nil:
		close(z.starts)
		delete(s.zygotes, r.Zygote)
	default:
		send(Report{Kind: Failed, ID: r.ID, Index: -1, Errno: int32(syscall.EBADF)})
	}
	closeAll(files)
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
func (s *supervisor) start(r Request, program *Program, order Order, valid bool, streams []int) {
	defer closeAll(streams)
	if !valid || len(streams) < 3 {
		send(Report{Kind: Failed, ID: r.ID, Index: -1, Errno: int32(syscall.EBADMSG)})
		return
	}
	if _, ok := execute(program, r.ID); !ok {
		return
	}
	if order.Probe {
		send(Report{Kind: Probed, ID: r.ID})
		return
	}
	files := make([]uintptr, len(streams))
	for i, fd := range streams {
		files[i] = uintptr(fd)
	}
	s.begin(r.ID, false, func() (int, error) { return start(order, files) })
}

// begin starts a run's own process and reports its number.
func (s *supervisor) begin(id uint32, isolated bool, fork func() (int, error)) {
	s.mu.Lock() // the reaper must not meet the child before it is known
	defer s.mu.Unlock()
	pid, err := fork()
	if err != nil {
		send(Report{Kind: Failed, ID: id, Index: -1, Errno: errnoOf(err)})
		return
	}
	s.runs[pid] = run{id, isolated}
	send(Report{Kind: Started, ID: id, Index: int32(pid)})
	select {
	case s.born <- struct{}{}:
	default:
	}
}

// reap waits for children that have ended. After a run's own process it ends what the run left behind.
func (s *supervisor) reap() {
	for {
		var status syscall.WaitStatus
		var used syscall.Rusage
		pid, err := syscall.Wait4(-1, &status, 0, &used)
		if err == syscall.ECHILD {
			<-s.born
			continue
		}
		if err != nil {
			continue
		}
		s.mu.Lock()
		r, ours := s.runs[pid]
		if ours {
			var left uint32
			if !r.isolated {
				left = s.sweep(pid, r.id, syscall.SIGKILL)
			}
			delete(s.runs, pid)
			send(Report{Kind: Ended, ID: r.id, Status: uint32(status), CPU: used.Utime.Nano() + used.Stime.Nano(), Left: left})
		}
		s.mu.Unlock()
	}
}

// signal sends a signal to the processes of a run. Of a run with a process namespace that is process 1 alone, which
// heeds only SIGKILL.
func (s *supervisor) signal(id uint32, sig syscall.Signal) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for pid, r := range s.runs {
		switch {
		case r.id != id:
		case r.isolated:
			_ = syscall.Kill(pid, sig)
		default:
			s.sweep(pid, id, sig)
			_ = syscall.Kill(-pid, sig)
		}
	}
}
