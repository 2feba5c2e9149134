package sandbox

import (
	"context"
	"fmt"
	"io"
	"os"
	"sync"
	"syscall"
	"time"
)

// keptErrors is how much of the end of a program's standard error is kept.
const keptErrors = 4 << 10

// Piped is a started program whose streams are pipes, for a caller that talks to it. Its methods may be called by several goroutines.
type Piped struct {
	In  *os.File // its standard input
	Out *os.File // its standard output

	running Process
	errors  tail
	done    chan struct{} // closed when exit and err are set
	exit    Exit
	err     error
}

// StartPiped starts a program with pipes as its streams. The streams of the spec are not used. What the program writes to standard error is kept: see
// Errors. When the context ends before the program has started, nothing is started.
func StartPiped(ctx context.Context, box Sandbox, spec Spec) (*Piped, error) {
	p := &Piped{done: make(chan struct{})}
	var theirs []*os.File
	closeAll := func(files ...*os.File) {
		for _, f := range files {
			if f != nil {
				f.Close()
			}
		}
	}
	pipe := func(childReads bool) (ours, child *os.File, err error) {
		r, w, err := os.Pipe()
		if childReads {
			return w, r, err
		}
		return r, w, err
	}
	var errs *os.File
	for i, ours := range []**os.File{&p.In, &p.Out, &errs} {
		mine, child, err := pipe(i == 0)
		if err != nil {
			closeAll(append(theirs, p.In, p.Out)...)
			return nil, fmt.Errorf("make a pipe: %w", err)
		}
		*ours = mine
		theirs = append(theirs, child)
	}
	spec.Stdin, spec.Stdout, spec.Stderr = theirs[0], theirs[1], theirs[2]
	var err error
	if p.running, err = box.Start(ctx, spec); err != nil {
		closeAll(append(theirs, p.In, p.Out, errs)...)
		return nil, err
	}
	closeAll(theirs...)
	go p.follow(errs)
	return p, nil
}

// drainTime is how long the rest of standard error is awaited after the program has ended, if something still holds the pipe.
const drainTime = time.Second

func (p *Piped) follow(errs *os.File) {
	defer close(p.done)
	copied := make(chan struct{})
	go func() {
		defer close(copied)
		_, _ = io.Copy(&p.errors, errs)
	}()
	p.exit, p.err = p.running.Wait()
	_ = errs.SetReadDeadline(time.Now().Add(drainTime))
	<-copied
	errs.Close()
}

// Done is closed when the program has ended.
func (p *Piped) Done() <-chan struct{} { return p.done }

// Wait returns when the program has ended.
func (p *Piped) Wait() (Exit, error) {
	<-p.done
	return p.exit, p.err
}

// Signal sends a signal to the program.
func (p *Piped) Signal(sig syscall.Signal) error { return p.running.Signal(sig) }

// Kill ends the program and everything that it started, waits for that, and closes the streams.
func (p *Piped) Kill() {
	_ = p.running.Kill()
	<-p.done
	p.In.Close()
	p.Out.Close()
}

// Errors returns the end of what the program has written to standard error.
func (p *Piped) Errors() string { return p.errors.String() }

// tail keeps the end of what is written to it.
type tail struct {
	mu   sync.Mutex
	text []byte
}

func (t *tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text = append(t.text, b[max(0, len(b)-keptErrors):]...)
	if over := len(t.text) - keptErrors; over > 0 {
		t.text = append(t.text[:0], t.text[over:]...)
	}
	return len(b), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(t.text)
}
