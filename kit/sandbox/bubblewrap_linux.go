package sandbox

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"

	"rein/kit/sandbox/internal/box"
)

// bubblewrap is the backend for machines where we may not make namespaces and bwrap may: it is
// set-user-id, or known to AppArmor. It makes the same view for each program and starts our helper in it as process 1,
// which adds what bwrap lacks and starts the program.
type bubblewrap struct {
	policy     backendPolicy
	bwrap      string // its path
	view       view
	abi        int // of Landlock; 0 where there is none: the mounts hold by themselves
	supervisor *supervisor
	ways       *proxyListener // to the proxy; nil if there is none
	names      *hostNames
	others     *bubblewrapViews
	free       bool // the kernel does not count a program's processes by themselves
}

// Sees returns what programs see.
func (b *bubblewrap) Sees() *view { return &b.view }

// openBubblewrap tries the backend with bubblewrap.
func openBubblewrap(ctx context.Context, p backendPolicy) (programStarter, func() error, error) {
	path, err := findBwrap(p, bwrapDirs(p))
	if err != nil {
		return nil, nil, err
	}
	return openBubblewrapAt(ctx, p, path)
}

// bwrapDirs are where bwrap may be: the machine's own places before those that the user's PATH names.
func bwrapDirs(p backendPolicy) []string {
	return append([]string{"/usr/bin", "/bin", "/usr/local/bin", "/run/wrappers/bin", "/run/current-system/sw/bin"},
		filepath.SplitList(lookupEnv(childEnv(p.Parent, nil), "PATH"))...)
}

// findBwrap finds bwrap. One that is where programs may write, or leads there, could be theirs, and is passed over.
func findBwrap(p backendPolicy, dirs []string) (string, error) {
	theirs := ""
	for _, dir := range dirs {
		path := filepath.Join(dir, "bwrap")
		if !filepath.IsAbs(dir) || !runnable(path) {
			continue
		}
		real, err := filepath.EvalSymlinks(path)
		if err != nil || p.Theirs(real) || p.Theirs(filepath.Clean(path)) {
			theirs = path
			continue
		}
		return path, nil
	}
	if theirs != "" {
		return "", fmt.Errorf("%s is not used: programs may write where it lies", theirs)
	}
	return "", errors.New("bwrap is not installed")
}

func runnable(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0
}

// setsUser reports whether a program runs as another user: bwrap then makes no user namespace to count in.
func setsUser(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode()&os.ModeSetuid != 0
}

// openBubblewrapAt tries the backend with the bwrap of a path.
func openBubblewrapAt(ctx context.Context, p backendPolicy, path string) (programStarter, func() error, error) {
	names, err := newHostNames(&p)
	if err != nil {
		return nil, nil, err
	}
	v, err := newView(p)
	if err != nil {
		return nil, nil, err
	}
	w, err := newSupervisor(&syscall.SysProcAttr{})
	if err != nil {
		return nil, nil, err
	}
	b := &bubblewrap{policy: p, bwrap: path, view: v, supervisor: w, names: names, others: &bubblewrapViews{open: map[string]*bubblewrap{}}, free: os.Geteuid() == 0 || setsUser(path)}
	if b.free {
		limitSessionProcesses(p, w)
	}
	if abi := landlockABI(); abi >= 3 {
		b.abi = min(abi, newestLandlock)
	}
	if err := probed(ctx, p, b.probe); err != nil {
		return nil, nil, fmt.Errorf("%w%s", err, closing(w))
	}
	if p.Proxy == nil || p.HostNetwork {
		return b, b.close, nil
	}
	b.ways = newProxyListener()
	var proxy sync.WaitGroup
	proxy.Go(func() { p.Proxy(b.ways) })
	return b, func() error {
		err := b.close()
		b.ways.Close()
		proxy.Wait()
		return err
	}, nil
}

