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
	skip    map[string]bool // absolute paths that are left out
	root    string          // absolute path of the root
	now     int64           // when the walk began
	margin  int64           // an entry that is younger is not settled
	held    func(inode uint64) bool
	room    int64 // bytes that the store may still take
	full    bool  // read everything again, whatever the stats say

	spare   chan struct{} // goroutines that may still be started
	entries atomic.Int64
	stored  atomic.Int64
	mu      sync.Mutex
	err     error
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
	}
}

func (w *walker) failed() bool {
	if err := w.ctx.Err(); err != nil {
		w.fail(err)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.err != nil
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
	v.scope = &scope{above: scopeBeyond(w.root), dir: top}
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
	scope *scope
	only  filter
	again bool // an ignore file has changed: decide again what is left out
}

func (v *visit) run() *node {
	n := &node{name: v.name, stat: v.stat, settled: v.settled(v.stat)}
	if v.old != nil && v.old.stat.Unchanged(v.stat) {
		n.attrs = v.old.attrs
	} else {
		n.attrs = v.dir.Attrs()
	}
	names, err := v.names()
	if err != nil {
		return v.unreadable(v.name, v.old, v.stat)
	}
	_, isGit := slices.BinarySearch(names, "HEAD")
	isGit = isGit && contains(names, "objects") && contains(names, "refs")
	v.again = v.again || v.rulesChanged(names)
	kids := make([]*node, len(names))
	var others sync.WaitGroup
	for i, name := range names {
		if v.failed() {
			break
		}
		if v.only != nil {
			if _, wanted := v.only[name]; !wanted {
				kids[i] = v.old.child(name)
				continue
			}
		}
		v.entry(name, isGit && (name == "objects" || name == "lfs"), &kids[i], &others)
	}
	others.Wait()
	n.kids = slices.DeleteFunc(kids, func(k *node) bool { return k == nil })
	if v.only != nil { // the names that were not looked at may have changed
		n.stat, n.settled, n.attrs = v.old.stat, v.old.settled, v.old.attrs
		if n.stat.Mode != v.stat.Mode {
			n.stat.Mode, n.settled = v.stat.Mode, false
		}
	}
	if v.old != nil && n.settled == v.old.settled && n.stat == v.old.stat && n.attrs == v.old.attrs && v.old.left == "" && slices.Equal(n.kids, v.old.kids) {
		return v.old
	}
	return n
}

func contains(sorted []string, name string) bool {
	_, ok := slices.BinarySearch(sorted, name)
	return ok
}

// names gives the names of the entries, sorted. Those of a directory that did not change are known.
func (v *visit) names() ([]string, error) {
	known := v.old != nil && v.old.left == "" && !v.full && (v.only != nil || v.old.settled && v.old.stat.Unchanged(v.stat))
	if !known {
		names, err := v.dir.Names()
		names = slices.DeleteFunc(names, func(n string) bool { return strings.HasPrefix(n, tempPrefix) })
		slices.Sort(names)
		return names, err
	}
	names := make([]string, len(v.old.kids), len(v.old.kids)+len(v.only))
	for i, k := range v.old.kids {
		names[i] = k.name
	}
	for name := range v.only {
		if !contains(names[:len(v.old.kids)], name) {
			names = append(names, name)
		}
	}
	if len(names) > len(v.old.kids) {
		slices.Sort(names)
	}
	return names, nil
}

// rulesChanged reports whether an ignore file of the directory is not as it was.
func (v *visit) rulesChanged(names []string) bool {
	if v.old == nil {
		return false
	}
	for _, name := range ruleFiles() {
		known := v.old.child(name)
		if !contains(names, name) {
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
func (v *visit) entry(name string, objects bool, to **node, others *sync.WaitGroup) {
	st, err := v.dir.Lstat(name)
	if err != nil {
		if old := v.old.child(name); old != nil && !errors.Is(err, fs.ErrNotExist) {
			*to = v.unreadable(name, old, old.stat)
		}
		return
	}
	if n := v.entries.Add(1); v.options.MaxEntries > 0 && n > int64(v.options.MaxEntries) {
		v.fail(fmt.Errorf("%w: more than %d", ErrTooMany, v.options.MaxEntries))
		return
	}
	old := v.old.child(name)
	if !st.Mode.IsDir() {
		*to = v.leaf(name, old, st)
		return
	}
	path := join(v.path, name)
	if left := v.leftDir(path, old, st, objects); left != "" {
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
	below := &visit{walker: v.walker, dir: sub, path: path, name: name, depth: v.depth + 1, old: old, stat: st, again: v.again}
	below.scope = &scope{above: v.scope, dir: sub, path: path}
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
func (v *visit) leftDir(path string, old *node, st disk.Stat, objects bool) Left {
	switch {
	case objects:
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
	case v.scope.ignores(path, true):
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

// settled reports whether a stat is old enough to know that a later change makes it differ.
func (w *walker) settled(st disk.Stat) bool {
	changed := st.Ctime
	if changed == 0 {
		changed = st.Mtime
	}
	return changed <= w.now-w.margin
}

// The margins: how old a stat must be to be trusted. See settled.
const (
	ownMargin     = 2 * time.Second
	slowMargin    = 5 * time.Second  // file systems with coarse stamps, and those of a network
	outsideMargin = 35 * time.Second // what programs that are not ours changed: they may write through a mapping until the kernel writes back
)
