package sandbox

import (
	"context"
	"errors"
	"os"
	"syscall"

	"rein/kit/sandbox/internal/box"
)

// newLinuxGroups makes a session's control groups.
func newLinuxGroups() *sessionCgroups {
	return newSessionCgroups(func() (int, func() error, error) {
		s, err := newSupervisor(&syscall.SysProcAttr{})
		if err != nil {
			return 0, nil, err
		}
		return s.cmd.Process.Pid, s.close, nil
	})
}

func closeAll(files []*os.File) {
	for _, f := range files {
		f.Close()
	}
}

// programInGroup is a program in a group.
type programInGroup struct {
	programProcess
	group *programCgroups
}

// around makes a started program one of its group.
func around(g *programCgroups, p programProcess, err error) (programProcess, error) {
	if g == nil {
		return p, err
	}
	if err != nil {
		g.Leave()
		return nil, err
	}
	return &programInGroup{p, g}, nil
}

// Wait waits for the program's end and asks the kernel whether it was held to a limit.
func (c *programInGroup) Wait() (Exit, error) {
	exit, err := c.programProcess.Wait()
	if hit := c.group.Hit(); exit.Limit == "" {
		exit.Limit = map[cgroupKind]string{cgroupMemory: limitMemory, cgroupProcesses: limitProcessCount}[hit]
	}
	c.group.Leave()
	return exit, err
}

// gate waits for a line on file 3 and becomes the program. Nobody else can wait: without namespaces the
// supervisor starts the program itself, which may have children before it could be moved.
const gate = `read -r _ <&3 || exit 125; exec 3<&-; exec "$@"`

// startInGroup starts a program that begins its life in its groups.
func (l *supervised) startInGroup(ctx context.Context, order box.Order, spec grouped) (programProcess, error) {
	sh, err := lookPath([]string{"sh"}, order.Env, order.Dir)
	if err != nil {
		return nil, err
	}
	theirs, ours, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer ours.Close()
	order.Argv = append([]string{"sh", "-c", gate, "sh", order.Path}, order.Argv[1:]...)
	order.Path = sh
	r, err := l.supervisor.start(ctx, box.Request{Kind: box.Start}, &box.Program{}, order, spec.Stdin, spec.Stdout, spec.Stderr, theirs)
	theirs.Close()
	if err != nil {
		return nil, err
	}
	r.limit(l.policy.LimitsOf(spec.Spec))
	err = spec.group.Admit(r.pid)
	if err == nil {
		_, err = ours.WriteString("\n")
	}
	if err != nil {
		return nil, errors.Join(err, r.Kill())
	}
	if spec.group.Counts(cgroupProcesses) {
		return r, nil
	}
	return l.supervisor.watched(r, r.pid, l.policy.LimitsOf(spec.Spec)), nil
}

// Counted reports whether the kernel counts the memory of the whole command.
func (c *programInGroup) Counted() bool { return c.group.Counts(cgroupMemory) }

// grouped is a program to start, and its group.
type grouped struct {
	Spec
	group *programCgroups // where the kernel counts what it uses; nil: nowhere
}

// confine makes the group of a program whose limits need one. Where no group can be made, the memory of each
// process is limited instead, and the user gets one warning.
func confine(p backendPolicy, spec Spec) grouped {
	l := p.LimitsOf(spec)
	asked := spec.Limits.Processes > 0 || p.Limits.Processes > 0 && spec.Limits.Processes == 0
	if !asked {
		l.Processes = -1
	}
	if p.Groups == nil || l.Memory <= 0 && !asked {
		return grouped{Spec: spec}
	}
	p.Groups.Find()
	made, err := p.Groups.Open(cgroupLimits{Memory: l.Memory, Processes: l.Processes})
	if err != nil || made.Doors() == 0 {
		warnThatMemoryIsPerProcess(p, l)
		return grouped{Spec: spec}
	}
	if made.Counts(cgroupMemory) {
		spec.Limits.Memory = -1
	} else {
		warnThatMemoryIsPerProcess(p, l)
	}
	return grouped{spec, made}
}

// warnThatMemoryIsPerProcess warns once that a limit of memory holds for each process alone.
func warnThatMemoryIsPerProcess(p backendPolicy, l Limits) {
	if l.Memory > 0 && p.Warn != nil {
		p.WarnOfMemory.Do(func() {
			how, _ := p.Groups.How()
			p.Warn("sandbox: the memory of a command is bounded " + how)
		})
	}
}

// admitRun moves the process of a run into the groups, before it starts the program.
func admitRun(g *programCgroups, r *programRun) error {
	if g == nil {
		return nil
	}
	pid, err := r.pidOf()
	if err != nil || pid <= 0 {
		return err // its own report has the reason
	}
	return g.Admit(pid)
}
