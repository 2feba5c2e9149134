// Package undo keeps what is in the directories of a workspace, so that everything that a call did to them can be taken
// back: changed, deleted and new files, modes, links, directories, and the refs and the index of git.
//
//	s, err := Open(dir, Options{Roots: []string{"/home/me/project"}})
//	c, err := s.Begin(ctx, Call{ID: "c1", Tool: "bash"}, nil) // everything is kept before the program starts
//	…                                                              // the program runs
//	report, err := c.End(ctx)                                      // what it changed belongs to the call
//	plan, err := s.Plan(ctx, Selection{Last: 1})              // what taking it back would do
//	done, err := s.Apply(ctx, plan, nil)
//
// A walk compares the stat of each file with what is known of it; only what differs is read. Contents are kept once, under
// their SHA-256, in append-only segments outside of the workspace. No git command runs, and no link is followed.
//
// The directory of a store may be used by several processes at once: a lock file orders them.
package undo

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/gofrs/flock"
)

// Options say what a store covers. A zero limit means its default.
type Options struct {
	// Roots are the absolute paths of the directories, links resolved; the first is the workspace. The directory of a git
	// repository may be one.
	Roots []string
	Skip  []string // absolute paths below them that are left out, such as the store itself

	Quota      int64         // bytes that the kept contents may take; DefaultQuota
	Age        time.Duration // after which what a call did is forgotten; DefaultAge
	MaxFile    int64         // bytes; larger files are left out; DefaultMaxFile
	MaxIgnored int64         // bytes up to which a single file is kept that an ignore file leaves out; DefaultMaxIgnored, -1 is none
	Ignored    bool          // keep all that ignore files leave out, directories too
	MaxEntries int           // files and directories that a workspace may have; DefaultMaxEntries
	MinFree    int64         // bytes that stay free on the disk of the store; DefaultMinFree
	KeepTimes  bool          // what is restored gets its old time of change; else the present

	// Alive returns the ids of the processes whose descendants may write while no call runs, such as this process when it
	// has jobs. Nil: none.
	Alive func() []int
	// Fault is for tests: see contentStore.
	Fault func(what string) error
}

// The defaults of Options.
const (
	DefaultQuota      = 2 << 30
	DefaultAge        = 30 * 24 * time.Hour
	DefaultMaxFile    = 50 << 20
	DefaultMaxIgnored = 64 << 10
	DefaultMaxEntries = 200_000
	DefaultMinFree    = 1 << 30
)

func (o Options) withDefaults() Options {
	for _, l := range []struct {
		limit *int64
		usual int64
	}{{&o.Quota, DefaultQuota}, {(*int64)(&o.Age), int64(DefaultAge)}, {&o.MaxFile, DefaultMaxFile}, {&o.MaxIgnored, DefaultMaxIgnored}, {&o.MinFree, DefaultMinFree}} {
		if *l.limit == 0 {
			*l.limit = l.usual
		}
	}
	if o.MaxEntries == 0 {
		o.MaxEntries = DefaultMaxEntries
	}
	if o.Fault == nil {
		o.Fault = func(string) error { return nil }
	}
	return o
}

// Store is what is kept of one workspace. Its methods may be called at once from several goroutines.
type Store struct {
	options Options
	dir     string
	lock    *flock.Flock

	mu      askedMutex // held for each operation, with the lock
	content *contentStore
	objects *gitStore
	log     history
	roots   []*root
	open    map[uint64]*openCall // calls that have begun and not ended, of all processes
	owner   *owner
	upTo    uint64 // the last record that the file of the trees has
	added   int    // changes since
	clock   wallClock
	watch   watch
}

// root is one directory of the workspace and what is known of it.
type root struct {
	dir  string
	tree *treeNode // nil: never walked
	open bool      // it belongs to the workspace as this process has it

	ignored   []string  // the directories of a tree that ignore files leave out
	ignoredIn *treeNode // that tree
}

// openCall is a call that has begun and not ended.
type openCall struct {
	owner string
	paths []string // canonical; nil: it may change anything
	over  bool     // its work has ended, and what it changed could not be recorded yet
}

