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

// Bounds of a program.
const (
	mostOutput = 1 << 20                // bytes of each of its outputs that are kept; the rest is dropped
	grace      = 500 * time.Millisecond // to end by itself when the context is done
)

// ProgramOutput is how a program ended by itself.
type ProgramOutput struct {
	Code           int // the exit code
	Stdout, Stderr string
}

// RunToEnd runs a program to its end; the streams of the spec are not used. An error means that it was not run, or that the context,
// a signal or a limit ended it.
func RunToEnd(ctx context.Context, box Sandbox, spec Spec, input []byte) (ProgramOutput, error) {
	var in, out, errs pipe
	defer in.close()
	defer out.close()
	defer errs.close()
	if err := errors.Join(in.open(), out.open(), errs.open()); err != nil {
		return ProgramOutput{}, err
	}
	spec.Stdin, spec.Stdout, spec.Stderr = in.r, out.w, errs.w
	process, err := box.Start(ctx, spec)
	for _, f := range []*os.File{in.r, out.w, errs.w} {
		f.Close()
	}
	if err != nil {
		return ProgramOutput{}, err
	}
	go func() { // ends at the latest when the pipe is closed
		_, _ = in.w.Write(input)
		in.w.Close()
	}()
	stdout, stderr := out.read(), errs.read()
	exit, err := wait(ctx, process)
	late := time.Now().Add(grace) // what escaped may hold the pipes open
	_ = out.r.SetReadDeadline(late)
	_ = errs.r.SetReadDeadline(late)
	r := ProgramOutput{Code: exit.Code, Stdout: <-stdout, Stderr: <-stderr}
	switch {
	case err != nil:
		return ProgramOutput{}, err
	case ctx.Err() != nil:
		return ProgramOutput{}, context.Cause(ctx)
	case exit.Signal != 0:
		return ProgramOutput{}, fmt.Errorf("the signal %v ended it", exit.Signal)
	case exit.Limit != "":
		return ProgramOutput{}, fmt.Errorf("it reached a limit: %s", exit.Limit)
	}
	return r, nil
}

// wait waits for the end of a program, and ends it when the context is done.
func wait(ctx context.Context, p Process) (Exit, error) {
	type result struct {
		exit Exit
		err  error
	}
	done := make(chan result, 1)
	go func() {
		exit, err := p.Wait()
		done <- result{exit, err}
	}()
	select {
	case r := <-done:
		return r.exit, r.err
	case <-ctx.Done():
	}
	_ = p.Signal(syscall.SIGTERM)
	select {
	case r := <-done:
		return r.exit, r.err
	case <-time.After(grace):
		_ = p.Kill()
	}
	r := <-done
	return r.exit, r.err
}

// pipe is one stream of a program.
type pipe struct{ r, w *os.File }

func (p *pipe) open() (err error) {
	p.r, p.w, err = os.Pipe()
	return err
}

func (p *pipe) close() {
	if p.r != nil {
		p.r.Close()
		p.w.Close()
	}
}

// read reads all that a program writes, and keeps the first part.
func (p *pipe) read() <-chan string {
	text := make(chan string, 1)
	go func() {
		kept, _ := io.ReadAll(io.LimitReader(p.r, mostOutput))
		_, _ = io.Copy(io.Discard, p.r)
		text <- string(kept)
	}()
	return text
}
