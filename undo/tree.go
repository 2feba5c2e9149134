package undo

import (
	"cmp"
	"slices"
	"strings"

	"rein/undo/internal/disk"
)

// child finds an entry of a directory.
func (n *node) child(name string) *node {
	if n == nil {
		return nil
	}
	i, ok := slices.BinarySearchFunc(n.kids, name, func(k *node, name string) int { return cmp.Compare(k.name, name) })
	if !ok {
		return nil
	}
	return n.kids[i]
}

// find follows a path below a directory; "" is the directory itself.
func (n *node) find(path string) *node {
	for path != "" && n != nil {
		var name string
		name, path, _ = strings.Cut(path, "/")
		n = n.child(name)
	}
	return n
}

// with gives a tree that has k at the path; nil removes what is there. Directories on the way that are missing are made up,
// unless k is nil.
func (n *node) with(path string, k *node) *node {
	name, rest, more := strings.Cut(path, "/")
	old := n.child(name)
	if more {
		if old == nil {
			if k == nil {
				return n
			}
			old = &node{name: name, stat: disk.Stat{Mode: dirMode}}
		}
		k = old.with(rest, k)
	} else if k != nil && k.name != name {
		c := *k
		c.name, k = name, &c
	}
	if k == old {
		return n
	}
	c := *n
	c.settled = false // its own stat may not fit any more
	c.kids = make([]*node, 0, len(n.kids)+1)
	i, found := slices.BinarySearchFunc(n.kids, name, func(k *node, name string) int { return cmp.Compare(k.name, name) })
	c.kids = append(c.kids, n.kids[:i]...)
	if k != nil {
		c.kids = append(c.kids, k)
	}
	if found {
		i++
	}
	c.kids = append(c.kids, n.kids[i:]...)
	return &c
}

// change is what happened at one path. before has no entries below it.
type change struct {
	path          string
	before, after *node
}

// diff gives what differs between two trees, each directory before what is in it when it came, after it when it went.
func diff(path string, old, now *node, see func(change)) {
	if old == now {
		return
	}
	came := old == nil || !old.stat.Mode.IsDir()
	if path != "" && came && differs(old, now) {
		see(change{path, old, now})
	}
	i, j := 0, 0
	var a, b []*node
	if old != nil {
		a = old.kids
	}
	if now != nil {
		b = now.kids
	}
	for i < len(a) || j < len(b) {
		switch {
		case j == len(b) || i < len(a) && a[i].name < b[j].name:
			diff(join(path, a[i].name), a[i], nil, see)
			i++
		case i == len(a) || b[j].name < a[i].name:
			diff(join(path, b[j].name), nil, b[j], see)
			j++
		default:
			diff(join(path, a[i].name), a[i], b[j], see)
			i, j = i+1, j+1
		}
	}
	if path != "" && !came && differs(old, now) {
		see(change{path, old, now})
	}
}

// differs reports whether a file was changed. That it came under cover, or lost it, is no change. Of what is not covered
// only the stat is known.
func differs(old, now *node) bool {
	if old != nil && now != nil && (old.left != "" || now.left != "") {
		a, b := old.stat, now.stat
		return a.Mode != b.Mode || a.Mode.IsRegular() && (a.Size != b.Size || a.Mtime != b.Mtime)
	}
	return !old.state().same(now.state())
}

func join(dir, name string) string {
	if dir == "" {
		return name
	}
	return dir + "/" + name
}

// walk calls see for a node and all below it, with their paths.
func (n *node) walk(path string, see func(string, *node)) {
	if n == nil {
		return
	}
	see(path, n)
	for _, k := range n.kids {
		k.walk(join(path, k.name), see)
	}
}

// bare is a node without what is below it, as records keep it.
func (n *node) bare() *node {
	if n == nil || n.kids == nil {
		return n
	}
	c := *n
	c.kids, c.settled = nil, false
	return &c
}
