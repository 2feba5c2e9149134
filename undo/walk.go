package undo

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"rein/undo/internal/disk"
	"rein/undo/internal/gitobjects"
	"rein/undo/internal/scope"
)

// dirMode is the mode of a directory that a record implies.
const dirMode = fs.ModeDir | 0o755

// tempPrefix starts the names of files that are being written, ours and those of package workspace.
const tempPrefix = ".rein-tmp-"

// maxDepth is how many directories deep a walk goes. What is below is left out.
const maxDepth = 256

// walker compares a directory with what is known of it. Where the stat of an entry is unchanged and settled, the node is
// taken over; else the content is read and kept.
type walker struct {
	ctx     context.Context
	options *Options
	keep    keeper
	objects *gitobjects.Store
	skip    map[string]bool // absolute paths that are left out
	root    string          // absolute path of the root
	now     int64           // when the walk began
	margin  int64           // an entry that is younger is not settled
	outside bool            // others than our calls may have made the changes
	held    func(inode uint64) bool
	room    int64       // bytes that the store may still take
	watch   *disk.Watch // nil: none
	unsure  atomic.Bool // something may change without being heard
	full    bool        // read everything again, whatever the stats say

	spare   chan struct{} // goroutines that may still be started
	entries atomic.Int64
	stored  atomic.Int64
	young   atomic.Int64 // files between the margins
	mu      sync.Mutex
	err     error
	broken  atomic.Bool // err is set
}

// filter names the entries that a walk looks at; nil is all, and all below.
type filter map[string]filter

// add adds a path.
func (f filter) add(path string) {
	for {
		name, rest, more := strings.Cut(path, "/")
		sub, known := f[name]
		if known && sub == nil {
			return
		}
		if !more {
			f[name] = nil
			return
		}
		if sub == nil {
			sub = filter{}
			f[name] = sub
		}
		f, path = sub, rest
	}
}

// fail remembers the first error that ends the walk.
func (w *walker) fail(err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.err == nil {
		w.err = err
		w.broken.Store(true)
	}
}

// walk compares the root with the old tree and gives the new one.
func (w *walker) walk(old *node, only filter) (*node, error) {
	top, err := disk.Open(w.root)
	if err != nil {
		return nil, err
	}
	defer top.Close()
	st, err := top.Self()
	if err != nil {
		return nil, err
	}
	if old == nil {
		only = nil
	}
	v := &visit{walker: w, dir: top, old: old, stat: st, only: only}
	v.scope = scope.New(scope.Beyond(w.root), top, "")
	now := v.run()
	if w.err != nil {
		return nil, w.err
	}
	return now, nil
}

// visit is the work on one directory.
type visit struct {
	*walker
	dir   *disk.Dir
	path  string // below the root
	name  string
	depth int
	old   *node // nil, or a directory
	stat  disk.Stat
	scope *scope.Scope
	only  filter
	git   bool // it has git's objects, which never change
	again bool // an ignore file has changed: decide again what is left out
}

func (v *visit) run() *node {
	n := &node{name: v.name, stat: v.stat, settled: v.settled(v.stat)}
	if v.old != nil && v.old.stat.Unchanged(v.stat) {
		n.attrs = v.old.attrs
	} else {
		n.attrs = v.dir.Attrs()
	}
	if v.watch != nil {
		v.watch.Add(v.dir, v.stat)
	}
	slots, err := v.slots()
	if err != nil {
		return v.unreadable(v.name, v.old, v.stat)
	}
	if v.git {
		n.left = kept
	} else if n := v.entries.Add(int64(len(slots))); v.options.MaxEntries > 0 && n > int64(v.options.MaxEntries) {
		v.fail(fmt.Errorf("%w: more than %d", ErrTooMany, v.options.MaxEntries))
	}
	if err := v.ctx.Err(); err != nil {
		v.fail(err)
	}
	isGit := has(slots, "HEAD") && has(slots, "objects") && has(slots, "refs")
	v.again = v.again || v.rulesChanged(slots)
	kids := make([]*node, len(slots))
	var others sync.WaitGroup
	for i, e := range slots {
		if v.broken.Load() {
			break
		}
		if v.only != nil {
			if _, wanted := v.only[e.name]; !wanted {
				kids[i] = e.old
				continue
			}
		}
		v.entry(e, isGit, &kids[i], &others)
	}
	others.Wait()
	n.kids = slices.DeleteFunc(kids, func(k *node) bool { return k == nil })
	if v.only != nil { // the names that were not looked at may have changed
		n.stat, n.settled, n.attrs = v.old.stat, v.old.settled, v.old.attrs
		if n.stat.Mode != v.stat.Mode {
			n.stat.Mode, n.settled = v.stat.Mode, false
		}
	}
	if v.old != nil && n.settled == v.old.settled && n.stat == v.old.stat && n.attrs == v.old.attrs && v.old.left == n.left && slices.Equal(n.kids, v.old.kids) {
		return v.old
	}
	return n
}

// slot is a name in a directory, and what is known of it.
type slot struct {
	name string
	old  *node
}

func has(sorted []slot, name string) bool {
	_, ok := slices.BinarySearchFunc(sorted, name, func(e slot, name string) int { return strings.Compare(e.name, name) })
	return ok
}

