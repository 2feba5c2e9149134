package sandbox

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"
)

// countedProcess is a program whose processes we count, where the kernel does not: RLIMIT_NPROC spares root, and counts all that
// a user runs anywhere. What grows too large between two looks is ended all the same.
type countedProcess struct {
	programProcess
	supervisor *supervisor
	pid        int
	most       int64
	over       atomic.Bool
	ended      chan struct{}
}

// countInterval is how often a look is taken: one short file of /proc, and the processes one by one when there are many more.
const countInterval = 50 * time.Millisecond

// watch counts the processes of a program that runs.
func watch(process programProcess, w *supervisor, pid int, most int64) programProcess {
	c := &countedProcess{programProcess: process, supervisor: w, pid: pid, most: most, ended: make(chan struct{})}
	w.mu.Lock()
	w.counted[pid] = true
	w.mu.Unlock()
	go c.look()
	return c
}

// limitSessionProcesses bounds the processes of a session whose programs the kernel would not count by themselves: all that the supervisor
// starts is born in a control group, where one can be had. A user's are counted by RLIMIT_NPROC.
func limitSessionProcesses(p backendPolicy, w *supervisor) {
	l := p.LimitsOf(Spec{})
	if os.Geteuid() != 0 || l.Processes <= 0 || p.Groups == nil {
		return
	}
	p.Groups.Find()
	group, err := p.Groups.Open(cgroupLimits{Processes: l.Processes})
	if err == nil && group.Doors() > 0 && group.Admit(w.cmd.Process.Pid) == nil {
		w.limit = newCgroupCounter(group)
		return
	}
	group.Leave()
}

// kernelCountsProcesses reports whether the kernel holds programs to their limit of processes, in namespaces of their own or not.
func kernelCountsProcesses(g *sessionCgroups, namespaces bool) bool {
	return os.Geteuid() != 0 || namespaces && countsOwnProcesses() || g != nil && g.Counts(cgroupProcesses)
}

// watched sees to it that the limit of processes is held, and named.
func (w *supervisor) watched(process programProcess, pid int, l Limits) programProcess {
	switch {
	case l.Processes <= 0:
		return process
	case w.limit != nil:
		return &groupedProcess{process, w.limit, w.limit.Last()}
	case os.Geteuid() == 0:
		return watch(process, w, pid, l.Processes)
	}
	return process
}

// groupedProcess is a program whose processes are counted with the session's.
type groupedProcess struct {
	programProcess
	group  *cgroupCounter
	before int64
}

// Wait waits for the program's end and asks the kernel whether it refused a process meanwhile.
func (p *groupedProcess) Wait() (Exit, error) {
	exit, err := p.programProcess.Wait()
	if exit.Limit == "" && p.group.Refused() > p.before {
		exit.Limit = limitProcessCount
	}
	return exit, err
}

func (c *countedProcess) look() {
	tick := time.NewTicker(countInterval)
	defer tick.Stop()
	before := everybody()
	for {
		select {
		case <-c.ended:
			return
		case <-tick.C:
		}
		now := everybody()
		before = min(before, now)
		if now-before >= c.most/2 && c.size() > c.most {
			c.over.Store(true)
			_ = unix.Kill(-c.pid, unix.SIGKILL) // the whole group at once, before the supervisor looks for the rest
			_ = c.programProcess.Kill()
		}
	}
}

// Wait waits for the program's end.
func (c *countedProcess) Wait() (Exit, error) {
	exit, err := c.programProcess.Wait()
	close(c.ended)
	c.supervisor.mu.Lock()
	delete(c.supervisor.counted, c.pid)
	c.supervisor.mu.Unlock()
	if c.over.Load() {
		exit.Limit = limitProcessCount
	}
	return exit, err
}

// everybody is how many processes and threads the machine has.
func everybody() int64 {
	text, _ := os.ReadFile("/proc/loadavg")
	if f := bytes.Fields(text); len(f) > 3 {
		if _, total, ok := bytes.Cut(f[3], []byte("/")); ok {
			n, _ := strconv.ParseInt(string(total), 10, 64)
			return n
		}
	}
	return 0
}

// person is what /proc shows about a process.
type person struct {
	parent, session int
	threads         int64
}

// size counts the processes and threads of the program: below its own process, in its session, or orphans of the
// supervisor that belong to no other program.
func (c *countedProcess) size() int64 {
	people := populace()
	others := c.supervisor.others(c.pid)
	n := int64(0)
	for pid, p := range people {
		if c.owns(people, others, pid) {
			n += p.threads
		}
	}
	return n
}

func (c *countedProcess) owns(people map[int]person, others map[int]bool, pid int) bool {
	for at := pid; ; {
		p, ok := people[at]
		switch {
		case !ok || at == c.supervisor.cmd.Process.Pid || others[at] || others[p.session]:
			return false
		case at == c.pid || p.session == c.pid || p.parent == c.supervisor.cmd.Process.Pid:
			return true
		}
		at = p.parent
	}
}

// others are the processes of the supervisor's other programs.
func (w *supervisor) others(pid int) map[int]bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	all := map[int]bool{}
	for other := range w.counted {
		if other != pid {
			all[other] = true
		}
	}
	return all
}

// populace reads the table of processes.
func populace() map[int]person {
	people := map[int]person{}
	files, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, name := range files {
		text, err := os.ReadFile(name)
		f := bytes.Fields(text[bytes.LastIndexByte(text, ')')+1:])
		pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(name)))
		if err != nil || len(f) < 18 {
			continue
		}
		parent, _ := strconv.Atoi(string(f[1]))
		session, _ := strconv.Atoi(string(f[3]))
		threads, _ := strconv.ParseInt(string(f[17]), 10, 64)
		people[pid] = person{parent, session, threads}
	}
	return people
}

// countsOwnProcesses reports whether the number of the last process can be set for one namespace. It is asked by the
// version, for once: older kernels would take the number for the whole machine.
func countsOwnProcesses() bool {
	var u unix.Utsname
	if unix.Uname(&u) != nil {
		return false
	}
	return atLeast(unix.ByteSliceToString(u.Release[:]), 6, 14)
}

// atLeast compares the release of a kernel.
func atLeast(release string, major, minor int) bool {
	number := func(s string) (int, string) {
		i := 0
		for i < len(s) && '0' <= s[i] && s[i] <= '9' {
			i++
		}
		n, _ := strconv.Atoi(s[:i])
		return n, s[i:]
	}
	a, rest := number(release)
	if len(rest) == 0 || rest[0] != '.' {
		return a > major
	}
	b, _ := number(rest[1:])
	return a > major || a == major && b >= minor
}
