package undo

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"sync"
)

// visit is the work on one directory.
type visit struct {
	*treeWalk
	dir   *diskDir
	path  string // below the root
	name  string
	depth int
	old   *treeNode // nil, or a directory
	stat  fileStat
	scope *scope // nil: in a git directory, of which no rule leaves out anything
	only  treeFilter
	git   bool       // it has git's objects, which never change
	again bool       // an ignore file has changed: decide again what is left out
	left  leftReason // leftIgnored: only the files in it are kept that file tools have named
}

// listen finds the directories to look at, and reports whether there are any at or below a node.
func (w *treeWalk) listen(n *treeNode) (any bool) {
	if n == nil || !n.Stat.Mode.IsDir() || n.Left != "" && !n.Object() && keptPart(n) == nil {
		return false
	}
	look := w.Heard[n.Stat.ID()] || !w.Watch.Has(n.Stat.ID())
	any = look
	for _, k := range n.Kids {
		any = w.listen(k) || any
	}
	if any {
		w.stir[n] = look
	}
	return any
}

// calm reports whether nothing happened in a directory, whatever happened below it.
func (v *visit) calm() bool {
	return v.Heard != nil && v.old != nil && !v.again && v.only == nil && !v.stir[v.old]
}

// below visits what is below a directory in which nothing happened.
func (v *visit) below() *treeNode {
	isGit := isGitDir(v.old)
	if isGit {
		v.scope = nil
	}
	n := *v.old
	n.Kids = slices.Clone(v.old.Kids)
	var others sync.WaitGroup
	for i, k := range v.old.Kids {
		if _, some := v.stir[k]; some && !v.broken.Load() {
			v.entry(slot{k.Name, k}, isGit, &n.Kids[i], &others)
		}
	}
	others.Wait()
	if slices.Equal(n.Kids, v.old.Kids) {
		return v.old
	}
	n.Kids = slices.DeleteFunc(n.Kids, func(k *treeNode) bool { return k == nil })
	return &n
}

func (v *visit) run() *treeNode {
	if v.calm() {
		return v.below()
	}
	v.give()
	n := &treeNode{Name: v.name, Stat: v.stat, Settled: v.settled(v.stat), Left: v.left}
	if v.old != nil && v.old.Stat.Unchanged(v.stat) {
		n.Attrs = v.old.Attrs
	} else {
		n.Attrs = v.dir.Attrs()
	}
	if v.Watch != nil && v.left == "" {
		v.Watch.Add(v.dir, v.stat)
	}
	slots, err := v.slots()
	if err != nil {
		return v.unreadable(v.name, v.old, v.stat)
	}
	if v.git {
		n.Left = keptByGit
	} else if n := v.entries.Add(int64(len(slots))); v.Limits.MaxEntries > 0 && n > int64(v.Limits.MaxEntries) {
		v.fail(fmt.Errorf("%w: more than %d", errTooMany, v.Limits.MaxEntries))
	}
	if err := v.ctx.Err(); err != nil {
		v.fail(err)
	}
	isGit := has(slots, "HEAD") && has(slots, "objects") && has(slots, "refs")
	if isGit {
		v.scope = nil
	}
	v.again = v.again || v.rulesChanged(slots)
	kids := make([]*treeNode, len(slots))
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
	n.Kids = slices.DeleteFunc(kids, func(k *treeNode) bool { return k == nil })
	if v.only != nil { // the names that were not looked at may have changed
		n.Stat, n.Settled, n.Attrs = v.old.Stat, v.old.Settled, v.old.Attrs
		if n.Stat.Mode != v.stat.Mode {
			n.Stat.Mode, n.Settled = v.stat.Mode, false
		}
	}
	if v.old != nil && n.Settled == v.old.Settled && n.Stat == v.old.Stat && n.Attrs == v.old.Attrs && v.old.Left == n.Left && slices.Equal(n.Kids, v.old.Kids) {
		return v.old
	}
	return n
}

// slot is a name in a directory, and what is known of it.
type slot struct {
	name string
	old  *treeNode
}

func has(sorted []slot, name string) bool {
	_, ok := slices.BinarySearchFunc(sorted, name, func(e slot, name string) int { return strings.Compare(e.name, name) })
	return ok
}

// slots returns the entries by their names. Those of a directory that did not change are known.
func (v *visit) slots() ([]slot, error) {
	known := v.old != nil && (v.old.Left == "" || v.old.Object() || v.left != "") && !v.Full && (v.only != nil || v.old.Settled && v.old.Stat.Unchanged(v.stat))
	if known {
		slots := make([]slot, len(v.old.Kids), len(v.old.Kids)+len(v.only))
		for i, k := range v.old.Kids {
			slots[i] = slot{k.Name, k}
		}
		for name := range v.only {
			if v.old.Child(name) == nil {
				slots = append(slots, slot{name: name})
			}
		}
		if len(slots) > len(v.old.Kids) {
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
			slots = append(slots, slot{name, v.old.Child(name)})
		}
	}
	return slots, nil
}

// rulesChanged reports whether an ignore file of the directory is not as it was.
func (v *visit) rulesChanged(slots []slot) bool {
	if v.old == nil {
		return false
	}
	for _, name := range ignoreFileNames() {
		known := v.old.Child(name)
		if !has(slots, name) {
			if known != nil {
				return true
			}
			continue
		}
		if now, err := v.dir.Lstat(name); known == nil || err != nil || !known.Stat.Unchanged(now) {
			return true
		}
	}
	return false
}