// arguments makes the view in bwrap's words. Sources are meant as the host has them, whatever was covered before.
func (b *bubblewrap) arguments(v view) []string {
	args := []string{"--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try", "--as-pid-1", "--cap-drop", "ALL", "--chdir", "/"}
	if !b.policy.HostNetwork {
		args = append(args, "--unshare-net")
	}
	args = append(args, "--ro-bind", "/", "/")
	for _, dir := range v.Covers {
		args = append(args, "--tmpfs", dir)
	}
	for _, s := range v.Shown {
		args = append(args, bindOption(s), s.Source, s.Target)
	}
	for _, dir := range v.Covers {
		args = append(args, "--remount-ro", dir)
	}
	args = append(args, "--dev", "/dev", "--tmpfs", "/dev/shm", "--remount-ro", "/dev", "--proc", "/proc", "--remount-ro", "/proc")
	for _, l := range v.Locked {
		args = append(args, bindOption(l)+"-try", l.Source, l.Target)
	}
	for _, m := range v.Masked {
		closed := filepath.Join(b.policy.Own.Closed(), "file")
		if m.Dir {
			closed = filepath.Join(b.policy.Own.Closed(), "dir")
		}
		args = append(args, "--ro-bind", closed, m.Target)
	}
	return append(args, "--", "/proc/self/fd/"+bwrapHelper)
}

func bindOption(b viewBind) string {
	if b.Write {
		return "--bind"
	}
	return "--ro-bind"
}

// bwrapHelper is the number of the open file that bwrap starts: our own binary, which may be hidden inside.
const bwrapHelper = "4"

// program makes the calls that the helper carries out inside: what bwrap does not do.
func (b *bubblewrap) program(spec Spec, doors []bwrapDoor) *box.Program {
	c := &calls{Program: &box.Program{}, view: b.view, limits: b.policy.LimitsOf(spec)}
	if b.ways != nil {
		c.listener(netip.MustParseAddrPort(proxyAddress))
	}
	for _, d := range doors {
		c.listener(d.at)
	}
	if b.free && c.limits.Processes > 0 {
		c.limits.Processes += everybody() // it counts all that the user runs, anywhere
	}
	c.rlimits()
	c.dropCapabilities()
	filter := c.loadFilter(true, b.policy.Debuggers)
	if b.abi == 0 {
		c.Do("filter the system calls", unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, 0, filter)
		return c.Program
	}
	mounts := namespaces{view: b.view}
	c.restrict(c.landlock(b.abi, mounts.landlockRules(), false, false), filter, everyThread)
	return c.Program
}

// Start starts a program in a box of its own.
func (b *bubblewrap) Start(ctx context.Context, spec Spec) (programProcess, error) {
	b, err := b.opened(spec)
	if err != nil {
		return nil, err
	}
	mounts := namespaces{policy: b.policy, view: b.view}
	order, err := order(b.policy, spec, mounts.baseEnv())
	if err != nil {
		return nil, err
	}
	doors, release, err := b.doors(ctx, spec.Opened)
	if err != nil {
		return nil, err
	}
	bound := confine(b.policy, spec)
	c, err := b.enter(ctx, b.program(bound.Spec, doors), order, bound)
	if err != nil {
		release()
		return around(bound.group, nil, err)
	}
	var process programProcess = c
	if len(c.handed) > 0 {
		if process, err = b.lead(c, doors, release); err != nil {
			return around(bound.group, nil, err)
		}
	}
	if b.free && !bound.group.Counts(cgroupProcesses) {
		pid, err := c.pidOf()
		if err != nil {
			return around(bound.group, nil, err)
		}
		process = b.supervisor.watched(process, pid, b.policy.LimitsOf(bound.Spec))
	}
	return around(bound.group, process, nil)
}

// firstFreePort is the lowest port that needs no rights.
const firstFreePort = 1024

// bwrapDoor is a server outside that a program finds in its own network.
type bwrapDoor struct {
	to Server
	at netip.AddrPort
}

// doors are the doors for a program, whose names it has until release is called.
func (b *bubblewrap) doors(ctx context.Context, o Opened) (all []bwrapDoor, release func(), err error) {
	release = func() {
		for _, d := range all {
			b.names.GiveBack(d.to.Name)
		}
	}
	if b.policy.HostNetwork {
		return nil, release, nil
	}
	for _, s := range b.ways.answering(ctx, o.servers(b.ways != nil), b.policy.Servers) {
		if s.Port < firstFreePort {
			continue // the helper has no rights that a program has not
		}
		address, err := b.names.Take(s.Name)
		if err != nil {
			release()
			return nil, nil, err
		}
		all = append(all, bwrapDoor{s, netip.AddrPortFrom(address, s.Port)})
	}
	return all, release, nil
}

