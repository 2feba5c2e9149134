//go:build linux

package box

import (
	"slices"
	"strconv"
	"syscall"
)

// mostSweeps bounds the rounds against a run that forks while it is killed.
const mostSweeps = 200

// sweep sends a signal to all that a run started, also what moved to other sessions or parents. SIGKILL is sent
// until nothing is left, to whole groups first: a group gets a signal at once, while a bomb that is killed one by one
// can fork faster than that. It returns how many processes there were. The mutex is held.
func (s *supervisor) sweep(main int, id uint32, sig syscall.Signal) (found uint32) {
	for round := range mostSweeps {
		if s.childless() {
			return found
		}
		if round == 0 {
			found = uint32(len(s.victims(processes(), main, id)))
		}
		if sig == syscall.SIGKILL {
			s.killGroup(main)
		}
		table := processes()
		victims := s.victims(table, main, id)
		if sig == syscall.SIGKILL {
			for _, pid := range victims {
				s.killGroup(table[pid].group)
			}
		}
		for _, pid := range victims {
			_ = syscall.Kill(pid, sig)
		}
		if len(victims) == 0 || sig != syscall.SIGKILL {
			return found
		}
		s.reapAll(victims)
	}
	return found
}

// killGroup kills a process group, except our own, in which a child is until it has one of its own.
func (s *supervisor) killGroup(group int) {
	if group > 1 && group != s.self {
		_ = syscall.Kill(-group, syscall.SIGKILL)
	}
}

// childless reports, cheaply, whether there is nothing to look for.
func (s *supervisor) childless() bool {
	if len(s.runs) > 1 {
		return false
	}
	const noWait, exited, all = 0x01000000 | 1, 4, 0 // WNOWAIT|WNOHANG, WEXITED, P_ALL
	_, _, errno := syscall.RawSyscall6(syscall.SYS_WAITID, all, 0, 0, noWait|exited, 0, 0)
	return errno == syscall.ECHILD
}

// reapAll waits for processes that were killed, so that the next look does not find them again. One that is a run's own
// process stays for the reaper.
func (s *supervisor) reapAll(victims []int) {
	for _, pid := range victims {
		if _, own := s.runs[pid]; !own {
			_, _ = syscall.Wait4(pid, nil, syscall.WNOHANG, nil)
		}
	}
}

// process is one line of the table of processes.
type process struct{ parent, group, session int }

// victims are the living processes of a run: below its own process, in its session, or orphans that bear its mark. An
// orphan without any mark is the run's if no other run could have made it.
func (s *supervisor) victims(table map[int]process, main int, id uint32) []int {
	var victims []int
	for pid := range table {
		if s.owner(table, pid, id) == id {
			victims = append(victims, pid)
		}
	}
	return victims
}

// owner finds the run that a process belongs to; 0 is none of ours, or unknown.
func (s *supervisor) owner(table map[int]process, pid int, id uint32) uint32 {
	top := pid
	for range len(table) {
		if r, ok := s.runs[top]; ok {
			return r.id
		}
		parent := table[top].parent
		if parent == s.self {
			break
		}
		if parent <= 1 {
			return 0 // not below us at all
		}
		top = parent
	}
	if table[top].parent != s.self {
		return 0
	}
	for _, p := range []int{pid, top} {
		if r, ok := s.runs[table[p].session]; ok {
			return r.id
		}
		if id := markOf(p); id != 0 {
			return id
		}
	}
	if len(s.runs) <= 1 {
		return id
	}
	return 0
}

// endAll kills everything that ever came from us.
func (s *supervisor) endAll() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.runs = map[int]run{0: {id: 1}} // whatever is below us is one run's
	for range mostSweeps {
		table := processes()
		victims := s.victims(table, 0, 1)
		for pid, p := range table {
			if p.parent == s.self {
				victims = append(victims, pid)
			}
		}
		if len(victims) == 0 {
			return
		}
		for _, pid := range victims {
			s.killGroup(table[pid].group)
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
		s.reapAll(victims)
	}
}

// processes reads the table of processes; those that have ended and wait to be reaped are left out.
func processes() map[int]process {
	table := map[int]process{}
	for _, name := range list("/proc") {
		pid, err := strconv.Atoi(name)
		if err != nil {
			continue
		}
		if p, alive := stat(name); alive {
			table[pid] = p
		}
	}
	return table
}

// stat reads the line of a process from /proc: the fields after its name, which may hold anything, in parentheses.
func stat(pid string) (process, bool) {
	text := read("/proc/"+pid+"/stat", 1024)
	end := len(text) - 1
	for end >= 0 && text[end] != ')' {
		end--
	}
	_, rest := cut(text[end+1:], ' ')
	var fields [4]string // state, parent, group, session
	for i := range fields {
		var field []byte
		field, rest = cut(rest, ' ')
		fields[i] = string(field)
	}
	if fields[3] == "" || fields[0] == "Z" || fields[0] == "X" {
		return process{}, false
	}
	parent, _ := strconv.Atoi(fields[1])
	group, _ := strconv.Atoi(fields[2])
	session, _ := strconv.Atoi(fields[3])
	return process{parent, group, session}, true
}

// cut cuts a text at the first separator. Package bytes would make a helper start later: it imports unicode.
func cut(text []byte, separator byte) (before, after []byte) {
	if i := slices.Index(text, separator); i >= 0 {
		return text[:i], text[i+1:]
	}
	return text, nil
}

// markOf reads a process's mark from the environment that it was started with.
func markOf(pid int) uint32 {
	for rest := read("/proc/"+strconv.Itoa(pid)+"/environ", 256<<10); len(rest) > 0; {
		var pair []byte
		pair, rest = cut(rest, 0)
		if name, value := cut(pair, '='); string(name) == Mark {
			id, _ := strconv.ParseUint(string(value), 10, 32)
			return uint32(id)
		}
	}
	return 0
}

func read(name string, most int) []byte {
	fd, err := syscall.Open(name, syscall.O_RDONLY|syscall.O_CLOEXEC, 0)
	if err != nil {
		return nil
	}
	defer syscall.Close(fd)
	b := make([]byte, most)
	n := 0
	for n < most {
		m, err := syscall.Read(fd, b[n:])
		if m <= 0 || err != nil {
			break
		}
		n += m
	}
	return b[:n]
}

func list(dir string) []string {
	fd, err := syscall.Open(dir, syscall.O_RDONLY|syscall.O_DIRECTORY|syscall.O_CLOEXEC, 0)
	if err != nil {
		return nil
	}
	defer syscall.Close(fd)
	var names []string
	b := make([]byte, 32<<10)
	for {
		n, err := syscall.ReadDirent(fd, b)
		if n <= 0 || err != nil {
			return names
		}
		_, _, names = syscall.ParseDirent(b[:n], -1, names)
	}
}
