package sandbox

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"syscall"

	"golang.org/x/sys/unix"

	"rein/internal/box"
)

// namespaces is the best rung. A warden of the session lives in user, network, IPC and UTS namespaces, so that the
// session's programs can reach each other's servers and nobody else's; each program has process and mount namespaces
// of its own, whose process 1 makes the walls and starts the program as the only one it knows.
type namespaces struct {
	policy     Policy
	view       view
	abi        int // of Landlock
	supervisor *supervisor
	zygotes    *zygoteSource // the mounts that are the same for every program
	wider      widerBoxes

	// What is the same in every program's calls, made once.
	common *box.Program
	filter box.Ptr
	base   []string // the environment
}

func (n *namespaces) sees() *view { return &n.view }

// prepare makes the calls that are the same for every program, and those for the ground that they stand on.
func (n *namespaces) prepare() {
	c := &calls{Program: &box.Program{}}
	n.filter = c.loadFilter(true)
	n.common = c.Program
	g := &calls{Program: &box.Program{}, view: n.view, empty: n.policy.own.closed()}
	g.mounts()
	g.boundCapabilities()
	g.keep(g.landlock(n.abi, n.landlockRules(), false, false))
	n.zygotes = &zygoteSource{calls: g.Program, view: n.view, supervisor: n.supervisor}
	n.base = n.baseEnv()
}

// program makes the calls for one program: with the files of the workspace that need protection now.
func (n *namespaces) program(spec Spec) *box.Program {
	c := &calls{Program: n.common.Clone(), limits: n.policy.limits(spec)}
	c.view = n.view.protect(n.policy.EnvFiles)
	c.view.hideSockets()
	c.locks()
	c.masks()
	c.terminals()
	c.shm()
	c.proc()
	c.rlimits()
	c.dropCapabilities()
	c.restrict(box.Kept, n.filter)
	return c.Program
}

// landlockRules say again what the mounts say: all can be read, and what is writable written.
func (n *namespaces) landlockRules() []rule {
	rules := []rule{{"/", rightsRead}, {"/dev", rightsAll}}
	for _, b := range n.view.shown {
		if b.write {
			rules = append(rules, rule{b.target, rightsAll})
		}
	}
	return rules
}

// Start starts a program in a box of its own.
func (n *namespaces) Start(ctx context.Context, spec Spec) (Process, error) {
	n, err := n.opened(spec.Opened)
	if err != nil {
		return nil, err
	}
	order, err := n.policy.order(spec, n.base)
	if err != nil {
		return nil, err
	}
	spec = n.policy.confine(spec)
	c, err := n.enter(ctx, func() *box.Program { return n.program(spec) }, order, spec)
	if err != nil || !n.counted() || spec.group.counts(pidsKind) {
		return spec.group.around(c, err)
	}
	pid, err := c.born()
	if err != nil {
		return spec.group.around(nil, err)
	}
	return spec.group.around(n.supervisor.watched(c, pid, n.policy.limits(spec)), nil)
}

// counted reports whether the kernel does not count the processes of a box by themselves.
func (n *namespaces) counted() bool { return os.Geteuid() == 0 && !countsOwnProcesses() }

// env is the environment of a program.
// order says what is to be started; base is what all programs have in their environment.
func (p Policy) order(spec Spec, base []string) (box.Order, error) {
	env, dir := merged(base, spec.Env...), spec.Dir
	if dir == "" {
		dir = p.Workspace
	}
	path, err := lookPath(spec.Argv, env, dir)
	return box.Order{Path: path, Dir: dir, Argv: spec.Argv, Env: env, Terminal: spec.Terminal}, err
}

