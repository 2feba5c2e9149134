package sandbox

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"rein/kit/sandbox/internal/box"
)

const (
	// probeLimit is how long a probe may take, and patientTime how long when it has not answered in that: on a machine
	// that is overloaded the sandbox works as well. A kernel that hangs in both does not have this backend.
	probeLimit  = 5 * time.Second
	patientTime = 60 * time.Second
)

// probed runs a probe, and again with more time when the first was not ready: a timeout is no evidence about the sandbox.
func probed(ctx context.Context, p backendPolicy, probe func(context.Context) error) error {
	err := within(ctx, probeLimit, probe)
	if !errors.Is(err, context.DeadlineExceeded) || ctx.Err() != nil {
		return err
	}
	if p.Warn != nil {
		p.Warn(fmt.Sprintf("sandbox: the test of the sandbox did not end within %v, the machine is busy; trying again for %v", probeLimit, patientTime))
	}
	return within(ctx, patientTime, probe)
}

func within(ctx context.Context, most time.Duration, probe func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, most)
	defer cancel()
	err := probe(ctx)
	if err != nil && ctx.Err() != nil {
		return fmt.Errorf("the probe did not end within %v: %w", most, ctx.Err())
	}
	return err
}

// question is one thing that the probe tries inside the sandbox.
type question struct {
	name    string
	allowed bool // what must come of it
	call    uintptr
	args    []any
	onLast  bool // the first argument is the result of the question before
}

// openNamespaces tries the backend with namespaces.
func openNamespaces(ctx context.Context, p backendPolicy) (programStarter, func() error, error) {
	abi := landlockABI()
	if abi < 3 {
		return nil, nil, fmt.Errorf("version %d of Landlock is too old: 3 is the first that covers truncation", abi)
	}
	names, err := newHostNames(&p)
	if err != nil {
		return nil, nil, err
	}
	looked := make(chan error, 1)
	n := &namespaces{policy: p, abi: min(abi, newestLandlock), doors: &sessionDoors{names: names, open: map[Server]*sessionDoor{}}}
	go func() { // looking at the files takes as long as starting the processes
		var err error
		n.view, err = newView(p)
		looked <- err
	}()
	w, err := newSupervisor(network(p))
	if err != nil {
		<-looked
		n.view.Close()
		return nil, nil, fmt.Errorf("make the namespaces: %w", err)
	}
	if !countsOwnProcesses() {
		limitSessionProcesses(p, w)
	}
	n.supervisor = w
	listener, err := n.connect(ctx)
	err = errors.Join(<-looked, err)
	n.prepare()
	if err == nil {
		err = probed(ctx, p, n.probe)
	}
	if err != nil {
		if listener != nil {
			listener.Close()
		}
		if closed := n.close(); closed != nil {
			err = fmt.Errorf("%w; %w", err, closed)
		}
		return nil, nil, err
	}
	return n, n.serve(listener), nil
}

// serve lets the proxy serve the listener, and returns what ends the session's processes and the proxy.
func (n *namespaces) serve(listener net.Listener) func() error {
	if listener == nil {
		return n.close
	}
	n.doors.proxy = newProxyListener()
	var proxy sync.WaitGroup
	proxy.Go(func() { n.doors.proxy.pass(listener) })
	proxy.Go(func() { n.policy.Proxy(n.doors.proxy) })
	return func() error {
		err := n.close()
		listener.Close()
		n.doors.proxy.Close() // the proxy may have done so
		proxy.Wait()
		return err
	}
}

// newestLandlock is the version whose rights are known here; later ones add rights that stay as they are.
const newestLandlock = 7

// probe makes a sandbox around a child of ours that starts nothing and tries to get out.
func (n *namespaces) probe(ctx context.Context) error {
	outside, closeOutside, err := target(n.policy)
	if err != nil {
		return err
	}
	defer closeOutside()
	questions := boxQuestions(outside, n.policy)
	steps, _ := n.program(Spec{})
	ask(steps, questions)
	c, err := n.enter(ctx, func() *box.Program { return steps }, box.Order{Probe: true}, grouped{})
	if err != nil {
		return err
	}
	defer c.over()
	if _, err := c.programRun.Wait(); err != nil {
		return err
	}
	c.control.Close()
	return judge(questions, c.probed)
}

