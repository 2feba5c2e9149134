package sandbox

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"

	"rein/internal/box"
)

// supervised is a backend without namespaces: a supervisor starts the programs, on a thread that is restricted by Landlock and
// seccomp, or not restricted at all.
type supervised struct {
	policy     Policy
	supervisor *supervisor
	isolation  bool
	view       *view
	abi        int      // of Landlock
	common     []string // in the environment of all programs
	granted    grantedSupervised
}

// furnished notes what all programs have in common.
func (l *supervised) furnished() *supervised {
	l.common = merged(childEnv(l.policy.Parent, nil), l.env()...)
	return l
}

func (l *supervised) sees() *view { return l.view }

// openLandlock tries the backend with Landlock and seccomp.
func openLandlock(ctx context.Context, p Policy) (Sandbox, func() error, error) {
	abi := landlockABI()
	if abi < 3 {
		return nil, nil, fmt.Errorf("version %d of Landlock is too old: 3 is the first that covers truncation", abi)
	}
	v, err := newView(p)
	if err != nil {
		return nil, nil, err
	}
	w, err := newSupervisor(&syscall.SysProcAttr{})
	if err != nil {
		return nil, nil, err
	}
	p.limitProcesses(w)
	l := (&supervised{policy: p, supervisor: w, isolation: true, view: &v, abi: min(abi, newestLandlock)}).furnished()
	err = l.prepare(ctx, landlockRules(v, p), l.abi)
	if err == nil {
		err = probed(ctx, p, l.probe)
	}
	if err != nil {
		return nil, nil, fmt.Errorf("%w%s", err, closing(w))
	}
	return l, l.close, nil
}

// prepare restricts the thread of the supervisor that starts programs.
func (l *supervised) prepare(ctx context.Context, rules []rule, abi int) error {
	c := &calls{Program: &box.Program{}}
	c.boundCapabilities()
	c.dropCapabilities()
	set := c.landlock(abi, rules, !l.policy.HostNetwork, true)
	c.restrict(set, c.loadFilter(l.policy.HostNetwork), oneThread)
	_, err := l.supervisor.start(ctx, box.Request{Kind: box.Start, Fresh: true}, c.Program, box.Order{Probe: true}, nil, nil, nil)
	return err
}

func closing(w *supervisor) string {
	if err := w.close(); err != nil {
		return "; " + err.Error()
	}
	return ""
}

// openBare opens the backend without isolation. Its supervisor ends what would survive.
func openBare(_ context.Context, p Policy) (Sandbox, func() error, error) {
	w, err := newSupervisor(&syscall.SysProcAttr{})
	if err != nil {
		return nil, nil, err
	}
	p.limitProcesses(w)
	return (&supervised{policy: p, supervisor: w}).furnished(), w.close, nil
}

// Start starts a program.
func (l *supervised) Start(ctx context.Context, spec Spec) (Process, error) {
	l, err := l.opened(ctx, spec.Opened)
	if err != nil {
		return nil, err
	}
	order, err := l.policy.order(spec, l.common)
	if err != nil {
		return nil, err
	}
	spec = l.policy.confine(spec)
	if spec.group != nil {
		p, err := l.startInGroup(ctx, order, spec)
		return around(spec.group, p, err)
	}
	r, err := l.supervisor.start(ctx, box.Request{Kind: box.Start}, &box.Program{}, order, spec.Stdin, spec.Stdout, spec.Stderr)
	if err != nil {
		return nil, err
	}
	limits := l.policy.limits(spec)
	r.limit(limits)
	return l.supervisor.watched(r, r.pid, limits), nil
}

// env points tools to the private directories, which no mount can put where they look.
func (l *supervised) env() []string {
	if !l.isolation {
		return nil
	}
	cache := l.policy.own.Cache(".cache")
	return []string{"HOME=" + l.policy.Home, "TMPDIR=" + l.policy.own.Tmp(), "XDG_CACHE_HOME=" + cache, "GOCACHE=" + filepath.Join(cache, "go-build"),
		"npm_config_cache=" + l.policy.own.Cache(".npm"), "XDG_STATE_HOME=" + l.policy.own.Cache(".local/state")}
}

func (l *supervised) probe(ctx context.Context) error {
	outside, closeOutside, err := target(l.policy)
	if err != nil {
		return err
	}
	defer closeOutside()
	questions := append(commonQuestions(outside),
		question{name: "write to the private directory for temporary files", allowed: true, call: unix.SYS_OPENAT,
			args: []any{here, filepath.Join(l.policy.own.Tmp(), ".probe"), unix.O_CREAT | unix.O_WRONLY | unix.O_CLOEXEC, 0o600}})
	if !l.policy.HostNetwork {
		questions = append(questions, question{name: "open a socket", call: unix.SYS_SOCKET, args: []any{unix.AF_INET, unix.SOCK_STREAM, 0}})
	}
	program := &box.Program{}
	ask(program, questions)
	r, err := l.supervisor.start(ctx, box.Request{Kind: box.Start}, program, box.Order{Probe: true}, nil, nil, nil)
	if err != nil {
		return err
	}
	return judge(program, questions, r.answers)
}

// landlockRules expresses the view in Landlock rules, as far as possible: rules only allow, so whatever holds a hidden place
// is allowed child by child.
func landlockRules(v view, p Policy) []rule {
	hidden := slices.Clone(v.covers)
	for _, m := range v.masked {
		hidden = append(hidden, m.target)
	}
	hidden = append(hidden, "/tmp", "/var/tmp", "/dev", p.Private)
	rules := allowExcept("/", hidden)
	rules = append(rules, rule{"/dev/pts", rightsDevice})
	for _, name := range append(deviceNames(), "ptmx") {
		rules = append(rules, rule{"/dev/" + name, rightsDevice})
	}
	for _, b := range v.shown {
		switch {
		case b.source != b.target && b.write:
			rules = append(rules, rule{b.source, rightsAll})
		case b.write:
			rules = append(rules, rule{b.target, rightsAll})
		case !slices.ContainsFunc(v.masked, func(m bind) bool { return above(b.target, m.target) }):
			rules = append(rules, rule{b.target, rightsRead})
		default:
			rules = append(rules, allowExcept(b.target, hidden)...)
		}
	}
	return rules
}

// allowExcept allows reading a directory but for some places in it.
func allowExcept(dir string, hidden []string) []rule {
	if slices.Contains(hidden, dir) {
		return nil
	}
	if !slices.ContainsFunc(hidden, func(h string) bool { return above(dir, h) }) {
		return []rule{{dir, rightsRead}}
	}
	entries, _ := os.ReadDir(dir)
	var rules []rule
	if dir != "/" {
		rules = append(rules, rule{dir, unix.LANDLOCK_ACCESS_FS_READ_DIR})
	}
	for _, e := range entries {
		if e.Type()&os.ModeSymlink == 0 {
			rules = append(rules, allowExcept(strings.TrimSuffix(dir, "/")+"/"+e.Name(), hidden)...)
		}
	}
	return rules
}