// baseEnv is what all programs have in their environment.
func (n *namespaces) baseEnv() []string {
	base := childEnv(n.policy.Parent, nil)
	extra := []string{"TMPDIR=/tmp", "HOME=" + n.policy.Home}
	if !n.view.writable(filepath.Join(n.policy.Home, ".cache")) {
		// There is no home to keep caches in.
		extra = append(extra, "XDG_CACHE_HOME=/tmp/.cache", "GOCACHE=/tmp/.cache/go-build", "npm_config_cache=/tmp/.npm")
	}
	if n.policy.Proxy != nil {
		extra = append(extra, proxyEnv()...)
	}
	return merged(base, extra...)
}

// enter starts process 1 of a new box and waits until it has started the program or failed. The plan is made while it
// is born.
func (n *namespaces) enter(ctx context.Context, plan func() *box.Program, order box.Order, spec Spec) (*child, error) {
	ours, theirs, err := controlPair(unix.SOCK_STREAM)
	if err != nil {
		return nil, err
	}
	flags := uint32(0)
	if spec.group != nil || n.counted() {
		flags = box.Announced
	}
	run, err := n.zygotes.isolate(ctx, flags, spec.Stdin, spec.Stdout, spec.Stderr, theirs)
	theirs.Close()
	if err != nil {
		ours.Close()
		return nil, err
	}
	c := &child{supervised: run, control: ours}
	stop := context.AfterFunc(ctx, func() { ours.Close() }) // without us the box ends itself
	if err = spec.group.admitWard(run); err == nil {
		err = c.begin(plan(), order)
	}
	if !stop() && err == nil {
		err = ctx.Err()
	}
	if err != nil {
		ours.Close()
		if ctx.Err() != nil {
			err = ctx.Err()
		}
		return nil, errors.Join(err, run.refused(box.Order{Path: "a box", Dir: "/"}))
	}
	return c, nil
}

// network is what the session's programs share: the attributes of their warden. The user stays who he is.
func (p Policy) network() *syscall.SysProcAttr {
	flags := uintptr(unix.CLONE_NEWUSER | unix.CLONE_NEWIPC | unix.CLONE_NEWUTS)
	if !p.HostNetwork {
		flags |= unix.CLONE_NEWNET
	}
	uid, gid := os.Geteuid(), os.Getegid()
	users := []syscall.SysProcIDMap{{ContainerID: uid, HostID: uid, Size: 1}}
	groups := []syscall.SysProcIDMap{{ContainerID: gid, HostID: gid, Size: 1}}
	// A user who is not root would lose what he may do in the new namespaces when the warden is executed.
	needed := []uintptr{unix.CAP_SYS_ADMIN, unix.CAP_NET_ADMIN, unix.CAP_SETPCAP}
	return &syscall.SysProcAttr{Cloneflags: flags, UidMappings: users, GidMappings: groups, AmbientCaps: needed}
}

// connect brings the session's network up, and gives the listener for the proxy inside it if one is wanted.
func (n *namespaces) connect(ctx context.Context) (net.Listener, error) {
	if n.policy.HostNetwork {
		return nil, nil
	}
	c := &calls{Program: &box.Program{}}
	c.loopback()
	if n.policy.Proxy != nil {
		c.listener()
	}
	run, err := n.supervisor.start(ctx, 0, c.Program, box.Order{Probe: true}, nil, nil, nil)
	if err != nil || n.policy.Proxy == nil {
		return nil, err
	}
	defer run.file.Close()
	l, err := net.FileListener(run.file)
	if err != nil {
		return nil, fmt.Errorf("take the listener of the sandbox: %w", err)
	}
	return l, nil
}

// controlPair makes the socket between us and the child. Ours is watched by the runtime's poller.
func controlPair(kind int) (ours, theirs *os.File, err error) {
	fds, err := unix.Socketpair(unix.AF_UNIX, kind|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, nil, fmt.Errorf("make the control socket: %w", err)
	}
	if err := unix.SetNonblock(fds[0], true); err != nil {
		return nil, nil, fmt.Errorf("make the control socket: %w", err)
	}
	return os.NewFile(uintptr(fds[0]), "control"), os.NewFile(uintptr(fds[1]), "control"), nil
}
