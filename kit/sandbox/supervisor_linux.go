package sandbox

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"rein/kit/sandbox/internal/box"
)

// supervisor is a child of ours that starts the session's programs. Where they have no process namespace it adopts what
// they leave behind and ends it with the program. It ends everything when we end, however we end.
type supervisor struct {
	cmd     *exec.Cmd
	control *os.File
	ended   chan struct{} // closed when the supervisor is gone

	mu   sync.Mutex
	last uint32
	runs map[uint32]*programRun

	counted map[int]bool   // the processes of programs that we count
	limit   *cgroupCounter // where the kernel counts all processes of the session; nil: nowhere
}

// programRun is one program that a supervisor started.
type programRun struct {
	supervisor *supervisor
	id         uint32
	pid        int
	begun      chan box.Report // the first report that is no answer to an attempt
	exited     chan box.Report
	answers    []box.Report // to attempts
	file       *os.File     // an open file that came before it began
}

// newSupervisor starts a supervisor, in the namespaces that the attributes name.
func newSupervisor(attributes *syscall.SysProcAttr) (*supervisor, error) {
	ours, theirs, err := controlPair(unix.SOCK_SEQPACKET)
	if err != nil {
		return nil, err
	}
	_ = unix.SetsockoptInt(int(ours.Fd()), unix.SOL_SOCKET, unix.SO_SNDBUF, 2*box.LargestRequest)
	defer theirs.Close()
	cmd := &exec.Cmd{Path: "/proc/self/exe", Args: []string{"rein-supervisor"}, Dir: "/", Env: []string{box.Role + "=" + box.RoleSupervisor}, ExtraFiles: []*os.File{theirs}}
	cmd.SysProcAttr = attributes
	cmd.SysProcAttr.Setsid = true // a Ctrl-C is ours to pass on
	if err := startHardened(cmd.Start); err != nil {
		ours.Close()
		return nil, fmt.Errorf("start the sandbox's supervisor: %w", err)
	}
	return supervisorAt(cmd, ours), nil
}

// supervisorAt is a supervisor that a command started, at our end of its control socket.
func supervisorAt(cmd *exec.Cmd, control *os.File) *supervisor {
	s := &supervisor{cmd: cmd, control: control, ended: make(chan struct{}), runs: map[uint32]*programRun{}, counted: map[int]bool{}}
	go s.listen()
	return s
}

// listen gives the supervisor's reports to the runs until it is gone.
func (s *supervisor) listen() {
	defer close(s.ended)
	for {
		report, file, err := receive(s.control)
		if err != nil {
			return
		}
		s.mu.Lock()
		r := s.runs[report.ID]
		if report.Kind == box.Ended || report.Kind == box.Failed || report.Kind == box.Probed {
			delete(s.runs, report.ID)
		}
		s.mu.Unlock()
		switch {
		case r == nil && file != nil:
			file.Close()
		case r == nil:
		case report.Kind == box.Ended:
			r.exited <- report
		case report.Kind == box.Attempted:
			r.answers = append(r.answers, report)
		case report.Kind == box.File:
			r.file = file
		default:
			r.begun <- report
		}
	}
}

// request sends a request that makes a run.
func (s *supervisor) request(q box.Request, steps *box.Program, order box.Order, files ...*os.File) (*programRun, error) {
	r := s.newRun()
	q.ID = r.id
	packet := q.Encode()
	if q.Kind != box.StartInit {
		order.Env = marked(order.Env, r.id)
		packet = append(packet, steps.Encode(order)...)
	}
	if len(packet) > box.LargestRequest {
		s.forget(r)
		return nil, fmt.Errorf("start %s: %w", order.Path, unix.E2BIG)
	}
	fds, done, err := descriptors(files)
	if err == nil {
		err = sendPacket(s.control, packet, fds)
		done()
	}
	if err != nil {
		s.forget(r)
		if errors.Is(err, unix.EPIPE) {
			return nil, ErrGone
		}
		return nil, fmt.Errorf("send to the sandbox's supervisor: %w", err)
	}
	return r, nil
}

// marked adds the mark of a run to an environment.
func marked(env []string, id uint32) []string {
	all := make([]string, 0, len(env)+1)
	for _, pair := range env {
		if !strings.HasPrefix(pair, box.Mark+"=") {
			all = append(all, pair)
		}
	}
	return append(all, box.Mark+"="+strconv.FormatUint(uint64(id), 10))
}

// newRun makes a run, to which listen gives the reports about it.
func (s *supervisor) newRun() *programRun {
	r := &programRun{supervisor: s, begun: make(chan box.Report, 1), exited: make(chan box.Report, 1)}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.last++
	r.id = s.last
	s.runs[r.id] = r
	return r
}

