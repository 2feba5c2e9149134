package sandbox

import (
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"rein/kit/sandbox/internal/box"
)

// containedProgram is a program in a container.
type containedProgram struct {
	*programRun
	ended func()
}

// Wait returns when the program has ended and the supervisor has killed what it left behind.
func (p containedProgram) Wait() (Exit, error) {
	defer p.ended()
	return p.programRun.Wait()
}

// Start starts a program in the session's container.
func (c *containers) Start(ctx context.Context, spec Spec) (programProcess, error) {
	one, err := c.take(ctx, spec)
	if err != nil {
		return nil, err
	}
	p, err := c.start(ctx, one, spec)
	if err != nil {
		c.release(one)
		return nil, err
	}
	return p, nil
}

func (c *containers) start(ctx context.Context, one *container, spec Spec) (programProcess, error) {
	order, err := c.order(ctx, one, spec)
	if err != nil {
		return nil, err
	}
	closeDoors, err := one.network.openDoors(ctx, spec.Opened)
	if err != nil {
		return nil, err
	}
	r, err := one.supervisor.start(ctx, box.Request{Kind: box.Start}, &box.Program{}, order, spec.Stdin, spec.Stdout, spec.Stderr)
	if err != nil {
		closeDoors()
		return nil, err
	}
	bound := &calls{Program: &box.Program{}, limits: c.policy.LimitsOf(spec), pid: r.pid}
	bound.limits.Processes = -1 // the engine bounds them: a user's are counted wherever they run
	bound.rlimits()
	// One that has ended already has no limits any more.
	if _, err := one.supervisor.start(context.WithoutCancel(ctx), box.Request{Kind: box.Start}, bound.Program, box.Order{Probe: true}, nil, nil, nil); err != nil && !strings.Contains(err.Error(), unix.ESRCH.Error()) {
		_ = r.Kill()
		closeDoors()
		return nil, err
	}
	return containedProgram{r, func() { closeDoors(); c.release(one) }}, nil
}

// order describes the program to start. It is looked up in the container.
func (c *containers) order(ctx context.Context, one *container, spec Spec) (box.Order, error) {
	env, dir := mergeEnv(c.base, spec.Env...), spec.Dir
	if dir == "" {
		dir = c.policy.Workspace
	}
	if len(spec.Argv) == 0 || spec.Argv[0] == "" {
		_, err := lookPath(spec.Argv, env, dir)
		return box.Order{}, err
	}
	name := spec.Argv[0]
	if slices.ContainsFunc(slices.Concat([]string{dir}, spec.Argv, env), func(text string) bool { return strings.Contains(text, "\x00") }) {
		return box.Order{}, fmt.Errorf("start %s in %s: a text has a NUL in it: %w", name, dir, unix.EINVAL)
	}
	if strings.ContainsRune(name, filepath.Separator) {
		if !filepath.IsAbs(name) {
			name = filepath.Join(dir, name)
		}
	} else {
		var err error
		if name, err = one.lookUp(ctx, name, lookupEnv(env, "PATH")); err != nil {
			return box.Order{}, err
		}
	}
	return box.Order{Path: name, Dir: dir, Argv: spec.Argv, Env: env, Terminal: spec.Terminal}, nil
}

// lookUp finds a program in the container: the supervisor tries each directory of the path.
func (o *container) lookUp(ctx context.Context, name, path string) (string, error) {
	steps := &box.Program{}
	var places []string
	var tries []question
	for _, dir := range filepath.SplitList(path) {
		if filepath.IsAbs(dir) {
			place := filepath.Join(dir, name)
			places = append(places, place)
			tries = append(tries, question{name: place, call: unix.SYS_FACCESSAT, args: []any{here, place, unix.X_OK}})
		}
	}
	ask(steps, tries)
	r, err := o.supervisor.start(ctx, box.Request{Kind: box.Start}, steps, box.Order{Probe: true}, nil, nil, nil)
	if err != nil {
		return "", err
	}
	for i, answer := range r.answers[:min(len(r.answers), len(places))] {
		if answer.Errno == 0 {
			return places[i], nil
		}
	}
	return "", fmt.Errorf("%s: %w in the image", name, exec.ErrNotFound)
}

// ulimits are the limits that every process of a container begins with. Those of one program that are stricter, and its CPU time, are set
// when it has started. An engine that is not told a limit may want more than it has itself, and fail.
func ulimits(l Limits) (args []string) {
	for _, bound := range []struct {
		name     string
		resource int
		limit    int64
		most     uint64 // that engines have
	}{
		{"core", unix.RLIMIT_CORE, 0, 0},
		{"nofile", unix.RLIMIT_NOFILE, l.OpenFiles, 1 << 20},
		{"nproc", unix.RLIMIT_NPROC, -1, 32768}, // --pids-limit counts those of the container alone
		{"fsize", unix.RLIMIT_FSIZE, l.FileSize, unix.RLIM_INFINITY},
		{"data", unix.RLIMIT_DATA, l.Memory, unix.RLIM_INFINITY},
	} {
		var own unix.Rlimit
		if unix.Getrlimit(bound.resource, &own) != nil {
			continue
		}
		most := min(own.Max, bound.most)
		if bound.limit >= 0 {
			most = min(most, uint64(bound.limit))
		}
		if most != unix.RLIM_INFINITY {
			args = append(args, "--ulimit", fmt.Sprintf("%s=%d:%d", bound.name, most, most))
		}
	}
	return args
}
