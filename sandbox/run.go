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
	// termGrace is how long a program has between the polite signal and the last one when its time is up.
	termGrace = 2 * time.Second
	// cancelGrace is the same when the user has cancelled: a call that is not over 100 ms after is abandoned.
	cancelGrace = 40 * time.Millisecond
	// drainGrace is how long output is awaited after the program has ended, if something still holds the pipe.
	drainGrace = 50 * time.Millisecond
)

// Result is one finished run.
type Result struct {
	Exit
	Duration  time.Duration
	TimedOut  bool // its time was up
	Cancelled bool // the context was cancelled
}

// Running is a started program whose output is being copied.
type Running struct {
	process Process
	started time.Time
	ended   chan struct{} // closed when result and err stand
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
	var up <-chan time.Time
	if timeout > 0 {
		timer := time.NewTimer(timeout)
		defer timer.Stop()
		up = timer.C
	}
	select {
	case <-running.Done():
		return running.Result()
	case <-up:
		running.Stop(termGrace)
		result, err := running.Result()
		result.TimedOut = true
		return result, err
	case <-ctx.Done():
		running.Stop(cancelGrace)
		result, err := running.Result()
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
	widen(w)
	spec.Stdout, spec.Stderr = w, w
	started := time.Now()
	process, err := box.Start(ctx, spec)
	w.Close()
	if err != nil {
		r.Close()
		return nil, err
	}
	running := &Running{process: process, started: started, ended: make(chan struct{})}
	watched := &lastWords{out: out}
	if b, ok := box.(*Box); ok {
		watched.limits = b.policy.limits(spec)
	}
	go running.follow(r, watched)
	return running, nil
}

// follow copies the output until the program has ended and the pipe is empty.
func (r *Running) follow(pipe *os.File, out io.Writer) {
	words, _ := out.(*lastWords)
	defer close(r.ended)
	defer pipe.Close()
	copied := make(chan struct{})
	go func() {
		defer close(copied)
		pump(out, pipe)
	}()
	exit, err := r.process.Wait()
	r.result, r.err = Result{Exit: exit, Duration: time.Since(r.started)}, err
	// What escaped the kill may hold the pipe open for ever: what is in it now is all that belongs to the run.
	if pipe.SetReadDeadline(time.Now().Add(drainGrace)) != nil {
		pipe.Close()
	}
	<-copied
	if words != nil && r.result.Limit == "" && (r.result.Code != 0 || r.result.Signal != 0) {
		r.result.Limit = words.limit()
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
func pump(out io.Writer, in io.Reader) {
	buffer := make([]byte, smallestRead)
	for {
		n, err := in.Read(buffer)
		if n > 0 {
			if _, failed := out.Write(buffer[:n]); failed != nil {
				out = io.Discard
			}
		}
		if err != nil {
			if errors.Is(err, syscall.EINTR) {
				continue
			}
			return
		}
		if n == len(buffer) && n < largestRead {
			buffer = make([]byte, min(4*n, largestRead))
		}
	}
}
