package undo

import (
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// outside has the files outside of the workspace that a call names, by their absolute paths, as they were; nil is nothing.
type outside map[string]fs.FileInfo

// outsideOf looks at those of the paths of a call that no root has.
func outsideOf(s *Store, paths []string) outside {
	all := outside{}
	for _, p := range paths {
		if r, _ := s.rootOf(p); r == nil && filepath.IsAbs(p) {
			all[p], _ = os.Lstat(p) // what cannot be seen counts as nothing
		}
	}
	return all
}

// changed returns what is different now, and takes note of it.
func (o outside) changed() (lost []Uncovered) {
	for _, path := range slices.Sorted(maps.Keys(o)) {
		before := o[path]
		now, _ := os.Lstat(path) // as before
		u := Uncovered{Path: path, Why: Outside, What: Modified}
		switch {
		case before == nil && now == nil:
			continue
		case before == nil:
			u.What, u.Size = Created, sizeOf(now)
		case now == nil:
			u.What, u.Size = Deleted, sizeOf(before)
		case before.Mode() == now.Mode() && before.Size() == now.Size() && before.ModTime().Equal(now.ModTime()):
			continue
		default:
			u.Size = sizeOf(before)
		}
		o[path] = now
		lost = append(lost, u)
	}
	return lost
}

// lostOutside returns what a step changed where nothing is kept: outside of the workspace, and in directories that are left out. It is no
// reason to select the step: nothing of it can be taken back.
func lostOutside(st Step) (lost []Uncovered) {
	for _, u := range st.Uncovered {
		if u.Why == Outside || u.Why == Within {
			lost = append(lost, u)
		}
	}
	return lost
}

// below reports whether a path is below a directory.
func below(dir, path string) bool {
	return len(path) > len(dir) && strings.HasPrefix(path, dir) && path[len(dir)] == '/'
}
