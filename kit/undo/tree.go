package undo

import (
	"cmp"
	"slices"
	"strings"
)

// Child finds an entry of a directory.
func (n *treeNode) Child(name string) *treeNode {
	if n == nil {
		return nil
	}
	i, ok := slices.BinarySearchFunc(n.Kids, name, func(k *treeNode, name string) int { return cmp.Compare(k.Name, name) })
	if !ok {
		return nil
	}
	return n.Kids[i]
}

// isGitDir reports a git directory.
func isGitDir(n *treeNode) bool {
	return n.Child("HEAD") != nil && n.Child("objects") != nil && n.Child("refs") != nil
}

// Find follows a path below a directory; "" is the directory itself.
func (n *treeNode) Find(path string) *treeNode {
	for path != "" && n != nil {
		var name string
		name, path, _ = strings.Cut(path, "/")
		n = n.Child(name)
	}
	return n
}

// With returns a tree that has k at the path; nil removes what is there. Directories on the way that are missing are made up,
// unless k is nil.
func (n *treeNode) With(path string, k *treeNode) *treeNode {
	name, rest, more := strings.Cut(path, "/")
	old := n.Child(name)
	if more {
		if old == nil {
			if k == nil {
				return n
			}
			old = &treeNode{Name: name, Stat: fileStat{Mode: dirMode}}
		}
		k = old.With(rest, k)
	} else if k != nil && k.Name != name {
		c := *k
		c.Name, k = name, &c
	}
	if k == old {
		return n
	}
	c := *n
	c.Settled = false // its own stat may not fit any more
	c.Kids = make([]*treeNode, 0, len(n.Kids)+1)
	i, found := slices.BinarySearchFunc(n.Kids, name, func(k *treeNode, name string) int { return cmp.Compare(k.Name, name) })
	c.Kids = append(c.Kids, n.Kids[:i]...)
	if k != nil {
		c.Kids = append(c.Kids, k)
	}
	if found {
		i++
	}
	c.Kids = append(c.Kids, n.Kids[i:]...)
	return &c
}

// treeChange is what happened at one path. before has no entries below it.
type treeChange struct {
	Path          string
	Before, After *treeNode
}

// diffTrees gives what differs between two trees, each directory before what is in it when it came, after it when it went. What comes
// under cover, because an ignore file does not leave it out any more, did not come.
func diffTrees(path string, old, now *treeNode, see func(treeChange)) {
	if old == now {
		return
	}
	came := old == nil || !old.Stat.Mode.IsDir()
	if path != "" && came && (nodeChanged(old, now) || relinked(old, now)) {
		see(treeChange{path, old, now})
	}
	i, j := 0, 0
	var a, b []*treeNode
	if old != nil {
		a = old.Kids
	}
	if now != nil {
		b = now.Kids
	}
	covered := !came && old.Left != "" && old.Left != leftUnreadable && !old.Object() // not all that was in it is known
	for i < len(a) || j < len(b) {
		switch {
		case covered && now != nil && now.Left == "" && (i == len(a) || j < len(b) && b[j].Name < a[i].Name):
			j++ // it came under cover: nobody made it
		case j == len(b) || i < len(a) && a[i].Name < b[j].Name:
			diffTrees(joinPath(path, a[i].Name), a[i], nil, see)
			i++
		case i == len(a) || b[j].Name < a[i].Name:
			diffTrees(joinPath(path, b[j].Name), nil, b[j], see)
			j++
		default:
			diffTrees(joinPath(path, a[i].Name), a[i], b[j], see)
			i, j = i+1, j+1
		}
	}
	if path != "" && !came && nodeChanged(old, now) {
		see(treeChange{path, old, now})
	}
}

// nodeChanged reports whether a file was changed. That it came under cover, or lost it, is no change. Of what is not covered
// only the stat is known.
func nodeChanged(old, now *treeNode) bool {
	if old != nil && now != nil && (old.Left != "" || now.Left != "") {
		a, b := old.Stat, now.Stat
		return a.Mode != b.Mode || a.Mode.IsRegular() && (a.Size != b.Size || a.Mtime != b.Mtime)
	}
	return !old.Same(now)
}

// relinked reports whether a name with other names was or became another file, of whatever content: the ones that are one file are
// others now.
func relinked(old, now *treeNode) bool {
	return old != nil && now != nil && !old.Stat.Mode.IsDir() && !now.Stat.Mode.IsDir() && covers(old) && covers(now) &&
		(old.Stat.Links > 1 || now.Stat.Links > 1) && old.Stat.ID() != now.Stat.ID()
}

// covers reports whether a node can be made again.
func covers(n *treeNode) bool { return n.Left == "" || n.IsPipe() }

func joinPath(dir, name string) string {
	if dir == "" {
		return name
	}
	return dir + "/" + name
}

// Each calls see for a node and all below it, with their paths.
func (n *treeNode) Each(path string, see func(string, *treeNode)) {
	if n == nil {
		return
	}
	see(path, n)
	for _, k := range n.Kids {
		k.Each(joinPath(path, k.Name), see)
	}
}

// Bare is a node without what is below it, as records keep it.
func (n *treeNode) Bare() *treeNode {
	if n == nil || n.Kids == nil {
		return n
	}
	c := *n
	c.Kids, c.Settled = nil, false
	return &c
}