// entry looks at one entry and sets its node; nil when it is gone. Directories may be visited by another goroutine.
func (v *visit) entry(e slot, isGit bool, to **treeNode, others *sync.WaitGroup) {
	name, old := e.name, e.old
	objects := v.git && name != "info" && !strings.HasPrefix(name, "multi-pack-index") // git writes these again
	if objects && v.only == nil && old.Object() && old.Stat.Mode.IsRegular() {
		*to = old
		return
	}
	st, err := v.dir.Lstat(name)
	if err != nil {
		if old != nil && !errors.Is(err, fs.ErrNotExist) {
			*to = v.unreadable(name, old, old.Stat)
		}
		return
	}
	if !st.Mode.IsDir() {
		*to = v.file(name, old, st, objects)
		return
	}
	path := joinPath(v.path, name)
	left, part := v.leftDir(name, old, st), treeFilter(nil)
	if left == leftIgnored {
		part = v.partOf(name, old)
	}
	if left != "" && part == nil {
		*to = v.without(name, old, st, left)
		return
	}
	if old != nil && !old.Stat.Mode.IsDir() {
		old = nil
	}
	if _, some := v.stir[old]; v.Heard != nil && old != nil && !some && !v.again && old.Stat.Unchanged(st) {
		*to = old
		return
	}
	sub, err := v.dir.Sub(name)
	if err != nil {
		*to = v.unreadable(name, old, st)
		return
	}
	below := &visit{treeWalk: v.treeWalk, dir: sub, path: path, name: name, depth: v.depth + 1, old: old, stat: st, again: v.again, git: objects || (isGit || v.scope == nil && v.name == "lfs") && name == "objects"}
	below.inherit(v, old, part)
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

// inherit takes over what holds for a directory of above. part is what is kept of one that an ignore file leaves out.
func (v *visit) inherit(above *visit, old *treeNode, part treeFilter) {
	if above.scope != nil {
		v.scope = newScope(above.scope, v.dir, v.path)
	}
	if part != nil {
		v.left, v.only = leftIgnored, part
		if old == nil {
			v.old = &treeNode{Name: v.name, Stat: v.stat, Left: leftIgnored}
		}
	} else if old != nil {
		v.only = above.only[v.name]
	}
}

// file looks at what is no directory: an object of git, or anything else.
func (v *visit) file(name string, old *treeNode, st fileStat, objects bool) *treeNode {
	if objects && st.Mode.IsRegular() {
		return v.object(name, old, st)
	}
	n := v.leaf(name, old, st)
	if n != nil && n.Left == "" && (!n.Settled || n.Stat.Links > 1 || v.left != "") { // it may be written through a mapping, or by another name, or is not watched
		v.mu.Lock()
		v.unsure = append(v.unsure, v.stat.ID())
		v.mu.Unlock()
	}
	return n
}

// leftDir says why a directory is left out; "" if it is not.
func (v *visit) leftDir(name string, old *treeNode, st fileStat) leftReason {
	path := joinPath(v.path, name)
	_, named := v.only[name]
	switch {
	case st.Dev != v.stat.Dev:
		return leftMounted
	case v.Skip[v.Root+"/"+path]:
		return leftOwn
	case v.depth >= maxDepth:
		return leftUnreadable
	case v.Limits.Ignored || v.scope == nil || old == nil && named && v.Limits.Made:
		return ""
	case old != nil && old.Stat.Mode.IsRegular() && old.Left == "":
		return "" // in the place of a file that was kept: it comes back only where this can go
	case old != nil && old.Stat.Mode.IsDir() && (old.Left != leftIgnored || !v.again):
		if old.Left == leftIgnored {
			return leftIgnored
		}
		return "" // what was covered stays covered, whatever the rules say now
	case v.left != "" || v.scope.Ignores(path, true):
		return leftIgnored
	}
	return ""
}

// partOf returns what is kept of a directory that an ignore file leaves out: what the walk names, or what walks have named before; nil is nothing.
func (v *visit) partOf(name string, old *treeNode) treeFilter {
	if below := v.only[name]; below != nil {
		return below
	}
	return keptPart(old)
}

// keptPart returns what is known below a directory that is left out; nil when nothing is.
func keptPart(n *treeNode) (part treeFilter) {
	if n == nil || n.Left != leftIgnored {
		return nil
	}
	for _, k := range n.Kids {
		below := keptPart(k)
		if k.Left != "" && below == nil {
			continue
		}
		if part == nil {
			part = treeFilter{}
		}
		part[k.Name] = below
	}
	return part
}

// without is the node of something that is not covered.
func (v *visit) without(name string, old *treeNode, st fileStat, left leftReason) *treeNode {
	if old != nil && old.Left == left && old.Stat == st {
		return old
	}
	return &treeNode{Name: name, Stat: st, Left: left}
}

// unreadable is the node of a directory or file that cannot be read: what it held is taken to be unchanged.
func (v *visit) unreadable(name string, old *treeNode, st fileStat) *treeNode {
	n := &treeNode{Name: name, Stat: st, Left: leftUnreadable}
	if old != nil {
		n.Kids, n.Sum, n.Attrs = old.Kids, old.Sum, old.Attrs
		if old.Left == leftUnreadable && old.Stat == st {
			return old
		}
	}
	return n
}
