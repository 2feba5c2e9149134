package sandbox

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"rein/internal/box"
)

// warden is a child of ours that starts programs where there are no namespaces: it adopts what they leave behind and
// ends it with the program, or with us, however we end.
type warden struct {
	cmd     *exec.Cmd
	control *os.File
	ended   chan struct{} // closed when the warden is gone

	mu   sync.Mutex
	last uint32
	runs map[uint32]*ward
}

// ward is one program that a warden started.
type ward struct {
	warden  *warden
	id      uint32
	pid     int
	begun   chan box.Report // the first report that is no answer to an attempt
	exited  chan box.Report
	answers []box.Report
}

// newWarden starts a warden.
func newWarden() (*warden, error) {
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_SEQPACKET|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, fmt.Errorf("make the control socket: %w", err)
	}
	_ = unix.SetsockoptInt(fds[0], unix.SOL_SOCKET, unix.SO_SNDBUF, 2*box.LargestRequest)
	_ = unix.SetNonblock(fds[0], true)
	ours, theirs := os.NewFile(uintptr(fds[0]), "control"), os.NewFile(uintptr(fds[1]), "control")
	defer theirs.Close()
	cmd := &exec.Cmd{Path: "/proc/self/exe", Args: []string{box.WardenName}, Dir: "/", Env: []string{"GOGC=200"}, ExtraFiles: []*os.File{theirs}}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} // a Ctrl-C is ours to pass on
	if err := cmd.Start(); err != nil {
		ours.Close()
		return nil, fmt.Errorf("start the warden: %w", err)
	}
	w := &warden{cmd: cmd, control: ours, ended: make(chan struct{}), runs: map[uint32]*ward{}}
	go w.listen()
	return w, nil
}

// listen hands the warden's reports to the runs until it is gone.
func (w *warden) listen() {
	defer close(w.ended)
	for {
		var r box.Report
		n, err := w.control.Read(r.Bytes())
		if err != nil || n != box.ReportSize {
			return
		}
		w.mu.Lock()
		run := w.runs[r.ID]
		if r.Kind == box.Ended || r.Kind == box.Failed || r.Kind == box.Probed {
			delete(w.runs, r.ID)
		}
		w.mu.Unlock()
		switch {
		case run == nil:
		case r.Kind == box.Ended:
			run.exited <- r
		case r.Kind == box.Attempted:
			run.answers = append(run.answers, r)
		default:
			run.begun <- r
		}
	}
}

// start sends a program to the warden and waits until it runs.
func (w *warden) start(ctx context.Context, program *box.Program, order box.Order, streams [3]*os.File) (*ward, error) {
	run := &ward{warden: w, begun: make(chan box.Report, 1), exited: make(chan box.Report, 1)}
	w.mu.Lock()
	w.last++
	run.id = w.last
	w.runs[run.id] = run
	w.mu.Unlock()
	order.Env = merged(order.Env, fmt.Sprintf("%s=%d", box.Mark, run.id))
	request := box.Request{Kind: box.Start, ID: run.id}
	packet := append(request.Bytes(), program.Encode(order)...)
	if len(packet) > box.LargestRequest {
		return nil, fmt.Errorf("start %s: %w", order.Path, unix.E2BIG)
	}
	if err := w.send(packet, streams); err != nil {
		return nil, fmt.Errorf("tell the warden: %w", err)
	}
	select {
	case r := <-run.begun:
		if r.Kind == box.Failed {
			return nil, failure(program, r, order)
		}
		run.pid = int(r.Index)
		return run, nil
	case <-w.ended:
		return nil, errors.New("the sandbox's warden is gone (does main call sandbox.Main first?)")
	case <-ctx.Done():
		go func() { // it may have started all the same
			if r := <-run.begun; r.Kind == box.Started {
				_ = run.Kill()
			}
		}()
		return nil, ctx.Err()
	}
}

// send sends a packet with the streams.
func (w *warden) send(packet []byte, streams [3]*os.File) error {
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
		fds = append(fds, int(f.Fd()))
	}
	return w.write(packet, unix.UnixRights(fds...))
}

func (w *warden) write(packet, rights []byte) error {
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
func (w *warden) close() error {
	if raw, err := w.control.SyscallConn(); err == nil {
		_ = raw.Control(func(fd uintptr) { _ = unix.Shutdown(int(fd), unix.SHUT_WR) })
	}
	select {
	case <-w.ended:
	case <-time.After(5 * time.Second):
		_ = w.cmd.Process.Kill()
	}
	_ = w.cmd.Wait()
	return w.control.Close()
}

// Wait returns when the program has ended and the warden has killed what it left behind.
func (r *ward) Wait() (Exit, error) {
	select {
	case report := <-r.exited:
		return exitOf(syscall.WaitStatus(report.Status), time.Duration(report.CPU)), nil
	case <-r.warden.ended:
		return Exit{Code: -1, Signal: syscall.SIGKILL}, io.ErrUnexpectedEOF
	}
}

// Signal sends a signal to everything that the program started.
func (r *ward) Signal(sig syscall.Signal) error {
	request := box.Request{Kind: box.Signal, ID: r.id, Signal: uint32(sig)}
	err := r.warden.write(request.Bytes(), nil)
	if errors.Is(err, unix.EPIPE) || errors.Is(err, os.ErrClosed) {
		return nil
	}
	return err
}

// Kill kills everything that the program started.
func (r *ward) Kill() error { return r.Signal(syscall.SIGKILL) }

// limit bounds a program that already runs, and with it what it will start.
func (r *ward) limit(l Limits) {
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
	if l.CPU > 0 {
		set(unix.RLIMIT_CPU, max(1, int64(l.CPU.Seconds())))
	}
}
