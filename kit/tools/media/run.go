package media

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"rein/kit/sandbox"
	"rein/tool"
)

// The limits of a program that reads one file.
const (
	programTime   = 10 * time.Second
	programMemory = 1 << 30
	programOutput = 24 << 20
)

// job is a program that reads a file.
type job struct {
	argv  []string
	stdin *os.File
	env   []string
	read  []string      // places that it may read beside those of the sandbox
	time  time.Duration // 0 means programTime
}

// run runs a program in the sandbox and returns what it writes to its output. It may change nothing.
func (t Tools) run(ctx context.Context, j job) ([]byte, error) {
	limit := programTime
	if j.time > 0 {
		limit = j.time
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	out, err := newBounded(programOutput)
	if err != nil {
		return nil, err
	}
	errs, err := newBounded(4 << 10)
	if err != nil {
		out.close()
		return nil, err
	}
	spec := sandbox.Spec{Argv: j.argv, Dir: "/", Env: j.env, Stdin: j.stdin, Stdout: out.w, Stderr: errs.w, ReadOnly: true,
		Opened: sandbox.Opened{Read: j.read}, Limits: sandbox.Limits{CPU: limit, Memory: programMemory, FileSize: 256 << 20}}
	box := t.Box
	if box == nil {
		box = sandbox.None{}
	}
	process, err := box.Start(ctx, spec)
	out.w.Close()
	errs.w.Close()
	if err != nil {
		out.close()
		errs.close()
		return nil, fmt.Errorf("%s was not started: %w", j.argv[0], err)
	}
	full := out.follow(func() { _ = process.Kill() })
	errs.follow(func() {})
	stop := context.AfterFunc(ctx, func() { _ = process.Kill() })
	exit, err := process.Wait()
	stop()
	out.close()
	errs.close()
	name := j.argv[0]
	switch {
	case ctx.Err() == context.DeadlineExceeded:
		return nil, &tool.Error{Kind: tool.TimedOut, Text: fmt.Sprintf("%s was stopped after %v.", name, limit), Hint: "The file is too large or damaged. Ask for fewer pages."}
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case full():
		return nil, &tool.Error{Kind: tool.TooLarge, Text: fmt.Sprintf("%s wrote more than %d MiB.", name, programOutput>>20), Hint: "Ask for fewer pages."}
	case err != nil:
		return nil, err
	case exit.Limit != "" && exit.Code+int(exit.Signal) != 0:
		return nil, &tool.Error{Kind: tool.TooLarge, Text: fmt.Sprintf("%s reached the limit: %s.", name, exit.Limit), Hint: "The file is too large or damaged."}
	case exit.Code != 0 || exit.Signal != 0:
		return nil, fmt.Errorf("%s failed: %s", name, lastLines(errs.data.String(), fmt.Sprint("exit code ", exit.Code)))
	}
	return out.data.Bytes(), nil
}

// lastLines is the end of what a program wrote about its failure.
func lastLines(text, otherwise string) string {
	text = strings.TrimSpace(strings.ToValidUTF8(text, "\ufffd"))
	if text == "" {
		return otherwise
	}
	lines := strings.Split(text, "\n")
	return strings.Join(lines[max(0, len(lines)-3):], "; ")
}

// bounded collects what a program writes, up to a limit.
type bounded struct {
	r, w *os.File
	most int
	data bytes.Buffer
	over bool
	end  sync.WaitGroup
}

func newBounded(most int) (*bounded, error) {
	r, w, err := os.Pipe()
	return &bounded{r: r, w: w, most: most}, err
}

// follow reads until the end. What is more than the limit is dropped, and stop is called once. The returned function
// reports whether that happened; it may be called after close.
func (b *bounded) follow(stop func()) (over func() bool) {
	b.end.Go(func() {
		_, _ = io.CopyN(&b.data, b.r, int64(b.most))
		if n, _ := io.Copy(io.Discard, io.LimitReader(b.r, 1)); n > 0 {
			b.over = true
			stop()
			_, _ = io.Copy(io.Discard, b.r)
		}
	})
	return func() bool { return b.over }
}

// close waits for the end. Something that the program left behind may hold the pipe open: it is not waited for.
func (b *bounded) close() {
	_ = b.r.SetReadDeadline(time.Now().Add(100 * time.Millisecond))
	b.end.Wait()
	b.r.Close()
	b.w.Close()
}
