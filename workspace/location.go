package workspace

import (
	"io/fs"
	"os"
)

// location is where a name leads: the open directory that holds it and its last element. What is done there goes
// through the handle, so a path that is swapped meanwhile cannot lead elsewhere.
type location struct {
	tree *tree
	dir  *os.Root
	base string      // one element; "." for the top of a tree
	name string      // canonical
	asks string      // as it was asked for
	info fs.FileInfo // of base, links followed; nil when there is nothing yet
	held []*os.Root  // to be closed
}

func (s *location) close() {
	for _, r := range s.held {
		r.Close()
	}
	s.held = nil
}

func (s *location) wrap(err error) error { return s.tree.wrap(s.asks, err) }

// missing says what happens to directories on the way that do not exist.
type missing int

const (
	refuse  missing = iota // an error
	suppose                // they are named as if they were there
	create                 // they are made
)

// locate follows a name to its spot. The caller closes the spot.
func (w *Workspace) locate(name string, m missing) (*location, error) {
	return w.follow(&walker{w: w, asks: name}, m)
}

// enter follows the name of a directory into it: the spot's base is ".".
func (w *Workspace) enter(name string, m missing) (*location, error) {
	return w.follow(&walker{w: w, asks: name, enter: true}, m)
}

func (w *Workspace) follow(k *walker, m missing) (*location, error) {
	var err error
	if k.tree, k.rest, err = w.place(k.asks); err != nil {
		return nil, err
	}
	s, err := k.walk(m)
	if err == nil && m == create && s.tree.fixed {
		err = s.tree.unchangeable(k.asks)
	}
	if err != nil {
		k.release(0)
		return nil, k.tree.wrap(k.asks, err)
	}
	return s, nil
}