// forget takes a run back that never began.
func (s *supervisor) forget(r *programRun) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.runs, r.id)
}

// start sends a request and waits until the program runs, or the calls are carried out where there is no program.
func (s *supervisor) start(ctx context.Context, q box.Request, steps *box.Program, order box.Order, streams ...*os.File) (*programRun, error) {
	r, err := s.request(q, steps, order, streams...)
	if err != nil {
		return nil, err
	}
	select {
	case report := <-r.begun:
		if report.Kind == box.Failed {
			r.abandon(q.Kind)
			return nil, failure(steps, report, order)
		}
		r.pid = int(report.Index)
		return r, nil
	case <-s.ended:
		return nil, ErrGone
	case <-ctx.Done():
		go func() { // it may have started all the same
			select {
			case <-r.begun:
				r.abandon(q.Kind)
			case <-s.ended:
			}
		}()
		return nil, ctx.Err()
	}
}

// abandon ends what a request has started and nobody wants any more.
func (r *programRun) abandon(kind uint32) {
	if kind == box.StartZygote {
		_ = r.supervisor.notify(box.Request{Kind: box.EndZygote, Zygote: r.id})
		return
	}
	_ = r.Kill()
}

// notify sends a request that gets no response. It does nothing for a supervisor that has ended.
func (s *supervisor) notify(q box.Request) error {
	err := sendPacket(s.control, q.Encode(), nil)
	if errors.Is(err, unix.EPIPE) || errors.Is(err, os.ErrClosed) {
		return nil
	}
	return err
}

// close ends the supervisor and everything it started.
func (s *supervisor) close() error {
	if !s.hangUp() {
		_ = s.cmd.Process.Kill()
	}
	_ = s.cmd.Wait()
	s.limit.Close()
	return s.control.Close()
}

// hangUp lets the supervisor end everything it started, and itself. It reports whether it did.
func (s *supervisor) hangUp() bool {
	if raw, err := s.control.SyscallConn(); err == nil {
		_ = raw.Control(func(fd uintptr) { _ = unix.Shutdown(int(fd), unix.SHUT_WR) })
	}
	select {
	case <-s.ended:
		return true
	case <-time.After(5 * time.Second):
		return false
	}
}

// pidOf waits until the supervisor has started a run's process and returns its number; 0 when it could not.
func (r *programRun) pidOf() (int, error) {
	select {
	case report := <-r.begun:
		r.begun <- report // refused reads it, too
		return int(report.Index), nil
	case <-r.supervisor.ended:
		return 0, ErrGone
	}
}

// refused gives the reason if the supervisor could not start a run's process at all.
func (r *programRun) refused(order box.Order) error {
	select {
	case report := <-r.begun:
		if report.Kind == box.Failed {
			return failure(&box.Program{}, report, order)
		}
	case <-r.exited: // it was started, and has ended
	case <-r.supervisor.ended:
		return ErrGone
	}
	return nil
}

// Wait returns when the program has ended and the supervisor has killed what it left behind.
func (r *programRun) Wait() (Exit, error) {
	select {
	case report := <-r.exited:
		exit := exitOf(syscall.WaitStatus(report.Status), time.Duration(report.CPU))
		exit.Left = int(report.Left)
		return exit, nil
	case <-r.supervisor.ended:
		return Exit{Code: -1, Signal: syscall.SIGKILL}, ErrCut
	}
}

// Signal sends a signal to everything that the program started.
func (r *programRun) Signal(sig syscall.Signal) error {
	return r.supervisor.notify(box.Request{Kind: box.Signal, ID: r.id, Signal: uint32(sig)})
}

// Kill kills everything that the program started.
func (r *programRun) Kill() error { return r.Signal(syscall.SIGKILL) }

// limit bounds a program that already runs, and with it what it will start.
func (r *programRun) limit(l Limits) {
	set := func(resource int, n int64) {
		var now unix.Rlimit
		if n < 0 || unix.Prlimit(r.pid, resource, nil, &now) != nil {
			return
		}
		most := min(uint64(n), now.Max)
		_ = unix.Prlimit(r.pid, resource, &unix.Rlimit{Cur: most, Max: most}, nil)
	}
	set(unix.RLIMIT_CORE, 0)
	set(unix.RLIMIT_FSIZE, l.FileSize)
	set(unix.RLIMIT_NOFILE, l.OpenFiles)
	set(unix.RLIMIT_DATA, l.Memory)
	if l.Processes > 0 {
		set(unix.RLIMIT_NPROC, l.Processes+everybody()) // it counts all that the user runs, anywhere
	}
	if l.CPU > 0 {
		set(unix.RLIMIT_CPU, max(1, int64(l.CPU.Seconds())))
	}
}