// slots gives the entries by their names. Those of a directory that did not change are known.
func (v *visit) slots() ([]slot, error) {
	known := v.old != nil && (v.old.left == "" || v.old.object()) && !v.full && (v.only != nil || v.old.settled && v.old.stat.Unchanged(v.stat))
	if known {
		slots := make([]slot, len(v.old.kids), len(v.old.kids)+len(v.only))
		for i, k := range v.old.kids {
			slots[i] = slot{k.name, k}
		}
		for name := range v.only {
			if v.old.child(name) == nil {
				slots = append(slots, slot{name: name})
			}
		}
		if len(slots) > len(v.old.kids) {
			slices.SortFunc(slots, func(a, b slot) int { return strings.Compare(a.name, b.name) })
		}
		return slots, nil
	}
	names, err := v.dir.Names()
	if err != nil {
		return nil, err
	}
	slices.Sort(names)
	slots := make([]slot, 0, len(names))
	for _, name := range names {
		if !strings.HasPrefix(name, tempPrefix) && !(v.git && strings.HasPrefix(name, "tmp_")) {
			slots = append(slots, slot{name, v.old.child(name)})
		}
	}
	return slots, nil
}

// rulesChanged reports whether an ignore file of the directory is not as it was.
func (v *visit) rulesChanged(slots []slot) bool {
	if v.old == nil {
		return false
	}
	for _, name := range scope.Files() {
		known := v.old.child(name)
		if !has(slots, name) {
			if known != nil {
				return true
			}
			continue
		}
		if now, err := v.dir.Lstat(name); known == nil || err != nil || !known.stat.Unchanged(now) {
			return true
		}
	}
	return false
}

// entry looks at one entry and sets its node; nil when it is gone. Directories may be visited by another goroutine.
func (v *visit) entry(e slot, isGit bool, to **node, others *sync.WaitGroup) {
	name, old := e.name, e.old
	objects := v.git && name != "info" && !strings.HasPrefix(name, "multi-pack-index") // git writes these anew
	if objects && v.only == nil && old.object() && old.stat.Mode.IsRegular() {
		*to = old
		return
	}
	st, err := v.dir.Lstat(name)
	if err != nil {
		if old != nil && !errors.Is(err, fs.ErrNotExist) {
			*to = v.unreadable(name, old, old.stat)
		}
		return
	}
	if !st.Mode.IsDir() {
		if objects && st.Mode.IsRegular() {
			*to = v.object(name, old, st)
		} else {
			*to = v.leaf(name, old, st)
			if n := *to; n != nil && n.left == "" && (!n.settled || n.stat.Links > 1) {
				v.unsure.Store(true) // it may be written through a mapping, or by another name
			}
		}
		return
	}
	path := join(v.path, name)
	if left := v.leftDir(path, old, st, isGit && name == "lfs"); left != "" {
		*to = v.without(name, old, st, left)
		return
	}
	if old != nil && !old.stat.Mode.IsDir() {
		old = nil
	}
	sub, err := v.dir.Sub(name)
	if err != nil {
		*to = v.unreadable(name, old, st)
		return
	}
	below := &visit{walker: v.walker, dir: sub, path: path, name: name, depth: v.depth + 1, old: old, stat: st, again: v.again, git: objects || isGit && name == "objects"}
	below.scope = scope.New(v.scope, sub, path)
	if old != nil {
		below.only = v.only[name]
	}
	work := func() {
		defer sub.Close()
		*to = below.run()
	}
	select {
	case <-v.spare:
		others.Go(func() {
			work()
			v.spare <- struct{}{}
		})
	default:
		work()
	}
}

// leftDir says why a directory is left out; "" if it is not.
func (v *visit) leftDir(path string, old *node, st disk.Stat, lfs bool) Left {
	switch {
	case lfs:
		return GitObjects
	case st.Dev != v.stat.Dev:
		return Mounted
	case v.skip[v.root+"/"+path]:
		return Own
	case v.depth >= maxDepth:
		return Unreadable
	case v.options.Ignored:
		return ""
	case old != nil && old.stat.Mode.IsDir() && (old.left != Ignored || !v.again):
		if old.left == Ignored {
			return Ignored
		}
		return "" // what was covered stays covered, whatever the rules say now
	case v.scope.Ignores(path, true):
		return Ignored
	}
	return ""
}

// without is the node of something that is not covered.
func (v *visit) without(name string, old *node, st disk.Stat, left Left) *node {
	if old != nil && old.left == left && old.stat == st {
		return old
	}
	return &node{name: name, stat: st, left: left}
}

// unreadable is the node of a directory or file that cannot be read: what it held is taken to be unchanged.
func (v *visit) unreadable(name string, old *node, st disk.Stat) *node {
	n := &node{name: name, stat: st, left: Unreadable}
	if old != nil {
		n.kids, n.sum, n.attrs = old.kids, old.sum, old.attrs
		if old.left == Unreadable && old.stat == st {
			return old
		}
	}
	return n
}

// settled reports whether a stat is old enough to know that a later change makes it differ. What programs that are not
// ours changed must be older, but only a few files are: a whole tree that was just copied or checked out is no database.
func (w *walker) settled(st disk.Stat) bool {
	changed := st.Ctime
	if changed == 0 {
		changed = st.Mtime
	}
	age := w.now - changed
	if age < w.margin || !w.outside {
		return age >= w.margin
	}
	return age >= int64(outsideMargin) || !st.Mode.IsRegular() || w.young.Add(1) > maxYoung
}

// maxYoung is how many files of a walk are read again because they changed less than outsideMargin ago.
const maxYoung = 256

// The margins: how old a stat must be to be trusted. See settled.
const (
	ownMargin     = 2 * time.Second
	slowMargin    = 5 * time.Second  // file systems with coarse stamps, and those of a network
	outsideMargin = 35 * time.Second // what programs that are not ours changed: they may write through a mapping until the kernel writes back
)
