//go:build unix

package sandbox

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"syscall"
	"time"

	"github.com/creack/pty"
)

// screen is our side of a terminal. Linux reports the end as EIO, sometimes before it delivers the last bytes that a
// program wrote. So the terminal has ended only when a second read fails with EIO too.
type screen struct{ *os.File }

func (s screen) Read(p []byte) (int, error) {
	n, err := s.File.Read(p)
	if errors.Is(err, syscall.EIO) {
		return s.File.Read(p)
	}
	return n, err
}

// launchTerminal is Launch with a terminal of its own: what is written to the input is typed into it.
func launchTerminal(ctx context.Context, box Sandbox, spec Spec, out io.Writer) (*Running, io.WriteCloser, error) {
	ours, theirs, err := pty.Open()
	if err != nil {
		return nil, nil, fmt.Errorf("open a terminal: %w", err)
	}
	defer theirs.Close()
	if err := pty.Setsize(ours, &pty.Winsize{Rows: 40, Cols: 120}); err != nil {
		ours.Close()
		return nil, nil, fmt.Errorf("size the terminal: %w", err)
	}
	spec.Stdin, spec.Stdout, spec.Stderr, spec.Terminal = theirs, theirs, theirs, true
	// A line of plain text is what the reader wants, not a screen.
	spec.Env = append(spec.Env[:len(spec.Env):len(spec.Env)], "TERM=dumb")
	started := time.Now()
	process, err := box.Start(ctx, spec)
	if err != nil {
		ours.Close()
		return nil, nil, err
	}
	return follow(process, started, screen{ours}, out, limitsIn(box, spec, process)), ours, nil
}