// Open opens the store in a directory, which is made when it is needed.
func Open(dir string, o Options) (*Store, error) {
	if len(o.Roots) == 0 {
		return nil, errors.New("undo: no directory is given")
	}
	s := &Store{options: o.withDefaults(), dir: dir, open: map[uint64]*openCall{}}
	s.content = openContentStore(dir)
	s.objects = newGitStore(filepath.Join(dir, "objects"))
	s.content.Fault = s.options.Fault
	s.log = history{dir: dir, fault: s.options.Fault, next: 1}
	for _, r := range o.Roots {
		s.roots = append(s.roots, &root{dir: filepath.Clean(r), open: true})
	}
	s.lock = flock.New(filepath.Join(dir, "lock"))
	return s, nil
}

// hold takes the lock and takes note of what other processes did. release gives it back.
func (s *Store) hold(ctx context.Context) (release func(), err error) {
	s.mu.Lock()
	if err := os.MkdirAll(s.dir, 0o700); err != nil {
		s.mu.Unlock()
		return nil, err
	}
	if ok, err := s.lock.TryLockContext(ctx, 2*time.Millisecond); !ok {
		s.mu.Unlock()
		return nil, fmt.Errorf("lock %s: %w", s.dir, err)
	}
	release = func() {
		_ = s.lock.Unlock() // the next holder sees what is on disk
		s.mu.Unlock()
	}
	if err := s.refresh(); err != nil {
		release()
		return nil, err
	}
	return release, nil
}

// refresh brings what is in memory to what is on disk.
func (s *Store) refresh() error {
	more, replaced, err := s.log.refresh()
	if err != nil {
		return err
	}
	if replaced {
		s.watch.known = false
		s.open = map[uint64]*openCall{}
		if err := s.loadTrees(); err != nil {
			return err
		}
	}
	for _, r := range more {
		s.note(r, r.N > s.upTo)
	}
	if err := s.log.cut(); err != nil {
		return err
	}
	return s.content.Refresh()
}

// note takes a record over: the calls that are open, and with apply the trees.
func (s *Store) note(r *record, apply bool) {
	switch r.Kind {
	case began:
		s.open[r.N] = &openCall{owner: r.Owner, paths: r.Paths}
	case ended, released:
		for _, n := range r.Of {
			delete(s.open, n)
		}
	case changed, undone:
		if apply {
			s.applyAll(r.changes)
		}
	}
}

// applyAll brings the trees to what the changes left.
func (s *Store) applyAll(changes []treeChange) {
	for _, c := range changes {
		r, path := s.rootOf(c.Path)
		if r == nil || r.tree == nil {
			continue
		}
		k := c.After
		if old := r.tree.Find(path); k != nil && k.Stat.Mode.IsDir() && old != nil && old.Stat.Mode.IsDir() {
			d := *k
			d.Kids, k = old.Kids, &d
		}
		if path == "" {
			continue
		}
		r.tree = r.tree.With(path, k)
	}
}

// rootOf finds the root of a canonical path, and the path below it. A path below the workspace is relative, one in
// another root is absolute.
func (s *Store) rootOf(path string) (*root, string) {
	if !filepath.IsAbs(path) {
		return s.roots[0], path
	}
	for _, r := range s.roots {
		if rest, ok := strings.CutPrefix(path, r.dir); ok && (rest == "" || rest[0] == '/') {
			return r, strings.TrimPrefix(rest, "/")
		}
	}
	return nil, ""
}

// canonical is the path of an entry of a root.
func (s *Store) canonical(r *root, path string) string {
	if r == s.roots[0] {
		return path
	}
	return filepath.ToSlash(r.dir) + "/" + path
}

// Close writes what is known of the workspace, so that the next process need not read it again, and closes the store.
func (s *Store) Close() error {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	var err error
	if _, missing := os.Stat(s.dir); missing == nil {
		release, held := s.hold(ctx)
		if err = held; err == nil {
			if s.known() && s.added > 0 {
				err = s.saveTrees()
			}
			release()
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.log.close()
	s.owner.close()
	s.unwatch()
	return errors.Join(err, s.content.Close(), s.lock.Close())
}

// known reports whether each root has been walked.
func (s *Store) known() bool {
	return !slices.ContainsFunc(s.roots, func(r *root) bool { return r.open && r.tree == nil })
}

// diskDir returns the directory of the store.
func (s *Store) Dir() string { return s.dir }

// Ready reports whether the workspace has been kept once in the life of the store.
func (s *Store) Ready() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.known()
}
