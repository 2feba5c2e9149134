package sandbox

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
)

// sessionCgroups is a session's control groups: the kernel counts there what a command and all that it starts use together.
type sessionCgroups struct {
	idle  idleStarter
	once  sync.Once
	trees []*tree
	whys  []string // what was tried without success
	last  atomic.Uint64
	left  sync.WaitGroup // groups that are being removed
}

// newSessionCgroups returns the groups of a session. It looks for none yet.
func newSessionCgroups(idle idleStarter) *sessionCgroups { return &sessionCgroups{idle: idle} }

// tree is a hierarchy of control groups with a directory of the session's in it. With version 1 there is one for each
// kind of thing that is counted, with version 2 one for all.
type tree struct {
	cgroupDir
	session string
	lock    *os.File

	// The kernel makes a group's files with its directory, and removes them with it; a test does so itself.
	mkdir func(string) error
	rmdir func(string) error
}

// groupPrefix starts the names of sessions' directories.
const groupPrefix = "rein-"

// Find looks for hierarchies in which groups can be made.
func (s *sessionCgroups) Find() {
	s.once.Do(func() {
		own, err := os.ReadFile("/proc/self/cgroup")
		mounts, err2 := os.ReadFile("/proc/self/mountinfo")
		if err = errors.Join(err, err2); err != nil {
			s.whys = append(s.whys, err.Error())
			return
		}
		for _, dir := range cgroupDirs(string(own), string(mounts)) {
			if dir.memory && s.Counts(cgroupMemory) || !dir.memory && s.Counts(cgroupProcesses) {
				continue
			}
			t, err := openTree(dir, s.idle)
			if err != nil {
				s.whys = append(s.whys, err.Error())
				continue
			}
			s.trees = append(s.trees, t)
		}
	})
}

// Counts reports whether a hierarchy that counts a kind was found.
func (s *sessionCgroups) Counts(k cgroupKind) bool {
	return slices.ContainsFunc(s.trees, func(t *tree) bool { return t.counts(k) })
}

// openTree makes the session's directory in a hierarchy and tries it with a process.
func openTree(s cgroupDir, idle idleStarter) (*tree, error) {
	sweepGroups(s.dir)
	dir, err := os.MkdirTemp(s.dir, groupPrefix)
	if err != nil {
		return nil, err
	}
	t := &tree{cgroupDir: s, session: dir, mkdir: makeGroup, rmdir: syscall.Rmdir}
	if t.lock, err = lockGroup(dir); err == nil {
		if err = t.enable(); err == nil {
			err = t.probe(idle)
		}
	}
	if err != nil {
		return nil, errors.Join(err, t.close())
	}
	return t, nil
}

func makeGroup(dir string) error { return os.Mkdir(dir, 0o755) }

// enable lets the groups in the session's directory count. With version 1 all do.
func (t *tree) enable() error {
	if t.old {
		return nil
	}
	text, err := os.ReadFile(filepath.Join(t.session, "cgroup.controllers"))
	if err != nil {
		return err
	}
	has := strings.Fields(string(text))
	t.memory, t.pids = slices.Contains(has, "memory"), slices.Contains(has, "pids")
	if !t.memory {
		return fmt.Errorf("%s: memory is not counted here", t.dir)
	}
	what := "+memory"
	if t.pids {
		what += " +pids"
	}
	return put(t.session, "cgroup.subtree_control", what)
}

// probe moves a process of ours that does nothing into a group, and removes both.
func (t *tree) probe(idle idleStarter) error {
	s := &sessionCgroups{trees: []*tree{t}}
	made, err := s.Open(cgroupLimits{Memory: 1 << 30, Processes: 1000})
	if err != nil {
		return err
	}
	pid, end, err := idle()
	if err == nil {
		err = made.Admit(pid)
		if err == nil && !made.holds(pid) {
			err = fmt.Errorf("%s: a process that was moved here is not here", t.session)
		}
		err = errors.Join(err, end())
	}
	made.Leave()
	s.left.Wait()
	return err
}

// close removes the session's directory, which holds no process any more.
func (t *tree) close() error {
	err := removeGroup(t.session)
	if t.lock != nil {
		t.lock.Close()
	}
	return err
}

// removeGroup removes a directory of groups with the groups in it.
func removeGroup(dir string) error {
	entries, err := os.ReadDir(dir)
	for _, e := range entries {
		if e.IsDir() {
			err = errors.Join(err, syscall.Rmdir(filepath.Join(dir, e.Name())))
		}
	}
	if err := syscall.Rmdir(dir); err != nil {
		return fmt.Errorf("remove the control group %s: %w", dir, err)
	}
	return err
}

// sweepGroups removes what sessions that died left behind: nobody holds their lock.
func sweepGroups(parent string) {
	old, _ := filepath.Glob(filepath.Join(parent, groupPrefix+"*"))
	for _, dir := range old {
		if lock, err := lockGroup(dir); err == nil {
			_ = removeGroup(dir)
			lock.Close()
		}
	}
}

// lockGroup locks a session's directory itself: no file can be made in it.
func lockGroup(dir string) (*os.File, error) {
	f, err := os.Open(dir)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// put writes a setting of a group, which must be there.
func put(dir, name, text string) error {
	f, err := os.OpenFile(filepath.Join(dir, name), os.O_WRONLY|os.O_TRUNC, 0)
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	return errors.Join(err, f.Close())
}

// number reads the number after a key in a group's file; -1 is none.
func number(dir, name, key string) int64 {
	text, _ := os.ReadFile(filepath.Join(dir, name))
	return numberIn(text, key)
}

func numberIn(text []byte, key string) int64 {
	for line := range bytes.Lines(text) {
		f := bytes.Fields(line)
		if len(f) == 2 && string(f[0]) == key {
			if n, err := strconv.ParseInt(string(f[1]), 10, 64); err == nil {
				return n
			}
		}
	}
	return -1
}

// Close removes what the session made. Its programs have ended.
func (s *sessionCgroups) Close() error {
	s.once.Do(func() {}) // none are looked for any more
	s.left.Wait()
	var errs []error
	for _, t := range s.trees {
		errs = append(errs, t.close())
	}
	s.trees = nil
	return errors.Join(errs...)
}

// How says by what the memory of a command is limited, and whether as a whole. A nil session looks for nothing.
func (s *sessionCgroups) How() (string, bool) {
	if s == nil {
		return "of each process alone", false
	}
	s.Find()
	for _, t := range s.trees {
		if t.memory {
			return fmt.Sprintf("of all its processes together (%s)", t.version()), true
		}
	}
	return "of each process alone: no control group can be written here (" + strings.Join(s.whys, "; ") + ")", false
}
