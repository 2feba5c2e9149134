package undo

import (
	"fmt"
	"io/fs"

	"rein/undo/internal/content"
	"rein/undo/internal/disk"
)

// State is what is at a path. The zero value is nothing: there is no such file.
type State struct {
	Mode   fs.FileMode // type, permissions, set-user-id, set-group-id and sticky bits
	Size   int64       // bytes of a file's content
	Sum    string      // identifies a file's content; "" when it is not kept
	Target string      // of a link
	Attrs  string      // extended attributes of the user, and access lists, in a form of our own
	Left   Left        // why it is not covered; "" when it is
	exists bool
}

// Exists reports whether there is something at the path.
func (s State) Exists() bool { return s.exists }

// same reports whether two states are equal in all that an undo restores.
func (s State) same(o State) bool {
	if !s.exists || !o.exists {
		return s.exists == o.exists
	}
	if s.Mode.IsDir() && o.Mode.IsDir() {
		return s.Mode == o.Mode && s.Attrs == o.Attrs
	}
	return s.Mode == o.Mode && s.Sum == o.Sum && s.Target == o.Target && s.Attrs == o.Attrs && s.Size == o.Size
}

// String describes the state in a few words: "a file of 12 bytes, -rw-r--r--".
func (s State) String() string {
	switch {
	case !s.exists:
		return "nothing"
	case s.Mode.IsDir():
		return fmt.Sprintf("a directory, %v", s.Mode.Perm())
	case s.Mode&fs.ModeSymlink != 0:
		return "a link to " + s.Target
	case !s.Mode.IsRegular():
		return fmt.Sprintf("a special file, %v", s.Mode)
	}
	return fmt.Sprintf("a file of %d bytes, %v", s.Size, s.Mode)
}

// Left is why the content of something is not kept. Its existence and its mode are.
type Left string

// The reasons.
const (
	TooLarge   Left = "larger than the limit" // Options.MaxFile
	Ignored    Left = "left out by an ignore file"
	Special    Left = "no regular file" // a FIFO, a socket, a device
	Unreadable Left = "not readable"
	Mounted    Left = "on another file system"
	OverQuota  Left = "more than the store may hold" // Options.Quota
	GitObjects Left = "an object of git that could not be kept"
	Own        Left = "rein's own files"

	// kept marks git's objects, and the directories that they are in: a gitobjects.Store has them.
	kept Left = "git"
)

// node is one file, directory or link, as a walk found it. Nodes do not change: a later walk makes new ones for what
// changed and takes the others over. So two trees that have a node in common are the same below it.
type node struct {
	name    string
	stat    disk.Stat
	sum     content.Sum // of a file
	target  string      // of a link
	attrs   string
	left    Left
	settled bool // the stat is enough to know that nothing changed
	kids    []*node
}

// state gives what an undo needs of a node; nil is nothing.
func (n *node) state() State {
	if n == nil {
		return State{}
	}
	s := State{Mode: n.stat.Mode, Target: n.target, Attrs: n.attrs, Left: n.left, exists: true}
	if n.object() {
		s.Left = ""
	}
	if s.Mode&fs.ModeSymlink != 0 {
		s.Mode = fs.ModeSymlink | fs.ModePerm // a link has no permissions of its own; the BSDs show some
	}
	if n.stat.Mode.IsRegular() {
		s.Size = n.stat.Size
		if n.left == "" {
			s.Sum = string(n.sum[:])
		}
	}
	return s
}

// sumOf is the sum of a state's content.
func (s State) sumOf() (sum content.Sum) {
	copy(sum[:], s.Sum)
	return sum
}
