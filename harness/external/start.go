package external

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"syscall"
	"time"

	"rein/guard/preset"
	"rein/netpolicy"
	"rein/sandbox"
	"rein/sandbox/proxy"
)

// start starts the program of an agent in the sandbox of that agent.
func (a *Agents) start(ctx context.Context, name string) (io.ReadWriteCloser, error) {
	box, err := a.box(name)
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
	set := a.o.Agents[name]
	process, err := box.Start(ctx, sandbox.Spec{Argv: append([]string{set.Command}, set.Args...), Dir: a.o.Workspace.Dir(), Env: environment(set),
		Stdin: files[0], Stdout: files[3], Stderr: files[5], ReadOnly: a.o.ReadOnly != nil && a.o.ReadOnly()})
	if err != nil {
		closeAll()
		return nil, fmt.Errorf("%s cannot be started: %w", set.Command, err)
	}
	files[0].Close()
	files[3].Close()
	files[5].Close()
	p := &program{process: process, in: files[1], out: files[2], ended: make(chan struct{})}
	a.running.Go(func() {
		defer files[4].Close()
		for lines := bufio.NewScanner(files[4]); lines.Scan(); {
			a.o.Log(name, lines.Text())
		}
		_, _ = io.Copy(io.Discard, files[4]) // after a line that is too long
	})
	a.running.Go(func() {
		defer close(p.ended)
		if exit, err := process.Wait(); err == nil && exit.Code != 0 {
			a.o.Log(name, fmt.Sprintf("the program ended with the status %d", exit.Code))
		}
	})
	return p, nil
}

// program is an agent that runs: reading is its stdout, writing its stdin.
type program struct {
	process sandbox.Process
	in, out *os.File
	ended   chan struct{}
	once    sync.Once
}

func (p *program) Read(b []byte) (int, error)  { return p.out.Read(b) }
func (p *program) Write(b []byte) (int, error) { return p.in.Write(b) }

// grace is how long a program has to end by itself when its stdin is closed, and again after it was asked to.
const grace = time.Second

// Close closes the program's stdin, then asks it to end, then kills it and all that it started.
func (p *program) Close() error {
	p.once.Do(func() {
		p.in.Close()
		if !p.wait() {
			_ = p.process.Signal(syscall.SIGTERM)
			if !p.wait() {
				_ = p.process.Kill()
				<-p.ended
			}
		}
		p.out.Close()
	})
	return nil
}

func (p *program) wait() bool {
	select {
	case <-p.ended:
		return true
	case <-time.After(grace):
		return false
	}
}

// box gives the sandbox of an agent, made at its first start.
func (a *Agents) box(name string) (*sandbox.Box, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if box := a.boxes[name]; box != nil {
		return box, nil
	}
	set, policy := a.o.Agents[name], a.o.Sandbox
	if set.Sandbox == "off" {
		policy.Mode, policy.Only = sandbox.Off, ""
	}
	policy.Writable = append(slices.Clone(policy.Writable), places(set.Write)...)
	policy.Readable = append(slices.Clone(policy.Readable), places(set.Read)...)
	if policy.Private != "" {
		policy.Private = filepath.Join(policy.Private, "agent-"+name)
	}
	if len(set.Network) > 0 {
		allow, err := preset.Expand(set.Network)
		if err != nil {
			return nil, fmt.Errorf("network: %w", err)
		}
		hosts, err := netpolicy.New(netpolicy.Options{Rules: netpolicy.Rules{Allow: allow, Deny: a.o.Deny}})
		if err != nil {
			return nil, fmt.Errorf("network: %w", err)
		}
		policy.Proxy = proxy.New(proxy.Options{Policy: func() *netpolicy.Policy { return hosts }, Report: func(r proxy.Request) {
			if !r.Allowed {
				a.o.Log(name, "the network policy refused "+r.Address()+": "+r.Reason)
			}
		}}).Serve
	}
	box, err := sandbox.New(policy)
	if err != nil {
		return nil, err
	}
	a.boxes[name] = box
	return box, nil
}
