package sandbox

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"rein/internal/box"
	"rein/internal/harden"
)

// supervisor is a child of ours that starts programs where there are no namespaces: it adopts what they leave behind and
// ends it with the program, or with us, however we end.
type supervisor struct {
	cmd     *exec.Cmd
	control *os.File
	ended   chan struct{} // closed when the warden is gone

	mu      sync.Mutex
	last    uint32
	runs    map[uint32]*supervised
	retired bool // of a nursery: it makes no more boxes

	counted map[int]bool // the processes of programs that are counted
	pen     *pen         // where the kernel counts all processes of the session; nil: nowhere
}

// supervised is one program that a warden started.
type supervised struct {
	supervisor *supervisor
	id         uint32
	pid        int
	begun      chan box.Report // the first report that is no answer to an attempt
	exited     chan box.Report
	answers    []box.Report
	last       box.Report // what begun said
	file       *os.File   // an open file that came before it
}

// newSupervisor starts a warden, in the namespaces that the attributes ask for.
func newSupervisor(attributes *syscall.SysProcAttr) (*supervisor, error) {
	ours, theirs, err := controlPair(unix.SOCK_SEQPACKET)
	if err != nil {
		return nil, err
	}
	_ = unix.SetsockoptInt(int(ours.Fd()), unix.SOL_SOCKET, unix.SO_SNDBUF, 2*box.LargestRequest)
	defer theirs.Close()
	cmd := &exec.Cmd{Path: "/proc/self/exe", Args: []string{"rein-warden"}, Dir: "/", Env: []string{box.Role + "=" + box.RoleSupervisor}, ExtraFiles: []*os.File{theirs}}
	cmd.SysProcAttr = attributes
	cmd.SysProcAttr.Setsid = true // a Ctrl-C is ours to pass on
	if err := harden.Starting(cmd.Start); err != nil {
		ours.Close()
		return nil, fmt.Errorf("start the warden: %w", err)
	}
	w := &supervisor{cmd: cmd, control: ours, ended: make(chan struct{}), runs: map[uint32]*supervised{}, counted: map[int]bool{}}
	go w.listen()
	return w, nil
}

// listen hands the warden's reports to the runs until it is gone.
func (w *supervisor) listen() {
	defer close(w.ended)
	for {
		r, file, err := receive(w.control)
		if err != nil {
			return
		}
		w.mu.Lock()
		run := w.runs[r.ID]
		if r.Kind == box.Ended || r.Kind == box.Failed || r.Kind == box.Probed {
			delete(w.runs, r.ID)
			w.leave()
		}
		w.mu.Unlock()
		switch {
		case run == nil:
		case r.Kind == box.Ended:
			run.exited <- r
		case r.Kind == box.Attempted:
			run.answers = append(run.answers, r)
		case r.Kind == box.File:
			run.file = file
		default:
			run.begun <- r
		}
	}
}

// ask asks the warden to carry out a program and to start what the order says.
func (w *supervisor) ask(flags uint32, program *box.Program, order box.Order, streams ...*os.File) (*supervised, error) {
	run := w.run()
	order.Env = marked(order.Env, run.id)
	request := box.Request{Kind: box.Start, ID: run.id, Flags: flags}
	packet := append(request.Bytes(), program.Encode(order)...)
	if len(packet) > box.LargestRequest {
		w.forget(run)
		return nil, fmt.Errorf("start %s: %w", order.Path, unix.E2BIG)
	}
	if err := w.send(packet, streams); err != nil {
		w.forget(run)
		return nil, fmt.Errorf("tell the warden: %w", err)
	}
	return run, nil
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

// run makes a run, which is told of by what listen hears.
func (w *supervisor) run() *supervised {
	run := &supervised{supervisor: w, begun: make(chan box.Report, 1), exited: make(chan box.Report, 1)}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.last++
	run.id = w.last
	w.runs[run.id] = run
	return run
}

// forget takes a run back that never began.
func (w *supervisor) forget(run *supervised) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.runs, run.id)
}

