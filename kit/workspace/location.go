package workspace

import (
	"io/fs"
	"os"
)

// location is where a name points: the open directory that holds it, and its last element. Operations go
// through the handle, so a path that is replaced meanwhile cannot lead elsewhere.
type location struct {
	tree  *tree
	dir   *os.Root
	base  string      // one element; "." for the top of a tree
	name  string      // canonical
	given string      // the name as the caller gave it
	info  fs.FileInfo // of base, links followed; nil if nothing exists
	held  []*os.Root  // to be closed
}

func (s *location) close() {
	for _, r := range s.held {
		r.Close()
	}
	s.held = nil
}

func (s *location) wrap(err error) error { return s.tree.wrap(s.given, err) }

// missing decides what happens to parent directories that do not exist.
type missing int

const (
	refuse  missing = iota // an error
	suppose                // they are named as if they existed
	create                 // they are created
)

// locate follows a name to its location. The caller closes it.
func (w *Workspace) locate(name string, m missing) (*location, error) {
	return w.follow(&walker{w: w, given: name}, m)
}

// enter follows the name of a directory into it: the base of the location is ".".
func (w *Workspace) enter(name string, m missing) (*location, error) {
	return w.follow(&walker{w: w, given: name, enter: true}, m)
}

func (w *Workspace) follow(k *walker, m missing) (*location, error) {
	var err error
	if k.tree, k.rest, err = w.place(k.given); err != nil {
		return nil, err
	}
	if k.tree.gone() { // else a directory that was moved away, perhaps as a copy to keep, would be read and changed
		return nil, k.tree.isGone(k.given, nil)
	}
	s, err := k.walk(m)
	if err == nil && m == create && s.tree.fixed {
		err = s.tree.unchangeable(k.given)
	}
	if err != nil {
		k.release(0)
		return nil, k.tree.wrap(k.given, err)
	}
	return s, nil
}
