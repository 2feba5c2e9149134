package undo

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Outside is why nothing outside of the workspace can be restored.
const Outside Left = "outside of the workspace"

// Foresee says what could not be restored if a call wrote some paths and removed others: at most so many entries, without
// What. Paths are absolute, or relative to the workspace. What Begin is told by its path is kept whatever an ignore file says: Ignored
// does not count there. It reads no contents: it knows what the last walk found and what is
// at the paths now. What is not there now can be lost by nobody.
func (s *Store) Foresee(writes, removes []string, most int) (lost []Uncovered) {
	s.mu.Lock()
	defer s.mu.Unlock()
	seen := map[string]bool{}
	add := func(path string, n int64, why Left) {
		if len(lost) < most && !seen[path] {
			seen[path] = true
			lost = append(lost, Uncovered{Path: path, Size: n, Why: why})
		}
	}
	for i, path := range append(append([]string{}, writes...), removes...) {
		s.foresee(path, i >= len(writes), add)
	}
	return lost
}

// foresee adds what cannot be restored of one path.
func (s *Store) foresee(path string, removed bool, add func(path string, size int64, why Left)) {
	full := path
	if !filepath.IsAbs(full) {
		full = filepath.Join(s.roots[0].dir, path)
	}
	info, err := os.Lstat(full)
	if err != nil || info.IsDir() && !removed || !info.IsDir() && !info.Mode().IsRegular() {
		return
	}
	r, below := s.rootOver(full)
	if r == nil {
		add(full, sizeOf(info), Outside)
		return
	}
	if n := r.tree.Find(below); n != nil && n.Stat.Mode.IsRegular() && n.Left == "" && info.Size() <= s.options.MaxFile {
		return // it is kept, whatever the directories above it are
	}
	name, n := "", r.tree
	for part := range strings.SplitSeq(below, "/") {
		if part == "." { // the root itself
			break
		}
		name, n = joinPath(name, part), n.Child(part)
		if n != nil && n.Left != "" && !n.Object() {
			add(s.canonical(r, name), sizeOf(info), Left(n.Left))
			return
		}
	}
	if !info.IsDir() {
		if info.Size() > s.options.MaxFile {
			add(s.canonical(r, name), info.Size(), TooLarge)
		}
		return
	}
	n.Each(name, func(path string, n *treeNode) {
		if n.Left != "" && !n.Object() && !n.IsPipe() {
			add(s.canonical(r, path), n.Stat.Size, Left(n.Left))
		}
	})
}

// rootOver finds the root that an absolute path is in, and the path below it.
func (s *Store) rootOver(full string) (*root, string) {
	for _, r := range s.roots {
		if rel, err := filepath.Rel(r.dir, full); err == nil && r.open && filepath.IsLocal(rel) {
			return r, filepath.ToSlash(rel)
		}
	}
	return nil, ""
}

// sizeOf is the size of a file; 0 of a directory.
func sizeOf(info fs.FileInfo) int64 {
	if info.IsDir() {
		return 0
	}
	return info.Size()
}