// start starts a program and waits until it runs.
func (w *supervisor) start(ctx context.Context, flags uint32, program *box.Program, order box.Order, streams ...*os.File) (*supervised, error) {
	run, err := w.ask(flags, program, order, streams...)
	if err != nil {
		return nil, err
	}
	select {
	case r := <-run.begun:
		if r.Kind == box.Failed {
			return nil, failure(program, r, order)
		}
		run.pid, run.last = int(r.Index), r
		return run, nil
	case <-w.ended:
		return nil, errors.New("the sandbox's warden is gone")
	case <-ctx.Done():
		go func() { // it may have started all the same
			select {
			case <-run.begun:
				_ = run.Kill()
			case <-w.ended:
			}
		}()
		return nil, ctx.Err()
	}
}

// send sends a packet with open files; a nil one is the null device.
func (w *supervisor) send(packet []byte, streams []*os.File) error {
	var fds []int
	for _, f := range streams {
		if f == nil {
			null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
			if err != nil {
				return err
			}
			defer null.Close()
			f = null
		}
		// Fd makes the file blocking, which its new owner expects: the mode goes with the file.
		fds = append(fds, int(f.Fd()))
	}
	return w.write(packet, unix.UnixRights(fds...))
}

func (w *supervisor) write(packet, rights []byte) error {
	raw, err := w.control.SyscallConn()
	if err != nil {
		return err
	}
	var failed error
	err = raw.Write(func(fd uintptr) bool {
		failed = unix.Sendmsg(int(fd), packet, rights, nil, unix.MSG_NOSIGNAL)
		return failed != unix.EAGAIN && failed != unix.EINTR
	})
	return errors.Join(err, failed)
}

// close ends the warden and everything it started.
func (w *supervisor) close() error {
	if raw, err := w.control.SyscallConn(); err == nil {
		_ = raw.Control(func(fd uintptr) { _ = unix.Shutdown(int(fd), unix.SHUT_WR) })
	}
	select {
	case <-w.ended:
	case <-time.After(5 * time.Second):
		_ = w.cmd.Process.Kill()
	}
	_ = w.cmd.Wait()
	w.pen.leave()
	return w.control.Close()
}

// refused gives the reason if the warden could not start a program at all.
func (r *supervised) refused(order box.Order) error {
	select {
	case report := <-r.begun:
		if report.Kind == box.Failed {
			return failure(&box.Program{}, report, order)
		}
	case <-r.exited: // it was made, and is gone
	case <-r.supervisor.ended:
		return errors.New("the sandbox's warden is gone")
	}
	return nil
}

// Wait returns when the program has ended and the warden has killed what it left behind.
func (r *supervised) Wait() (Exit, error) {
	select {
	case report := <-r.exited:
		return exitOf(syscall.WaitStatus(report.Status), time.Duration(report.CPU)), nil
	case <-r.supervisor.ended:
		return Exit{Code: -1, Signal: syscall.SIGKILL}, io.ErrUnexpectedEOF
	}
}

// Signal sends a signal to everything that the program started.
func (r *supervised) Signal(sig syscall.Signal) error {
	request := box.Request{Kind: box.Signal, ID: r.id, Signal: uint32(sig)}
	err := r.supervisor.write(request.Bytes(), nil)
	if errors.Is(err, unix.EPIPE) || errors.Is(err, os.ErrClosed) {
		return nil
	}
	return err
}

// Kill kills everything that the program started.
func (r *supervised) Kill() error { return r.Signal(syscall.SIGKILL) }

// limit bounds a program that already runs, and with it what it will start.
func (r *supervised) limit(l Limits) {
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

// retire lets a nursery end with its last box. Until then it heeds signals for them.
func (w *supervisor) retire() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.retired = true
	w.leave()
}

// leave tells a retired nursery that nothing more will be asked of it. The mutex is held.
func (w *supervisor) leave() {
	if !w.retired || len(w.runs) > 0 {
		return
	}
	if raw, err := w.control.SyscallConn(); err == nil {
		_ = raw.Control(func(fd uintptr) { _ = unix.Shutdown(int(fd), unix.SHUT_WR) })
	}
}

func (w *supervisor) isGone() bool {
	select {
	case <-w.ended:
		return true
	default:
		return false
	}
}
