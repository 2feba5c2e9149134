package undo

import (
	"io/fs"
)

// TreeLeft is why the content of something is not kept. Its existence and its mode are.
type TreeLeft string

// The reasons.
const (
	tooLarge       TreeLeft = "larger than the limit" // Limits.MaxFile
	treeIgnored    TreeLeft = "left out by an ignore file"
	treeSpecial    TreeLeft = "no regular file" // a FIFO, a socket, a device
	treeUnreadable TreeLeft = "not readable"
	treeMounted    TreeLeft = "on another file system"
	overQuota      TreeLeft = "more than the store may hold" // Walk.Room
	gitObjects     TreeLeft = "an object of git that could not be kept"
	treeOwn        TreeLeft = "rein's own files"

	// treeKept marks git's objects, and the directories that they are in: a GitobjectsStore has them.
	treeKept TreeLeft = "git"
)

// Node is one file, directory or link, as a walk found it. Nodes do not change: a later walk makes new ones for what
// changed and takes the others over. So two trees that have a node in common are the same below it. Nil is nothing.
type Node struct {
	Name    string
	Stat    Stat
	Sum     Sum    // of a file
	Target  string // of a link
	Attrs   string
	Left    TreeLeft
	Settled bool // the stat is enough to know that nothing changed
	Kids    []*Node
}

// Object reports whether a node is a kept object of git, or a directory of them. They never change, and ordinary commands
// only add to them. So they are not read: a link to each is kept as soon as it is seen.
func (n *Node) Object() bool { return n != nil && n.Left == treeKept }

// IsPipe reports a FIFO: it has no content, so it can be made again.
func (n *Node) IsPipe() bool { return n != nil && n.Stat.Mode.Type() == fs.ModeNamedPipe }

// Mode is the mode as an undo restores it: a link has no permissions of its own, though the BSDs show some.
func (n *Node) Mode() fs.FileMode {
	if n.Stat.Mode&fs.ModeSymlink != 0 {
		return fs.ModeSymlink | fs.ModePerm
	}
	return n.Stat.Mode
}

// Same reports whether two nodes are equal in all that an undo restores. What is below a directory does not count.
func (n *Node) Same(o *Node) bool {
	if n == nil || o == nil {
		return n == o
	}
	if n.Mode() != o.Mode() || n.Attrs != o.Attrs || n.Stat.Mode.IsDir() {
		return n.Mode() == o.Mode() && n.Attrs == o.Attrs
	}
	if !n.Stat.Mode.IsRegular() {
		return n.Target == o.Target
	}
	return n.Stat.Size == o.Stat.Size && n.Target == o.Target && (n.Left == "") == (o.Left == "") && (n.Left != "" || n.Sum == o.Sum)
}
