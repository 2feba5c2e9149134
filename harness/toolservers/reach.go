package toolservers

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"syscall"
	"time"

	"rein/mcp/config"
	"rein/sandbox"
)

// start starts the program of a server in the sandbox of that server.
func (s *Servers) start(ctx context.Context, e config.Entry, stderr io.Writer) (io.ReadWriteCloser, error) {
	if s.ctx.Err() != nil {
		return nil, s.ctx.Err()
	}
	box, err := s.box(e)
	if err != nil {
		return nil, err
	}
	var files [6]*os.File // stdin, stdout, stderr: read and write end of each
	closeAll := func() {
		for _, f := range files {
			f.Close() // closing nil or twice does no harm
		}
	}
	for i := 0; i < len(files); i += 2 {
		if files[i], files[i+1], err = os.Pipe(); err != nil {
			closeAll()
			return nil, err
		}
	}
	spec := sandbox.Spec{Argv: append([]string{e.Command}, e.Args...), Dir: dirOf(s.o.Root, e.Cwd), Stdin: files[0], Stdout: files[3], Stderr: files[5],
		ReadOnly: s.ReadOnly != nil && s.ReadOnly()}
	for name, value := range e.Env {
		spec.Env = append(spec.Env, name+"="+value)
	}
	slices.Sort(spec.Env)
	process, err := box.Start(ctx, spec)
	if err != nil {
		closeAll()
		return nil, fmt.Errorf("%s cannot be started: %w", e.Command, err)
	}
	files[0].Close()
	files[3].Close()
	files[5].Close()
	p := &program{process: process, in: files[1], out: files[2], ended: make(chan struct{})}
	s.running.Go(func() {
		_, _ = io.Copy(stderr, files[4])
		files[4].Close()
	})
	s.running.Go(func() {
		defer close(p.ended)
		if exit, err := process.Wait(); err == nil && exit.Code != 0 {
			fmt.Fprintf(stderr, "rein: the program ended with the status %d\n", exit.Code)
		}
	})
	return p, nil
}

func dirOf(root, dir string) string {
	if dir == "" || filepath.IsAbs(dir) {
		return dir
	}
	return filepath.Join(root, dir)
}

// program is a running server: reading is its stdout, writing its stdin.
type program struct {
	process sandbox.Process
	in, out *os.File
	ended   chan struct{}
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

// box gives the sandbox of a server, made at its first start.
func (s *Servers) box(e config.Entry) (*sandbox.Box, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if box := s.boxes[e.Name]; box != nil {
		return box, nil
	}
	policy := s.o.Sandbox
	if e.Sandbox == "off" {
		policy.Mode, policy.Only = sandbox.Off, ""
	}
	policy.Writable = append(slices.Clone(policy.Writable), e.Write...)
	policy.Readable = append(slices.Clone(policy.Readable), e.Read...)
	policy.Opened.Read = append(slices.Clone(policy.Opened.Read), e.Read...)
	if policy.Private != "" {
		policy.Private = filepath.Join(policy.Private, "mcp-"+e.ID())
	}
	if len(e.Network) > 0 {
		reach, err := s.o.Reach(e.Name, e.Network)
		if err != nil {
			return nil, fmt.Errorf("network: %w", err)
		}
		policy.Proxy = reach
	}
	box, err := sandbox.New(policy)
	if err != nil {
		return nil, err
	}
	s.boxes[e.Name] = box
	return box, nil
}
