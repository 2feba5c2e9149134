package sandbox

import (
	"context"
	"fmt"
	"path/filepath"
	"syscall"

	"golang.org/x/sys/unix"

	"rein/kit/sandbox/internal/box"
)

// supervised is a backend without namespaces: a supervisor starts the programs, on a thread that is restricted by Landlock and
// seccomp, or not restricted at all.
type supervised struct {
	policy     backendPolicy
	supervisor *supervisor
	isolation  bool
	view       *view
	abi        int      // of Landlock
	common     []string // in the environment of all programs
	granted    grantedSupervised
}

// furnished notes what all programs have in common.
func (l *supervised) furnished() *supervised {
	l.common = mergeEnv(childEnv(l.policy.Parent, nil), l.env()...)
	return l
}

// Sees returns what programs see.
func (l *supervised) Sees() *view { return l.view }

// openLandlock tries the backend with Landlock and seccomp.
func openLandlock(ctx context.Context, p backendPolicy) (programStarter, func() error, error) {
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
	limitSessionProcesses(p, w)
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
	var metadata []uint32
	if l.policy.ReadOnly() {
		metadata = metadataCalls()
	}
	c.restrict(set, c.loadFilter(l.policy.HostNetwork, false, metadata...), oneThread)
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
func openBare(_ context.Context, p backendPolicy) (programStarter, func() error, error) {
	w, err := newSupervisor(&syscall.SysProcAttr{})
	if err != nil {
		return nil, nil, err
	}
	limitSessionProcesses(p, w)
	return (&supervised{policy: p, supervisor: w}).furnished(), w.close, nil
}

// Start starts a program.
func (l *supervised) Start(ctx context.Context, spec Spec) (programProcess, error) {
	l, err := l.opened(ctx, spec)
	if err != nil {
		return nil, err
	}
	if l.isolation {
		l.view.Refresh()
	}
	order, err := order(l.policy, spec, l.common)
	if err != nil {
		return nil, err
	}
	bound := confine(l.policy, spec)
	if bound.group != nil {
		p, err := l.startInGroup(ctx, order, bound)
		return around(bound.group, p, err)
	}
	r, err := l.supervisor.start(ctx, box.Request{Kind: box.Start}, &box.Program{}, order, spec.Stdin, spec.Stdout, spec.Stderr)
	if err != nil {
		return nil, err
	}
	limits := l.policy.LimitsOf(bound.Spec)
	r.limit(limits)
	return l.supervisor.watched(r, r.pid, limits), nil
}

// env points tools to the private directories, which no mount can put where they look.
func (l *supervised) env() []string {
	if !l.isolation {
		return nil
	}
	cache := l.policy.Own.Cache(".cache")
	return append(l.view.GitEnv(), "HOME="+l.policy.Home, "TMPDIR="+l.policy.Own.Tmp(), "XDG_CACHE_HOME="+cache, "GOCACHE="+filepath.Join(cache, "go-build"),
		"npm_config_cache="+l.policy.Own.Cache(".npm"), "XDG_STATE_HOME="+l.policy.Own.Cache(".local/state"))
}

func (l *supervised) probe(ctx context.Context) error {
	outside, closeOutside, err := target(l.policy)
	if err != nil {
		return err
	}
	defer closeOutside()
	questions := append(commonQuestions(outside, false),
		question{name: "write to the private directory for temporary files", allowed: true, call: unix.SYS_OPENAT,
			args: []any{here, filepath.Join(l.policy.Own.Tmp(), ".probe"), unix.O_CREAT | unix.O_WRONLY | unix.O_CLOEXEC, 0o600}})
	if !l.policy.HostNetwork {
		questions = append(questions, question{name: "open a socket", call: unix.SYS_SOCKET, args: []any{unix.AF_INET, unix.SOCK_STREAM, 0}})
	}
	steps := &box.Program{}
	ask(steps, questions)
	r, err := l.supervisor.start(ctx, box.Request{Kind: box.Start}, steps, box.Order{Probe: true}, nil, nil, nil)
	if err != nil {
		return err
	}
	return judge(questions, r.answers)
}
