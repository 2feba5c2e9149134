package sandbox

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// programCgroups is the control groups of one program. A nil one is none.
type programCgroups struct {
	session *sessionCgroups
	parts   []part
}

// part is its group in one hierarchy.
type part struct {
	*tree
	group string // its directory
}

// helpers is how many processes and threads of our own are in a group at most, beside the program's.
const helpers = 12

// Open makes the groups of a program, as far as its limits ask for them and they can be had.
func (s *sessionCgroups) Open(l cgroupLimits) (*programCgroups, error) {
	made := &programCgroups{session: s}
	name := "run-" + strconv.FormatUint(s.last.Add(1), 10)
	for _, t := range s.trees {
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
			made.Leave()
			return nil, err
		}
	}
	return made, nil
}

// limit writes the limits. Swap is memory, too; a kernel that does not count it has none to give.
func (p part) limit(l cgroupLimits) error {
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

// Counts reports whether the kernel counts a kind for the program. A nil group counts nothing.
func (g *programCgroups) Counts(k cgroupKind) bool {
	return g != nil && slices.ContainsFunc(g.parts, func(p part) bool { return p.tree.counts(k) })
}

// Admit moves a process into the groups; what it starts from now on is born there. One that has ended needs no group.
func (g *programCgroups) Admit(pid int) error {
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

// Doors is how many files OpenDoors opens.
func (g *programCgroups) Doors() int {
	if g == nil {
		return 0
	}
	return len(g.parts)
}

// OpenDoors opens the files by which a process enters the groups itself, writing a 0.
func (g *programCgroups) OpenDoors() ([]*os.File, error) {
	var doors []*os.File
	for i := range g.Doors() {
		f, err := os.OpenFile(filepath.Join(g.parts[i].group, "cgroup.procs"), os.O_WRONLY, 0)
		if err != nil {
			return doors, err
		}
		doors = append(doors, f)
	}
	return doors, nil
}

// holds reports whether a process is in the groups.
func (g *programCgroups) holds(pid int) bool {
	for _, p := range g.parts {
		text, _ := os.ReadFile(filepath.Join(p.group, "cgroup.procs"))
		if !slices.Contains(strings.Fields(string(text)), strconv.Itoa(pid)) {
			return false
		}
	}
	return true
}

// Hit returns the limit that the kernel held the program to; 0 is none.
func (g *programCgroups) Hit() cgroupKind {
	for _, p := range g.parts {
		kills := number(p.group, "memory.events", "oom_kill")
		if p.old {
			kills = number(p.group, "memory.oom_control", "oom_kill")
		}
		if p.memory && kills > 0 {
			return cgroupMemory
		}
		if p.pids && number(p.group, "pids.events", "max") > 0 {
			return cgroupProcesses
		}
	}
	return 0
}

const (
	firstLeave = time.Millisecond
	lastLeave  = 2 * time.Second
)

// Leave removes the groups, beside other work: the kernel takes a moment to take the last process out.
func (g *programCgroups) Leave() {
	if g == nil {
		return
	}
	g.session.left.Go(func() {
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
