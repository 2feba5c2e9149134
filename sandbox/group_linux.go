package sandbox

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"rein/internal/box"
)

// group is the control groups of one program.
type group struct {
	groups *groups
	parts  []part
}

// part is its group in one hierarchy.
type part struct {
	*tree
	group string // its directory
}

// helpers is how many processes and threads of our own are in a group at most, beside the program's.
const helpers = 12

// open makes the groups of a program, as far as its limits ask for them and they can be had.
func (g *groups) open(l Limits) (*group, error) {
	made := &group{groups: g}
	name := "run-" + strconv.FormatUint(g.last.Add(1), 10)
	for _, t := range g.trees {
		if !(t.memory && l.Memory > 0 || t.pids && l.Processes > 0) {
			continue
		}
		p := part{t, filepath.Join(t.session, name)}
		err := t.mkdir(p.group)
		if err == nil {
			made.parts = append(made.parts, p)
			err = p.limit(l)
		}
		if err != nil {
			made.leave()
			return nil, err
		}
	}
	return made, nil
}

// limit writes the limits. Swap is memory, too; a kernel that does not count it has none to give.
func (p part) limit(l Limits) error {
	var errs []error
	if p.memory && l.Memory > 0 {
		most := strconv.FormatInt(l.Memory, 10)
		if p.old {
			errs = append(errs, put(p.group, "memory.limit_in_bytes", most))
			_ = put(p.group, "memory.memsw.limit_in_bytes", most)
		} else {
			errs = append(errs, put(p.group, "memory.max", most))
			_ = put(p.group, "memory.swap.max", "0")
			_ = put(p.group, "memory.oom.group", "1") // a command of which a part is killed is no use
		}
	}
	if p.pids && l.Processes > 0 {
		errs = append(errs, put(p.group, "pids.max", strconv.FormatInt(l.Processes+helpers, 10)))
	}
	return errors.Join(errs...)
}

// counts reports whether the kernel counts a kind for the program. A nil group counts nothing.
func (g *group) counts(k groupKind) bool {
	return g != nil && slices.ContainsFunc(g.parts, func(p part) bool { return p.tree.counts(k) })
}

// admit moves a process into the groups; what it starts from now on is born there. One that has ended needs no group.
func (g *group) admit(pid int) error {
	if g == nil {
		return nil
	}
	for _, p := range g.parts {
		if err := put(p.group, "cgroup.procs", strconv.Itoa(pid)); err != nil && !errors.Is(err, syscall.ESRCH) {
			return err
		}
	}
	return nil
}

// doors is how many open files open gives.
func (g *group) doors() int {
	if g == nil {
		return 0
	}
	return len(g.parts)
}

// open opens the files by which a process enters the groups itself, writing a 0.
func (g *group) open() ([]*os.File, error) {
	var doors []*os.File
	for i := range g.doors() {
		f, err := os.OpenFile(filepath.Join(g.parts[i].group, "cgroup.procs"), os.O_WRONLY, 0)
		if err != nil {
			return doors, err
		}
		doors = append(doors, f)
	}
	return doors, nil
}

func closeAll(files []*os.File) {
	for _, f := range files {
		f.Close()
	}
}

// holds reports whether a process is in the groups.
func (g *group) holds(pid int) bool {
	for _, p := range g.parts {
		text, _ := os.ReadFile(filepath.Join(p.group, "cgroup.procs"))
		if !slices.Contains(strings.Fields(string(text)), strconv.Itoa(pid)) {
			return false
		}
	}
	return true
}

// hit names the limit that the kernel held the program to, or "".
func (g *group) hit() string {
	for _, p := range g.parts {
		kills := number(p.group, "memory.events", "oom_kill")
		if p.old {
			kills = number(p.group, "memory.oom_control", "oom_kill")
		}
		if p.memory && kills > 0 {
			return limitMemory
		}
		if p.pids && number(p.group, "pids.events", "max") > 0 {
			return limitProcesses
		}
	}
	return ""
}

const (
	firstLeave = time.Millisecond
	lastLeave  = 2 * time.Second
)

// leave removes the groups, beside other work: the kernel takes a moment to take the last process out.
func (g *group) leave() {
	if g == nil {
		return
	}
	g.groups.left.Go(func() {
		for _, p := range g.parts {
			_ = put(p.group, "cgroup.kill", "1") // version 2 has it
			for wait := firstLeave; wait < lastLeave; wait *= 2 {
				if err := p.rmdir(p.group); err == nil || errors.Is(err, os.ErrNotExist) {
					break
				}
				time.Sleep(wait)
			}
		}
	})
}

// confined is a program in a group.
type confined struct {
	Process
	group *group
}

// around makes a started program one of its group.
func (g *group) around(p Process, err error) (Process, error) {
	if g == nil {
		return p, err
	}
	if err != nil {
		g.leave()
		return nil, err
	}
	return &confined{p, g}, nil
}

// Wait waits for the program's end and asks the kernel whether it was held to a limit.
func (c *confined) Wait() (Exit, error) {
	exit, err := c.Process.Wait()
	if hit := c.group.hit(); exit.Limit == "" {
		exit.Limit = hit
	}
	c.group.leave()
	return exit, err
}

// gate waits for a word on file 3 and becomes the program. Nobody else is there to wait: on the lower rungs the
// program itself is what the warden starts, and may have children before it could be moved.
const gate = `read -r _ <&3 || exit 125; exec 3<&-; exec "$@"`

// startInGroup starts a program that begins its life in its groups.
func (l *lower) startInGroup(ctx context.Context, order box.Order, spec Spec) (Process, error) {
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
	r.limit(l.policy.limits(spec))
	err = spec.group.admit(r.pid)
	if err == nil {
		_, err = ours.WriteString("\n")
	}
	if err != nil {
		return nil, errors.Join(err, r.Kill())
	}
	if spec.group.counts(pidsKind) {
		return r, nil
	}
	return l.supervisor.watched(r, r.pid, l.policy.limits(spec)), nil
}

// counted reports whether the kernel counts the memory of the whole command.
func (c *confined) counted() bool { return c.group.counts(memoryKind) }

// confine makes the group of a program whose limits ask for one. Where there is none to be had, the memory of each
// process is limited instead, and the user is told once.
func (p Policy) confine(spec Spec) Spec {
	l := p.limits(spec)
	asked := spec.Limits.Processes > 0 || p.Limits.Processes > 0 && spec.Limits.Processes == 0
	if !asked {
		l.Processes = -1
	}
	if p.groups == nil || l.Memory <= 0 && !asked {
		return spec
	}
	p.groups.find()
	made, err := p.groups.open(l)
	if err != nil || len(made.parts) == 0 {
		p.tellOfMemory(l)
		return spec
	}
	spec.group = made
	if made.counts(memoryKind) {
		spec.Limits.Memory = -1
	} else {
		p.tellOfMemory(l)
	}
	return spec
}

// tellOfMemory says once that a limit of memory holds for each process alone.
func (p Policy) tellOfMemory(l Limits) {
	if l.Memory > 0 && p.Warn != nil {
		p.groups.telling.Do(func() {
			how, _ := p.groups.how()
			p.Warn("sandbox: the memory of a command is bounded " + how)
		})
	}
}

// admitRun moves the process of a run into the groups, before it starts the program.
func (g *group) admitRun(r *run) error {
	if g == nil {
		return nil
	}
	pid, err := r.pidOf()
	if err != nil || pid <= 0 {
		return err // its own report tells why it failed
	}
	return g.admit(pid)
}
