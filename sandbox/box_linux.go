package sandbox

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"syscall"

	"golang.org/x/sys/unix"

	"rein/internal/box"
	"rein/internal/harden"
)

// namespaces is the best rung: namespaces of our own around a child of ours, which makes the walls and starts the
// program as the only one it knows.
type namespaces struct {
	policy Policy
	view   view
	abi    int // of Landlock
}

// program makes the calls for one program.
func (n *namespaces) program(spec Spec) *box.Program {
	c := &calls{Program: &box.Program{}, limits: spec.Limits.or(n.policy.Limits).or(defaultLimits()), empty: emptyDir(n.policy)}
	c.view = n.view.protect(n.policy.EnvFiles)
	c.view.hideSockets()
	c.mounts()
	if !n.policy.HostNetwork {
		c.loopback()
	}
	if n.policy.Proxy != nil {
		c.listener()
	}
	c.rlimits()
	c.dropCapabilities()
	c.landlock(n.abi, n.rules(), false)
	c.seccomp(true)
	return c.Program
}

// rules says again with Landlock what the mounts say: all can be read, and what is writable written.
func (n *namespaces) rules() []rule {
	rules := []rule{{"/", rightsRead}, {"/dev", rightsDevice}, {"/dev/shm", rightsAll}}
	for _, b := range n.view.shown {
		if b.write {
			rules = append(rules, rule{b.target, rightsAll})
		}
	}
	return rules
}

// Start starts a program in a box of its own.
func (n *namespaces) Start(ctx context.Context, spec Spec) (Process, error) {
	env := n.env(spec)
	dir := spec.Dir
	if dir == "" {
		dir = n.policy.Workspace
	}
	path, err := lookPath(spec.Argv, env, dir)
	if err != nil {
		return nil, err
	}
	program := n.program(spec)
	order := box.Order{Path: path, Dir: dir, Argv: spec.Argv, Env: env, Terminal: spec.Terminal}
	child, err := n.enter(ctx, program, order, spec)
	if err != nil {
		return nil, err
	}
	if n.policy.Proxy != nil {
		child.serve(n.policy.Proxy)
	}
	return child, nil
}

func (n *namespaces) env(spec Spec) []string {
	base := childEnv(n.policy.Parent, nil)
	extra := []string{"TMPDIR=/tmp", "HOME=" + n.policy.Home}
	if n.policy.Proxy != nil {
		extra = append(extra, proxyEnv()...)
	}
	return merged(merged(base, extra...), spec.Env...)
}

// enter starts the child in new namespaces and waits until it has started the program or failed.
func (n *namespaces) enter(ctx context.Context, program *box.Program, order box.Order, spec Spec) (*child, error) {
	ours, theirs, err := controlPair()
	if err != nil {
		return nil, err
	}
	cmd := &exec.Cmd{
		Path: "/proc/self/exe", Args: []string{box.Name}, Dir: "/",
		Env:        []string{"GOMAXPROCS=1", "GOGC=off"}, // it lives for one program and allocates next to nothing
		ExtraFiles: []*os.File{theirs}, SysProcAttr: n.attributes(),
	}
	streams(cmd, spec)
	err = harden.Starting(cmd.Start)
	theirs.Close()
	if err != nil {
		ours.Close()
		return nil, fmt.Errorf("make the namespaces: %w", err)
	}
	c := &child{cmd: cmd, control: ours, limits: spec.Limits.or(n.policy.Limits)}
	stop := context.AfterFunc(ctx, func() { _ = c.Kill() })
	defer stop()
	if err := c.begin(program, order); err != nil {
		_ = c.Kill()
		_ = cmd.Wait()
		ours.Close()
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, err
	}
	return c, nil
}

// streams gives a command its files; a nil *os.File in an interface would not be nil.
func streams(cmd *exec.Cmd, spec Spec) {
	if spec.Stdin != nil {
		cmd.Stdin = spec.Stdin
	}
	if spec.Stdout != nil {
		cmd.Stdout = spec.Stdout
	}
	if spec.Stderr != nil {
		cmd.Stderr = spec.Stderr
	}
}

// attributes asks for the namespaces. The user stays who he is; root maps all users, to see whose files are whose.
func (n *namespaces) attributes() *syscall.SysProcAttr {
	flags := uintptr(unix.CLONE_NEWUSER | unix.CLONE_NEWNS | unix.CLONE_NEWPID | unix.CLONE_NEWIPC | unix.CLONE_NEWUTS)
	if !n.policy.HostNetwork {
		flags |= unix.CLONE_NEWNET
	}
	uid, gid := os.Geteuid(), os.Getegid()
	users := []syscall.SysProcIDMap{{ContainerID: uid, HostID: uid, Size: 1}}
	groups := []syscall.SysProcIDMap{{ContainerID: gid, HostID: gid, Size: 1}}
	// A user who is not root would lose what he may do in the new namespaces when the helper is executed.
	needed := []uintptr{unix.CAP_SYS_ADMIN, unix.CAP_NET_ADMIN, unix.CAP_SETPCAP}
	return &syscall.SysProcAttr{Cloneflags: flags, UidMappings: users, GidMappings: groups, AmbientCaps: needed}
}

// controlPair makes the socket between us and the child. Ours is watched by the runtime's poller.
func controlPair() (ours, theirs *os.File, err error) {
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, nil, fmt.Errorf("make the control socket: %w", err)
	}
	if err := unix.SetNonblock(fds[0], true); err != nil {
		return nil, nil, fmt.Errorf("make the control socket: %w", err)
	}
	return os.NewFile(uintptr(fds[0]), "control"), os.NewFile(uintptr(fds[1]), "control"), nil
}
