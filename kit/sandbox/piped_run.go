package sandbox

import (
	"bytes"
	"context"
	"errors"
	"io"
	"time"
)

// PipedResult is how a run of RunPiped ended.
type PipedResult struct {
	Exit
	Errors   string // the end of standard error
	TimedOut bool   // its time was up
	Over     bool   // it wrote more than was taken, and was ended
	Duration time.Duration
}

// RunPiped runs a program to its end, with an input. What it writes to standard output goes to out; when out returns an error
// the program is ended. The program is killed when the timeout is over (zero is none) and when the context ends: the error
// is then that of the context. How the program ended, even badly, is the result.
func RunPiped(ctx context.Context, box Sandbox, spec Spec, input []byte, out io.Writer, timeout time.Duration) (PipedResult, error) {
	started := time.Now()
	p, err := StartPiped(ctx, box, spec)
	if err != nil {
		return PipedResult{}, err
	}
	defer p.Kill()
	fed := make(chan struct{})
	go func() {
		defer close(fed)
		_, _ = p.In.Write(input) // a program need not read its input
		p.In.Close()
	}()
	copied := make(chan error, 1)
	go func() {
		_, err := io.Copy(out, p.Out)
		copied <- err
	}()
	var up <-chan time.Time
	if timeout > 0 {
		timer := time.NewTimer(timeout)
		defer timer.Stop()
		up = timer.C
	}
	var r PipedResult
	var written error
	ended := false
	select {
	case <-p.done:
	case written = <-copied:
		ended = true
		if written == nil { // it closed its output
			select {
			case <-p.done:
			case <-up:
				r.TimedOut = true
			case <-ctx.Done():
			}
		}
	case <-up:
		r.TimedOut = true
	case <-ctx.Done():
	}
	if written != nil || r.TimedOut || ctx.Err() != nil {
		_ = p.running.Kill()
	}
	r.Exit, err = p.Wait()
	if !ended {
		_ = p.Out.SetReadDeadline(time.Now().Add(drainTime))
		written = <-copied
	}
	p.In.Close()
	<-fed
	r.Over = errors.Is(written, ErrTooMuchOutput)
	r.Errors, r.Duration = p.Errors(), time.Since(started)
	if ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	return r, err
}

// ErrTooMuchOutput is the error of a full Buffer.
var ErrTooMuchOutput = errors.New("more output than is taken")

// Buffer keeps at most Most bytes and fails with ErrTooMuchOutput after that.
type Buffer struct {
	bytes.Buffer
	Most int
}

// Write keeps what still fits.
func (b *Buffer) Write(p []byte) (int, error) {
	if room := b.Most - b.Len(); len(p) > room {
		n, _ := b.Buffer.Write(p[:max(room, 0)])
		return n, ErrTooMuchOutput
	}
	return b.Buffer.Write(p)
}
