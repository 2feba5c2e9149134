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

// StartStdio starts a program. Reading is its standard output, writing its standard input; what it writes to standard error goes
// to stderr. Close ends it with all that it started, and waits for that; it may be called again. The streams of spec are set
// here.
func StartStdio(ctx context.Context, box Sandbox, spec Spec, stderr io.Writer) (io.ReadWriteCloser, error) {
	var files [6]*os.File // stdin, stdout, stderr: read and write end of each
	closeAll := func() {
		for _, f := range files {
			f.Close() // closing nil or twice does no harm
		}
	}
	var err error
	for i := 0; i < len(files); i += 2 {
		if files[i], files[i+1], err = os.Pipe(); err != nil {
			closeAll()
			return nil, err
		}
	}
	spec.Stdin, spec.Stdout, spec.Stderr = files[0], files[3], files[5]
	process, err := box.Start(ctx, spec)
	if err != nil {
		closeAll()
		return nil, fmt.Errorf("%s cannot be started: %w", spec.Argv[0], err)
	}
	files[0].Close()
	files[3].Close()
	files[5].Close()
	p := &program{process: process, in: files[1], out: files[2], ended: make(chan struct{})}
	copied := make(chan struct{})
	p.work.Go(func() {
		defer close(copied)
		_, _ = io.Copy(stderr, files[4])
		files[4].Close()
	})
	p.work.Go(func() {
		exit, err := process.Wait()
		close(p.ended)
		if <-copied; err == nil && exit.Code != 0 {
			fmt.Fprintf(stderr, "rein: the program ended with the status %d\n", exit.Code)
		}
	})
	return p, nil
}

// program is a program that runs.
type program struct {
	process Process
	in, out *os.File
	ended   chan struct{}
	work    sync.WaitGroup
	once    sync.Once
}

func (p *program) Read(b []byte) (int, error)  { return p.out.Read(b) }
func (p *program) Write(b []byte) (int, error) { return p.in.Write(b) }

const (
	graceAfterStdin = 500 * time.Millisecond // to end by itself when its stdin is closed
	graceAfterTerm  = 500 * time.Millisecond
)

// Close closes the program's stdin, then asks it to end, then kills it and all that it started.
func (p *program) Close() error {
	p.once.Do(func() {
		p.in.Close()
		if !p.wait(graceAfterStdin) {
			_ = p.process.Signal(syscall.SIGTERM)
			if !p.wait(graceAfterTerm) {
				_ = p.process.Kill()
				<-p.ended
			}
		}
		p.out.Close()
		p.work.Wait()
	})
	return nil
}

func (p *program) wait(most time.Duration) bool {
	select {
	case <-p.ended:
		return true
	case <-time.After(most):
		return false
	}
}