// opened returns the backend for a program that may use more or less than the policy allows.
func (b *bubblewrap) opened(spec Spec) (*bubblewrap, error) {
	p, other, err := b.policy.For(spec)
	if err != nil || !other {
		return b, err
	}
	b.others.mu.Lock()
	defer b.others.mu.Unlock()
	if wide, ok := b.others.open[spec.access()]; ok {
		return wide, nil
	}
	wide := *b
	wide.policy = p
	if wide.view, err = newView(p); err == nil {
		b.others.open[spec.access()] = &wide
	}
	return &wide, err
}

// bubblewrapViews are the backends for programs that may use more, or less, than the policy allows.
type bubblewrapViews struct {
	mu   sync.Mutex
	open map[string]*bubblewrap
}

// close ends the session's processes.
func (b *bubblewrap) close() error {
	b.others.mu.Lock()
	defer b.others.mu.Unlock()
	b.view.Close()
	b.names.Close()
	for _, wide := range b.others.open {
		wide.view.Close()
	}
	return b.supervisor.close()
}

// enter starts bwrap with our helper inside and waits until that has started the program or failed.
func (b *bubblewrap) enter(ctx context.Context, steps *box.Program, order box.Order, spec grouped) (*child, error) {
	b.view.Refresh()
	v := b.view.Protect(b.policy.EnvFiles)
	v.HideSockets()
	self, err := os.Open("/proc/self/exe")
	if err != nil {
		return nil, fmt.Errorf("open the sandbox's helper: %w", err)
	}
	defer self.Close()
	ours, theirs, err := controlPair(unix.SOCK_STREAM)
	if err != nil {
		return nil, err
	}
	helper := box.Order{Path: b.bwrap, Dir: "/", Argv: append([]string{"bwrap"}, b.arguments(v)...), Env: []string{box.Role + "=" + box.RoleInit, "GOMAXPROCS=1", "GOGC=off", fmt.Sprintf("%s=%d", box.Groups, spec.group.Doors())}}
	doors, err := spec.group.OpenDoors()
	defer closeAll(doors)
	if err != nil {
		return nil, errors.Join(err, ours.Close(), theirs.Close())
	}
	r, err := b.supervisor.request(box.Request{Kind: box.Start}, &box.Program{}, helper, append([]*os.File{spec.Stdin, spec.Stdout, spec.Stderr, theirs, self}, doors...)...)
	theirs.Close()
	if err != nil {
		ours.Close()
		return nil, err
	}
	c := &child{programRun: r, control: ours}
	err = c.beginWithin(ctx, func() error { return c.begin(steps, order) })
	if err != nil {
		return nil, errors.Join(err, r.refused(helper), r.Kill())
	}
	return c, nil
}

// probe makes a sandbox around a child of ours that starts nothing and tries to get out.
func (b *bubblewrap) probe(ctx context.Context) error {
	outside, closeOutside, err := target(b.policy)
	if err != nil {
		return err
	}
	defer closeOutside()
	questions := boxQuestions(outside, b.policy)
	steps := b.program(Spec{}, nil)
	ask(steps, questions)
	stderr, err := os.Create(filepath.Join(b.policy.Own.Session(), "bwrap"))
	if err != nil {
		return err
	}
	defer os.Remove(stderr.Name())
	defer stderr.Close()
	c, err := b.enter(ctx, steps, box.Order{Probe: true}, grouped{Spec: Spec{Stderr: stderr}})
	if err != nil {
		return fmt.Errorf("%s: %w%s", b.bwrap, err, complaint(stderr))
	}
	if _, err := c.programRun.Wait(); err != nil {
		return err
	}
	c.control.Close()
	return judge(questions, c.probed)
}

// complaint is the error message of bwrap.
func complaint(stderr *os.File) string {
	text := make([]byte, 400)
	n, _ := stderr.ReadAt(text, 0)
	line, _, _ := strings.Cut(strings.TrimSpace(string(text[:n])), "\n")
	if line == "" {
		return ""
	}
	return " (it says: " + line + ")"
}