// outside is what the probe tries to reach from inside: all of it is reachable by us.
type outside struct {
	file    string
	address []byte // a struct sockaddr_in of a listener of ours
}

func target(p backendPolicy) (outside, func(), error) {
	file := filepath.Join(p.Own.Session(), "canary")
	if err := os.WriteFile(file, []byte("canary"), 0o600); err != nil {
		return outside{}, nil, err
	}
	listener, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		return outside{}, nil, err
	}
	address := make([]byte, 16)
	binary.NativeEndian.PutUint16(address, unix.AF_INET)
	binary.BigEndian.PutUint16(address[2:], uint16(listener.Addr().(*net.TCPAddr).Port))
	copy(address[4:], []byte{127, 0, 0, 1})
	return outside{file, address}, func() { listener.Close(); os.Remove(file) }, nil
}

// commonQuestions are for every backend that isolates.
func commonQuestions(o outside, tracing bool) []question {
	questions := []question{
		{name: "read a file outside", call: unix.SYS_OPENAT, args: []any{here, o.file, unix.O_RDONLY, 0}},
		{name: "write a file outside", call: unix.SYS_OPENAT, args: []any{here, o.file, unix.O_WRONLY, 0}},
		{name: "make a user namespace", call: unix.SYS_UNSHARE, args: []any{unix.CLONE_NEWUSER}},
		{name: "use the kernel's keys", call: unix.SYS_KEYCTL, args: []any{0, 0, 0, 0, 0}},
		{name: "open a socket to the hypervisor", call: unix.SYS_SOCKET, args: []any{unix.AF_VSOCK, unix.SOCK_STREAM, 0}},
		{name: "mount a file system", call: unix.SYS_MOUNT, args: []any{"none", "/tmp", "tmpfs", 0, 0}},
	}
	if !tracing {
		questions = append(questions, question{name: "trace a process", call: unix.SYS_PTRACE, args: []any{unix.PTRACE_TRACEME, 0, 0, 0}})
	}
	return questions
}

// boxQuestions are asked where each program has files and a network of its own.
func boxQuestions(o outside, p backendPolicy) []question {
	questions := append(commonQuestions(o, p.Debuggers),
		question{name: "write to the private /tmp", allowed: true, call: unix.SYS_OPENAT, args: []any{here, "/tmp/.probe", unix.O_CREAT | unix.O_WRONLY | unix.O_CLOEXEC, 0o600}},
		question{name: "open a socket", allowed: true, call: unix.SYS_SOCKET, args: []any{unix.AF_INET, unix.SOCK_STREAM, 0}})
	if !p.HostNetwork {
		questions = append(questions, question{name: "reach a server outside", call: unix.SYS_CONNECT, args: []any{o.address}, onLast: true})
	}
	return questions
}

// ask puts the questions at the end of a program.
func ask(steps *box.Program, questions []question) {
	var last box.Reg
	for _, q := range questions {
		var args []any
		if q.onLast {
			args = append(args, last)
		}
		for _, a := range q.args {
			if b, ok := a.([]byte); ok {
				args = append(args, steps.Data(b), len(b))
			} else {
				args = append(args, a)
			}
		}
		last = steps.Attempt(q.name, q.call, args...)
	}
}

// judge compares what the probe could do with what it must.
func judge(questions []question, answers []box.Report) error {
	if len(answers) != len(questions) {
		return errors.New("the probe died")
	}
	for i, q := range questions {
		errno := syscall.Errno(answers[i].Errno)
		if q.allowed && errno != 0 {
			return fmt.Errorf("the probe could not %s: %w", q.name, errno)
		}
		if !q.allowed && errno == 0 {
			return fmt.Errorf("the probe could %s", q.name)
		}
	}
	return nil
}
