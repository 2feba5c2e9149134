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

// Key waits for a key; it polls, because a read that is under way cannot be cancelled.
func (r raw) Key(ctx context.Context) (byte, error) {
	fds := []unix.PollFd{{Fd: int32(r.in.Fd()), Events: unix.POLLIN}}
	for ctx.Err() == nil {
		n, err := unix.Poll(fds, int(50*time.Millisecond/time.Millisecond))
		if err != nil && !errors.Is(err, unix.EINTR) {
			return 0, err
		}
		if n <= 0 {
			continue
		}
		var b [1]byte
		if n, err := r.in.Read(b[:]); n == 0 || err != nil {
			return 0, errors.Join(io.ErrUnexpectedEOF, err)
		}
		return b[0], nil
	}
	return 0, context.Cause(ctx)
}

// interrupt does what Ctrl-C does outside of raw mode.
func interrupt() { unix.Kill(os.Getpid(), unix.SIGINT) }
