//go:build unix

package main

import (
	"context"
	"errors"
	"io"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// keyboardSource is the terminal. It can be polled, so no read is under way between two calls.
type keyboardSource struct{ in *os.File }

// setMode turns off echo and lines. Signal keys work if signals is set, else they are keys like others. Output stays as
// it is.
func (k *keyboardInput) setMode(signals bool) (restore func() error, err error) {
	fd := int(k.in.Fd())
	before, err := unix.IoctlGetTermios(fd, getTermios)
	if err != nil {
		return nil, err
	}
	mode := *before
	mode.Lflag &^= unix.ICANON | unix.ECHO | unix.ECHONL | unix.IEXTEN | unix.ISIG
	if signals {
		mode.Lflag |= unix.ISIG
	}
	mode.Iflag &^= unix.IXON
	mode.Cc[unix.VMIN], mode.Cc[unix.VTIME] = 1, 0
	if err := unix.IoctlSetTermios(fd, setTermios, &mode); err != nil {
		return nil, err
	}
	return func() error { return unix.IoctlSetTermios(fd, setTermios, before) }, nil
}

// wait returns what is typed next; it polls, because a read that is under way cannot be cancelled.
func (k *keyboardInput) wait(ctx context.Context) ([]byte, error) {
	for ctx.Err() == nil {
		patience := 50 * time.Millisecond
		if deadline, ok := ctx.Deadline(); ok {
			patience = min(patience, time.Until(deadline)+time.Millisecond)
		}
		if !k.ready(patience) {
			continue
		}
		return k.read()
	}
	return nil, context.Cause(ctx)
}

// available returns what has been typed, without waiting.
func (k *keyboardInput) available() (typed []byte) {
	for k.ready(0) {
		more, err := k.read()
		if err != nil {
			return typed
		}
		typed = append(typed, more...)
	}
	return typed
}

func (k *keyboardInput) ready(patience time.Duration) bool {
	fds := []unix.PollFd{{Fd: int32(k.in.Fd()), Events: unix.POLLIN}}
	n, err := unix.Poll(fds, int(max(0, patience).Milliseconds()))
	return n > 0 || err != nil && !errors.Is(err, unix.EINTR)
}

func (k *keyboardInput) read() ([]byte, error) {
	piece := make([]byte, 4096)
	n, err := k.in.Read(piece)
	if n == 0 || err != nil {
		return nil, errors.Join(io.ErrUnexpectedEOF, err)
	}
	return piece[:n], nil
}

// interruptSelf does what Ctrl-C does where keys are not read one by one.
func interruptSelf() { unix.Kill(os.Getpid(), unix.SIGINT) }

// holdsInput reports whether a pipe or a file has something that was not read. It reads nothing.
func holdsInput(f *os.File) bool {
	n, err := unix.IoctlGetInt(int(f.Fd()), bytesWaiting)
	return err == nil && n > 0
}
