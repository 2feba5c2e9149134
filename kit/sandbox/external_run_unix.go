//go:build unix

package sandbox

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"sync"
	"syscall"
	"time"
)

// externalRun is one program that runs elsewhere.
type externalRun struct {
	external *external
	id       string
	readOnly bool
	out      map[string]*os.File // our copies of the caller's streams
	in       *os.File
	exited   chan Exit
	killed   sync.Once
	dead     chan struct{} // closed when a kill was not answered
}

// Start starts a program.
func (e *external) Start(ctx context.Context, spec Spec) (programProcess, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if len(spec.Argv) == 0 || spec.Argv[0] == "" {
		return nil, errors.New("no program to start")
	}
	p, _, err := e.policy.For(spec)
	if err != nil {
		return nil, err
	}
	if e.copies != nil {
		if !spec.Opened.IsZero() {
			return nil, fmt.Errorf("%s has copies of the workspace's files: nothing else can be opened to a program", e.cmd.Path)
		}
		if err := e.copies.push(ctx); err != nil {
			return nil, err
		}
	}
	r := &externalRun{external: e, readOnly: spec.ReadOnly, out: map[string]*os.File{}, exited: make(chan Exit, 1), dead: make(chan struct{})}
	if err := r.take(spec); err != nil {
		return nil, err
	}
	e.mu.Lock()
	e.last++
	r.id = strconv.Itoa(e.last)
	e.runs[r.id] = r
	e.mu.Unlock()
	dir := spec.Dir
	if dir == "" {
		dir = e.policy.Workspace
	}
	v := e.view.Protect(p.EnvFiles)
	err = e.ask(ctx, "run", map[string]any{"run": r.id, "argv": spec.Argv, "dir": dir, "env": mergeEnv(elsewhereEnv(e.policy.Parent), spec.Env...),
		"input": spec.Stdin != nil, "merged": spec.Stdout != nil && spec.Stdout == spec.Stderr, "terminal": spec.Terminal, "read_only": spec.ReadOnly, "limits": limitsSaid(e.policy.LimitsOf(spec)),
		"writable": nonNil(p.Writable), "readable": nonNil(p.Readable), "protected": targets(v.Locked), "closed": targets(v.Masked)}, nil)
	if err != nil {
		r.drop()
		return nil, err
	}
	if r.in != nil {
		go r.feed()
	}
	return r, nil
}

// targets are the paths of places that programs may not change, or not open.
func targets(places []viewBind) []string {
	paths := []string{}
	for _, b := range places {
		if !b.Write {
			paths = append(paths, b.Target)
		}
	}
	return paths
}

// take makes copies of the streams: the caller's are the caller's.
func (r *externalRun) take(spec Spec) error {
	copied := func(f *os.File) (*os.File, error) {
		if f == nil {
			return nil, nil
		}
		raw, err := f.SyscallConn()
		if err != nil {
			return nil, err
		}
		own := -1
		if failed := raw.Control(func(fd uintptr) { own, err = syscall.Dup(int(fd)) }); failed != nil || err != nil {
			return nil, errors.Join(failed, err)
		}
		syscall.CloseOnExec(own)
		return os.NewFile(uintptr(own), f.Name()), nil
	}
	var errs [3]error
	r.in, errs[0] = copied(spec.Stdin)
	r.out["stdout"], errs[1] = copied(spec.Stdout)
	r.out["stderr"], errs[2] = copied(spec.Stderr)
	if err := errors.Join(errs[:]...); err != nil {
		r.close()
		return err
	}
	return nil
}

func (r *externalRun) close() {
	r.closeOutput()
	if r.in != nil {
		r.in.Close()
	}
}

func (r *externalRun) closeOutput() {
	for _, f := range r.out {
		if f != nil {
			f.Close()
		}
	}
}

// drop forgets a run.
func (r *externalRun) drop() {
	r.external.mu.Lock()
	delete(r.external.runs, r.id)
	r.external.mu.Unlock()
	r.close()
}

// feed sends what comes on standard input.
func (r *externalRun) feed() {
	buffer := make([]byte, 32<<10)
	for {
		n, err := r.in.Read(buffer)
		if n > 0 && r.external.send(0, "input", map[string]any{"run": r.id, "data": buffer[:n]}) != nil {
			return
		}
		if err != nil {
			if !errors.Is(err, os.ErrClosed) {
				_ = r.external.send(0, "input", map[string]any{"run": r.id, "end": err == io.EOF})
			}
			return
		}
	}
}

// happened takes an event. All of a run come from one goroutine.
func (r *externalRun) happened(m externalMessage) {
	switch m.Event {
	case "output":
		if f := r.out[m.Stream]; f != nil {
			_, _ = f.Write(m.Data) // the caller may have closed its end
		}
	case "exit":
		exit := Exit{Code: m.Code, Signal: syscall.Signal(m.Signal), CPU: time.Duration(m.CPU) * time.Millisecond, Limit: m.Limit}
		if m.Signal != 0 {
			exit.Code = -1
		}
		r.closeOutput() // whoever reads it need not wait for the program
		select {
		case r.exited <- exit:
		default: // it has ended once already
		}
	}
}

// Wait returns when the program has ended, and its changes of files are here.
func (r *externalRun) Wait() (exit Exit, err error) {
	defer r.drop()
	select {
	case exit = <-r.exited:
	case <-r.external.ended:
		return Exit{Code: -1, Signal: syscall.SIGKILL}, r.external.gone()
	case <-r.dead:
		return Exit{Code: -1, Signal: syscall.SIGKILL}, fmt.Errorf("%s does not say that the program has ended", r.external.cmd.Path)
	}
	if r.external.copies != nil && !r.readOnly {
		err = r.external.copies.pull(context.Background())
	}
	return exit, err
}

// Signal sends a signal to the program and its children.
func (r *externalRun) Signal(sig syscall.Signal) error {
	if sig == syscall.SIGKILL {
		return r.Kill()
	}
	return r.tell("signal", map[string]any{"run": r.id, "signal": int(sig)})
}

// Kill ends the program and everything it started.
func (r *externalRun) Kill() error {
	r.killed.Do(func() {
		time.AfterFunc(externalPatience, func() { close(r.dead) })
	})
	return r.tell("kill", map[string]any{"run": r.id})
}

// externalPatience is how long the end of a program that was killed is awaited.
const externalPatience = 10 * time.Second

// tell sends what gets no response. A program that is gone has ended what it ran.
func (r *externalRun) tell(method string, params any) error {
	r.external.mu.Lock()
	runs := r.external.runs[r.id] != nil
	r.external.mu.Unlock()
	if !runs {
		return nil
	}
	err := r.external.send(0, method, params)
	select {
	case <-r.external.ended:
		return nil
	default:
		return err
	}
}
