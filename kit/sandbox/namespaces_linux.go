package sandbox

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"slices"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"

	"rein/kit/sandbox/internal/box"
)

// namespaces is the best backend. A supervisor of the session lives in user, network, IPC and UTS namespaces, so that the
// session's programs can reach each other's servers and nobody else's; each program has process and mount namespaces
// of its own, whose process 1 restricts itself and starts the program.
type namespaces struct {
	policy     backendPolicy
	view       view
	abi        int // of Landlock
	supervisor *supervisor
	zygote     *zygote // where programs start, with the mounts that are the same for all
	others     grantedNamespaces
	granted    bool // for programs with opened places: they are few, and no process waits for them
	doors      *sessionDoors

	// What is the same in every program's calls, made once.
	common *box.Program
	filter box.Ptr
	base   []string // the environment
}

// Sees returns what programs see.
func (n *namespaces) Sees() *view { return &n.view }

// prepare makes the calls that are the same for every program, and the calls that prepare their mounts.
func (n *namespaces) prepare() {
	c := &calls{Program: &box.Program{}}
	n.filter = c.loadFilter(true, n.policy.Debuggers)
	c.boundCapabilities()
	n.common = c.Program
	z := &calls{Program: &box.Program{}, view: n.view, empty: n.policy.Own.Closed()}
	z.mounts()
	z.KeepFile(z.landlock(n.abi, n.landlockRules(), false, false))
	n.zygote = &zygote{calls: z.Program, view: n.view, supervisor: n.supervisor, demand: spares(n.granted, n.policy.Limits.Processes)}
	n.base = n.baseEnv()
}

// program makes the calls for one program: with the files of the workspace that need protection now.
func (n *namespaces) program(spec Spec) (*box.Program, []viewBind) {
	c := &calls{Program: n.common.Clone(), limits: n.policy.LimitsOf(spec)}
	n.view.Refresh()
	c.view = n.view.Protect(n.policy.EnvFiles)
	c.view.HideSockets()
	c.locks()
	c.masks(c.view.Masked[c.view.Fixed:])
	c.terminals()
	c.shm()
	c.proc()
	c.rlimits()
	c.dropCapabilities()
	c.restrict(box.Kept, n.filter, everyThread)
	return c.Program, c.view.Masked
}

// landlockRules say again what the mounts say: all can be read, and what is writable written.
func (n *namespaces) landlockRules() []rule {
	rules := []rule{{"/", rightsRead}, {"/dev", rightsAll}}
	for _, b := range n.view.Shown {
		if b.Write || b.Layer != "" {
			rules = append(rules, rule{b.Target, rightsAll})
		}
	}
	return rules
}

// Start starts a program in a box of its own.
func (n *namespaces) Start(ctx context.Context, spec Spec) (programProcess, error) {
	n, err := n.opened(spec)
	if err != nil {
		return nil, err
	}
	order, err := order(n.policy, spec, n.base)
	if err != nil {
		return nil, err
	}
	bound := confine(n.policy, spec)
	var masked []viewBind
	c, err := n.enter(ctx, func() (steps *box.Program) { steps, masked = n.program(bound.Spec); return steps }, order, bound)
	if err == nil {
		c.masks = n.remask(c, masked)
	}
	if err != nil || !n.counted() || bound.group.Counts(cgroupProcesses) {
		return around(bound.group, c, err)
	}
	pid, err := c.pidOf()
	if err != nil {
		return around(bound.group, nil, err)
	}
	return around(bound.group, n.supervisor.watched(c, pid, n.policy.LimitsOf(bound.Spec)), nil)
}

// counted reports whether the kernel does not count the processes of a box by themselves.
func (n *namespaces) counted() bool { return os.Geteuid() == 0 && !countsOwnProcesses() }

// order describes the program to start; base is the environment that all programs share.
func order(p backendPolicy, spec Spec, base []string) (box.Order, error) {
	env, dir := mergeEnv(base, spec.Env...), spec.Dir
	if dir == "" {
		dir = p.Workspace
	}
	path, err := lookPath(spec.Argv, env, dir)
	if err == nil && slices.ContainsFunc(slices.Concat([]string{path, dir}, spec.Argv, env), func(text string) bool { return strings.Contains(text, "\x00") }) {
		err = fmt.Errorf("start %s in %s: a text has a NUL in it: %w", path, dir, unix.EINVAL) // the kernel would read what is before it
	}
	return box.Order{Path: path, Dir: dir, Argv: spec.Argv, Env: env, Terminal: spec.Terminal}, err
}

