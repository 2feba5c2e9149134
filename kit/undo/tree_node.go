package undo

import (
	"io/fs"
)

// leftReason is why the content of something is not kept. Its existence and its mode are.
type leftReason string

// The reasons.
const (
	leftTooLarge   leftReason = "larger than the limit" // Limits.MaxFile
	leftIgnored    leftReason = "left out by an ignore file"
	leftSpecial    leftReason = "no regular file" // a FIFO, a socket, a device
	leftUnreadable leftReason = "not readable"
	leftMounted    leftReason = "on another file system"
	leftOverQuota  leftReason = "more than the store may hold" // Walk.Room
	leftGitObject  leftReason = "an object of git that could not be kept"
	leftOwn        leftReason = "rein's own files"

	// keptByGit marks git's objects, and the directories that they are in: a gitStore has them.
	keptByGit leftReason = "git"
)

// treeNode is one file, directory or link, as a walk found it. Nodes do not change: a later walk makes new ones for what
// changed and takes the others over. So two trees that have a node in common are the same below it. Nil is nothing.
type treeNode struct {
	Name    string
	Stat    fileStat
	Sum     contentSum // of a file
	Target  string     // of a link
	Attrs   string
	Left    leftReason
	Settled bool // the stat is enough to know that nothing changed
	Kids    []*treeNode
}

// Object reports whether a node is a kept object of git, or a directory of them. They never change, and ordinary commands
// only add to them. So they are not read: a link to each is kept as soon as it is seen.
func (n *treeNode) Object() bool { return n != nil && n.Left == keptByGit }

// IsPipe reports a FIFO: it has no content, so it can be made again.
func (n *treeNode) IsPipe() bool { return n != nil && n.Stat.Mode.Type() == fs.ModeNamedPipe }

// Mode is the mode as an undo restores it: a link has no permissions of its own, though the BSDs show some.
func (n *treeNode) Mode() fs.FileMode {
	if n.Stat.Mode&fs.ModeSymlink != 0 {
		return fs.ModeSymlink | fs.ModePerm
	}
	return n.Stat.Mode
}

// Same reports whether two nodes are equal in all that an undo restores. What is below a directory does not count.
func (n *treeNode) Same(o *treeNode) bool {
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
