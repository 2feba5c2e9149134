package sandbox

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"syscall"
	"time"
)

const (
	// termGrace is how long a program has between SIGTERM and SIGKILL when its time is up.
	termGrace = 2 * time.Second
	// cancelGrace is the same when the user has cancelled: a call that is not over 100 ms after is abandoned.
	cancelGrace = 40 * time.Millisecond
	// drainGrace is how long output is awaited after the program has ended, if something still holds the pipe.
	drainGrace = 50 * time.Millisecond
)

// Result is one finished run.
type Result struct {
	Exit
	Started   time.Time
	Duration  time.Duration
	TimedOut  bool // its time was up
	Cancelled bool // the context was cancelled
}

// Running is a started program whose output is being copied.
type Running struct {
	process Process
	started time.Time
	ended   chan struct{} // closed when result and err are set
	result  Result
	err     error
}

// Run runs a program to its end: its output and errors are copied to out in the order in which they come, and
// what it leaves behind is killed. After the timeout (zero is none), or when the context ends, it gets SIGTERM and
// a moment later SIGKILL. How it ended, even badly, is the result; an error means that it was not run.
func Run(ctx context.Context, box Sandbox, spec Spec, out io.Writer, timeout time.Duration) (Result, error) {
	running, err := Launch(ctx, box, spec, out)
	if err != nil {
		return Result{}, err
	}
	return running.await(ctx, timeout)
}

// await waits for the end, and brings it about when the time is up or the context ends.
func (r *Running) await(ctx context.Context, timeout time.Duration) (Result, error) {
	var up <-chan time.Time
	if timeout > 0 {
		timer := time.NewTimer(timeout)
		defer timer.Stop()
		up = timer.C
	}
	select {
	case <-r.Done():
		return r.Result()
	case <-up:
		r.Stop(termGrace)
		result, err := r.Result()
		result.TimedOut = true
		return result, err
	case <-ctx.Done():
		r.Stop(cancelGrace)
		result, err := r.Result()
		result.Cancelled = true
		return result, err
	}
}

// Launch starts a program with its output and errors copied to out as they come, and does not wait for it. Writes
// to out come from one goroutine, which has ended when Done is closed. The Stdout and Stderr of the spec are not used.
func Launch(ctx context.Context, box Sandbox, spec Spec, out io.Writer) (*Running, error) {
	r, w, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("make the output pipe: %w", err)
	}
	enlargePipe(w)
	spec.Stdout, spec.Stderr = w, w
	started := time.Now()
	process, err := box.Start(ctx, spec)
	w.Close()
	if err != nil {
		r.Close()
		return nil, err
	}
	return follow(process, started, r, out, limitsIn(box, spec, process)), nil
}

// limitsIn are the limits that hold for a program in a sandbox.
func limitsIn(box Sandbox, spec Spec, running Process) Limits {
	b, ok := box.(*Box)
	if !ok {
		return Limits{Output: spec.Limits.or(defaultLimits()).Output}
	}
	l := b.inner.LimitsOf(spec)
	if p, ok := running.(process); ok {
		if c, ok := p.programProcess.(interface{ Counted() bool }); ok && c.Counted() {
			l.Memory = -1 // it ends by the kernel's hand, not by its own error
		}
	}
	return Limits(l)
}

// stream is where a program's output comes out.
type stream interface {
	io.ReadCloser
	SetReadDeadline(time.Time) error
}

// follow lets a started program run, with its output copied.
func follow(process Process, started time.Time, in stream, out io.Writer, limits Limits) *Running {
	r := &Running{process: process, started: started, ended: make(chan struct{})}
	go r.follow(in, &watched{out: out, limits: limits, stop: func() { _ = process.Kill() }})
	return r
}

// follow copies the output until the program has ended and the pipe is empty.
func (r *Running) follow(pipe stream, out *watched) {
	defer close(r.ended)
	defer pipe.Close()
	copied, over := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(copied)
		pump(out, pipe, over)
	}()
	exit, err := r.process.Wait()
	r.result, r.err = Result{Exit: exit, Started: r.started, Duration: time.Since(r.started)}, err
	// What escaped the kill may hold the pipe open forever: the pump is woken, and takes what is there.
	if pipe.SetReadDeadline(time.Now()) != nil {
		pipe.Close()
	}
	close(over)
	<-copied
	if r.result.Limit == "" || out.over {
		r.result.Limit = out.limit(r.result.Code != 0 || r.result.Signal != 0)
	}
}

// Done is closed when the program has ended and its output is copied.
func (r *Running) Done() <-chan struct{} { return r.ended }

// Result waits for the end and returns it.
func (r *Running) Result() (Result, error) {
	<-r.ended
	return r.result, r.err
}

// Stop ends the program: SIGTERM, the grace, SIGKILL to all that is left. It returns when it has ended.
func (r *Running) Stop(grace time.Duration) {
	_ = r.process.Signal(syscall.SIGTERM)
	timer := time.NewTimer(grace)
	defer timer.Stop()
	select {
	case <-r.ended:
		return
	case <-timer.C:
	}
	_ = r.process.Kill()
	<-r.ended
}

const (
	smallestRead = 8 << 10
	largestRead  = 256 << 10
)

// pump copies like io.Copy, with a buffer that grows while the program fills it: small for the usual few lines,
// large for a flood. When out takes no more the rest is read and dropped, so that the program is not stopped by it.
// When over is closed the program has ended, and what is left in the pipe is all that comes.
func pump(out io.Writer, in stream, over <-chan struct{}) {
	buffer := make([]byte, smallestRead)
	out = &forgiving{out}
	for {
		n, err := in.Read(buffer)
		_, _ = out.Write(buffer[:n])
		if errors.Is(err, os.ErrDeadlineExceeded) {
			<-over // only the end of the program sets a deadline
		} else if err != nil && !errors.Is(err, syscall.EINTR) {
			return
		}
		select {
		case <-over:
			drain(out, in, buffer)
			return
		default:
		}
		if n == len(buffer) && n < largestRead {
			buffer = make([]byte, min(4*n, largestRead))
		}
	}
}

// drain copies what a program that has ended left in the pipe, however long a busy machine takes over it, and then what
// comes within the grace.
func drain(out io.Writer, in stream, buffer []byte) {
	_ = in.SetReadDeadline(time.Time{})
	for left := pending(in); left > 0; {
		n, err := in.Read(buffer[:min(len(buffer), left)])
		_, _ = out.Write(buffer[:n])
		left -= n
		if err != nil {
			return
		}
	}
	_ = in.SetReadDeadline(time.Now().Add(drainGrace))
	for {
		n, err := in.Read(buffer)
		_, _ = out.Write(buffer[:n])
		if err != nil {
			return
		}
	}
}

// forgiving drops what its writer does not take any more.
type forgiving struct{ out io.Writer }

func (f *forgiving) Write(p []byte) (int, error) {
	if len(p) > 0 && f.out != nil {
		if _, err := f.out.Write(p); err != nil {
			f.out = nil
		}
	}
	return len(p), nil
}
