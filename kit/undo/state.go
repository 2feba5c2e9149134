package undo

import (
	"fmt"
	"io/fs"
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
	TooLarge   = Left(leftTooLarge) // Options.MaxFile
	Ignored    = Left(leftIgnored)
	Special    = Left(leftSpecial) // a FIFO, a socket, a device
	Unreadable = Left(leftUnreadable)
	Mounted    = Left(leftMounted)
	OverQuota  = Left(leftOverQuota) // Options.Quota
	GitObjects = Left(leftGitObject)
	Own        = Left(leftOwn)
)

// stateOf returns what people see of a node; nil is nothing.
func stateOf(n *treeNode) State {
	if n == nil {
		return State{}
	}
	s := State{Mode: n.Mode(), Target: n.Target, Attrs: n.Attrs, Left: Left(n.Left), exists: true}
	if n.Object() {
		s.Left = ""
	}
	if n.Stat.Mode.IsRegular() {
		s.Size = n.Stat.Size
		if n.Left == "" {
			s.Sum = string(n.Sum[:])
		}
	}
	return s
}

// sumOf is the sum of a state's content.
func (s State) sumOf() (sum contentSum) {
	copy(sum[:], s.Sum)
	return sum
}
