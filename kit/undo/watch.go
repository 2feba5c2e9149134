package undo

// watch saves most of the walks: the kernel reports the directories in which something happened since the last walk, and only
// these are looked at. What it does not report is looked at as well: directories with files that may be written through a mapping
// or a hard link. File systems that are not local are not watched.
type watch struct {
	*dirWatch                 // nil: there is none
	off       bool            // it cannot be used here
	known     bool            // the last walk was of everything else than again
	again     map[fileID]bool // directories to look at
}

// changedDirs returns the directories in which something may have changed since the last walk; ok is false where it may be any.
func (s *Store) changedDirs() (dirs map[fileID]bool, ok bool) {
	if s.watch.dirWatch == nil || !s.watch.known || !s.known() {
		return nil, false
	}
	if held, unknown := s.heldFiles(); held != nil || unknown {
		return nil, false
	}
	if whole := s.watch.Heard(func(dir fileID) { s.watch.again[dir] = true }); !whole {
		s.unwatch()
		return nil, false
	}
	return s.watch.again, true
}

// toLook returns the watch of a walk, and the directories that it looks at; nil is all of them. A walk of a few paths needs no watch.
// What is known ends here, until the walk has succeeded.
func (s *Store) toLook(paths []string, jumped bool) (*dirWatch, map[fileID]bool) {
	if paths != nil {
		return nil, nil
	}
	dirs, some := s.changedDirs()
	if jumped || !some {
		return s.watchAll(), nil
	}
	s.watch.known = len(dirs) == 0
	return s.watch.dirWatch, dirs
}

// watchAll begins a walk of everything: what is heard from now on came after it. It returns nil where nothing is watched.
func (s *Store) watchAll() *dirWatch {
	s.watch.known = false
	for _, r := range s.roots {
		s.watch.off = s.watch.off || r.open && isSlowFileSystem(r.dir)
	}
	if s.watch.off {
		return nil
	}
	if s.watch.dirWatch != nil && !s.watch.Heard(func(fileID) {}) {
		s.unwatch()
	}
	if s.watch.dirWatch == nil && !s.watch.off {
		w, err := newWatch()
		if s.watch.off = err != nil; err == nil {
			s.watch.dirWatch = w
		}
	}
	return s.watch.dirWatch
}

// watched takes note of a walk: the directories that it was not sure of are looked at again.
func (s *Store) watched(unsure []fileID) {
	s.watch.known, s.watch.again = true, map[fileID]bool{}
	for _, dir := range unsure {
		s.watch.again[dir] = true
	}
}

// unwatch drops a watch that lacks a directory. The next walk makes another one, unless there are too many directories.
func (s *Store) unwatch() {
	if s.watch.dirWatch != nil {
		s.watch.off = s.watch.off || s.watch.Full()
		s.watch.Close()
	}
	s.watch.dirWatch, s.watch.known = nil, false
}
