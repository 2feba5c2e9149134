package undo

import "rein/undo/internal/disk"

// watch saves the walk before a call: where the kernel reports that nothing has happened in any directory since the last walk,
// that walk still holds. What the kernel does not report is looked at as before: files that may be written through a mapping or
// a hard link, and file systems that are not local. The walk after a call always takes place.
type watch struct {
	*disk.Watch      // nil: there is none
	off         bool // it cannot be used here
	fresh       bool // the last walk was of everything, and found nothing that has to be looked at again
}

// unchanged reports whether nothing can have changed since the last walk.
func (s *Store) unchanged() bool {
	if s.watch.Watch == nil || !s.watch.fresh || !s.known() {
		return false
	}
	if held, unknown := s.heldFiles(); held != nil || unknown {
		return false
	}
	quiet, whole := s.watch.Quiet()
	s.watch.fresh = quiet
	if !whole {
		s.unwatch()
	}
	return quiet
}

// watchWalk begins a walk of everything: what is heard from now on came after it. It gives nil where nothing is watched.
func (s *Store) watchWalk() *disk.Watch {
	s.watch.fresh = false
	for _, r := range s.roots {
		s.watch.off = s.watch.off || r.open && disk.IsSlow(r.dir)
	}
	if s.watch.off {
		return nil
	}
	if s.watch.Watch != nil {
		if _, whole := s.watch.Quiet(); !whole {
			s.unwatch()
		}
	}
	if s.watch.Watch == nil && !s.watch.off {
		w, err := disk.NewWatch()
		if s.watch.off = err != nil; err == nil {
			s.watch.Watch = w
		}
	}
	return s.watch.Watch
}

// unwatch drops a watch that lacks a directory. The next walk makes another one, unless there are too many directories.
func (s *Store) unwatch() {
	if s.watch.Watch != nil {
		s.watch.off = s.watch.off || s.watch.Full()
		s.watch.Close()
	}
	s.watch.Watch, s.watch.fresh = nil, false
}
