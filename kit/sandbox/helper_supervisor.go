//go:build linux

package sandbox

import (
	"runtime"
	"sync"
	"syscall"
)

// runMark is the environment variable that marks the processes of a run; its value is the run's number in the life of the
// supervisor.
const runMark = "REIN_RUN"

// supervisorProcess starts a session's programs. Programs that have no process namespace may leave processes behind: the
// supervisorProcess adopts these and ends them with the run. When the parent is gone it ends all of them.
type supervisorProcess struct {
	mu   sync.Mutex
	self int
	runs map[int]supervisedRun // by the number of the run's own process
	born chan struct{}         // has room for one; a child was started

	signals chan helperRequest // for a thread that nothing restricts; closed when the parent is gone

	zygotes  map[uint32]*zygoteThread // used by the serving goroutine only
	null     int                      // the null device
	lifeline int                      // a pipe that closes when we end
}

type supervisedRun struct {
	id       uint32
	isolated bool // it has a process namespace
}

// serveSupervisor serves the parent until it is gone, kills everything it ever started, and does not return.
func serveSupervisor() {
	const setSubreaper = 36
	_, _, _ = syscall.RawSyscall(syscall.SYS_PRCTL, setSubreaper, 1, 0)
	hideMemory()
	closeOnExec()
	s := &supervisorProcess{self: syscall.Getpid(), runs: map[int]supervisedRun{}, born: make(chan struct{}, 1), signals: make(chan helperRequest), zygotes: map[uint32]*zygoteThread{}}
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
func (s *supervisorProcess) openFiles() (err error) {
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
func (s *supervisorProcess) serve(first func()) {
	runtime.LockOSThread()
	if first != nil {
		first()
	}
	packet, rights := make([]byte, largestRequest), make([]byte, syscall.CmsgSpace(mostFiles*4))
	for {
		n, oobn, _, _, err := syscall.Recvmsg(controlFile, packet, rights, messageCloseOnExec)
		if err == syscall.EINTR {
			continue
		}
		r, ok := decodeRequest(packet[:max(n, 0)])
		if err != nil || !ok {
			close(s.signals)
			return
		}
		files, message := files(rights[:oobn]), packet[requestSize:n]
		if r.Kind == requestStart && r.Fresh {
			program, order, ok := decode(message)
			go s.serve(func() { s.start(r, program, order, ok, files) })
			return
		}
		s.obey(r, message, files)
	}
}

// obey carries out one request on this thread.
func (s *supervisorProcess) obey(r helperRequest, message []byte, files []int) {
	z := s.zygotes[r.Zygote]
	switch {
	case r.Kind == requestSignal:
		s.signals <- r
	case r.Kind == requestStart:
		program, order, ok := decode(message)
		s.start(r, program, order, ok, files)
		return
	case r.Kind == requestZygote:
		program, _, ok := decode(message)
		if !ok {
			send(helperReport{Kind: reportFailed, ID: r.ID, Index: -1, Errno: int32(syscall.EBADMSG)})
			break
		}
		z := &zygoteThread{starts: make(chan initStart)}
		s.zygotes[r.ID] = z
		go z.serve(s, r.ID, program)
	case r.Kind == requestInit && z != nil && len(files) == 1:
		z.starts <- initStart{r.ID, files[0]}
		return // it closes the file
	case r.Kind == requestEndZygote && z != nil:
		close(z.starts)
		delete(s.zygotes, r.Zygote)
	default:
		send(helperReport{Kind: reportFailed, ID: r.ID, Index: -1, Errno: int32(syscall.EBADF)})
	}
	closeFiles(files)
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
func (s *supervisorProcess) start(r helperRequest, program *callProgram, order startOrder, valid bool, streams []int) {
	defer closeFiles(streams)
	if !valid || len(streams) < 3 {
		send(helperReport{Kind: reportFailed, ID: r.ID, Index: -1, Errno: int32(syscall.EBADMSG)})
		return
	}
	if _, ok := execute(program, r.ID); !ok {
		return
	}
	if order.Probe {
		send(helperReport{Kind: reportProbed, ID: r.ID})
		return
	}
	files := make([]uintptr, len(streams))
	for i, fd := range streams {
		files[i] = uintptr(fd)
	}
	s.begin(r.ID, false, func() (int, error) { return start(order, files, nil) })
}

// begin starts a run's own process and reports its number.
func (s *supervisorProcess) begin(id uint32, isolated bool, fork func() (int, error)) {
	s.mu.Lock() // the reaper must not meet the child before it is known
	defer s.mu.Unlock()
	pid, err := fork()
	if err != nil {
		send(helperReport{Kind: reportFailed, ID: id, Index: -1, Errno: errnoOf(err)})
		return
	}
	s.runs[pid] = supervisedRun{id, isolated}
	send(helperReport{Kind: reportStarted, ID: id, Index: int32(pid)})
	select {
	case s.born <- struct{}{}:
	default:
	}
}

// reap waits for children that have ended. After a run's own process it ends what the run left behind.
func (s *supervisorProcess) reap() {
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
			if !r.isolated {
				s.sweep(pid, r.id, syscall.SIGKILL)
			}
			delete(s.runs, pid)
			send(helperReport{Kind: reportEnded, ID: r.id, Status: uint32(status), CPU: used.Utime.Nano() + used.Stime.Nano()})
		}
		s.mu.Unlock()
	}
}

// signal sends a signal to the processes of a run. Of a run with a process namespace that is process 1 alone, which
// heeds only SIGKILL.
func (s *supervisorProcess) signal(id uint32, sig syscall.Signal) {
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