// baseEnv is what all programs have in their environment.
func (n *namespaces) baseEnv() []string {
	base := childEnv(n.policy.Parent, nil)
	extra := []string{"TMPDIR=/tmp", "HOME=" + n.policy.Home}
	if !n.view.HasCache(n.policy.Home) {
		// There is no home to keep caches in, or none where anything new can be made.
		extra = append(extra, "XDG_CACHE_HOME=/tmp/.cache", "GOCACHE=/tmp/.cache/go-build", "npm_config_cache=/tmp/.npm")
	}
	if n.policy.Proxy != nil {
		extra = append(extra, proxyEnv()...)
	}
	if os.Geteuid() == 0 { // tar would give each file its owner of elsewhere, who is nobody here
		extra = append(extra, "TAR_OPTIONS=--no-same-owner")
	}
	return mergeEnv(base, extra...)
}

// enter starts a program in namespaces of its own and waits until it runs or has failed. The plan is made while process 1
// starts.
func (n *namespaces) enter(ctx context.Context, plan func() *box.Program, order box.Order, spec grouped) (*child, error) {
	for {
		c, wasSpare, err := n.zygote.take(ctx)
		if err != nil {
			n.zygote.begun(nil)
			return nil, err
		}
		err = c.beginWithin(ctx, func() error {
			if err := admitRun(spec.group, c.programRun); err != nil {
				return err
			}
			return c.begin(plan(), order, spec.Stdin, spec.Stdout, spec.Stderr)
		})
		if err == nil {
			n.zygote.begun(c)
			return c, nil
		}
		n.zygote.begun(nil)
		if wasSpare && errors.Is(err, errInitGone) {
			continue // somebody killed it while it waited
		}
		return nil, errors.Join(err, c.refused(box.Order{Path: "the sandbox's helper", Dir: "/"}))
	}
}

// network is what the session's programs share: the attributes of their supervisor. The user id stays what it is.
func network(p backendPolicy) *syscall.SysProcAttr {
	flags := uintptr(unix.CLONE_NEWUSER | unix.CLONE_NEWIPC | unix.CLONE_NEWUTS)
	if !p.HostNetwork {
		flags |= unix.CLONE_NEWNET
	}
	uid, gid := os.Geteuid(), os.Getegid()
	users := []syscall.SysProcIDMap{{ContainerID: uid, HostID: uid, Size: 1}}
	groups := []syscall.SysProcIDMap{{ContainerID: gid, HostID: gid, Size: 1}}
	// A user who is not root would lose the rights in the new namespaces when the supervisor is executed.
	needed := []uintptr{unix.CAP_SYS_ADMIN, unix.CAP_NET_ADMIN, unix.CAP_SETPCAP, unix.CAP_NET_BIND_SERVICE, // the last for opened ports
		unix.CAP_SYS_CHROOT, unix.CAP_SYS_PTRACE, // for entering the mounts of a program
		unix.CAP_DAC_OVERRIDE} // for layers: the kernel works in a directory that nobody may open
	return &syscall.SysProcAttr{Cloneflags: flags, UidMappings: users, GidMappings: groups, AmbientCaps: needed}
}

// connect brings the session's network up, and returns the listener for the proxy inside it if one is wanted.
func (n *namespaces) connect(ctx context.Context) (net.Listener, error) {
	if n.policy.HostNetwork {
		return nil, nil
	}
	c := &calls{Program: &box.Program{}}
	c.loopback()
	if n.policy.Proxy != nil {
		c.listener(netip.MustParseAddrPort(proxyAddress))
	}
	r, err := n.supervisor.start(ctx, box.Request{Kind: box.Start}, c.Program, box.Order{Probe: true}, nil, nil, nil)
	if err != nil || n.policy.Proxy == nil {
		return nil, err
	}
	defer r.file.Close()
	l, err := net.FileListener(r.file)
	if err != nil {
		return nil, fmt.Errorf("take the listener of the sandbox: %w", err)
	}
	return l, nil
}
