package workspace

import (
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"strings"
	"syscall"
)

// ReadDir returns the entries of a directory in the order of the file system, at most limit; 0 means all.
func (w *Workspace) ReadDir(name string, limit int) ([]fs.DirEntry, error) {
	s, err := w.locate(name, refuse)
	if err != nil {
		return nil, err
	}
	defer s.close()
	switch {
	case s.info == nil:
		return nil, s.absent()
	case !s.info.IsDir():
		return nil, &Error{Kind: NotDir, Name: name, Text: quote(name) + " is a file, not a directory", Hint: "Read it, or list its directory."}
	}
	f, err := s.dir.OpenFile(s.base, noWait, 0)
	if err != nil {
		return nil, s.wrap(err)
	}
	defer f.Close()
	entries, err := f.ReadDir(limit)
	if len(entries) == 0 && s.tree.gone() {
		return nil, s.wrap(fs.ErrNotExist) // a deleted directory lists as an empty one
	}
	if err != nil && len(entries) == 0 && limit <= 0 {
		return nil, s.wrap(err)
	}
	return entries, nil
}

// Mkdir creates a directory and its parents. It succeeds if the directory exists.
func (w *Workspace) Mkdir(name string) error {
	s, err := w.locate(name, create)
	if err != nil {
		return err
	}
	defer s.close()
	if s.info != nil {
		if s.info.IsDir() {
			return nil
		}
		return s.wrap(syscall.ENOTDIR)
	}
	return s.wrap(s.dir.Mkdir(s.base, 0o777))
}

// MakeExecutable lets everybody who may read a file execute it. It changes nothing where the system has no such permission.
func (w *Workspace) MakeExecutable(name string) error {
	s, err := w.locate(name, create) // what may not be written may not be made executable
	if err != nil {
		return err
	}
	defer s.close()
	if s.info == nil {
		return s.absent()
	}
	f, err := s.dir.OpenFile(s.base, noWait, 0)
	if err != nil {
		return s.wrap(err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err == nil {
		err = s.regular(info)
	}
	if err != nil {
		return err
	}
	return s.wrap(f.Chmod(info.Mode().Perm() | info.Mode().Perm()&0o444>>2))
}

// Remove deletes a file, an empty directory, or a link itself, and forgets what was seen of it.
func (w *Workspace) Remove(name string) error {
	return w.unlink(name, func(s *location) error { return s.dir.Remove(s.base) })
}

// RemoveAll deletes what a path names with all below it; links are deleted, never followed.
func (w *Workspace) RemoveAll(name string) error {
	return w.unlink(name, func(s *location) error { return s.dir.RemoveAll(s.base) })
}

func (w *Workspace) unlink(name string, remove func(*location) error) error {
	s, err := w.entry(name, refuse)
	if err != nil {
		return err
	}
	defer s.close()
	if s.tree.fixed {
		return s.tree.unchangeable(name)
	}
	if err := remove(s); err != nil {
		return s.wrap(err)
	}
	w.Forget(s.name)
	return nil
}

// Rename moves a file or directory, or a link itself, within one of the directories. Parents of the new name are
// made; a file that has it already is replaced. What was seen of a file is known of it under its new name.
func (w *Workspace) Rename(from, to string) error {
	old, err := w.entry(from, refuse)
	if err != nil {
		return err
	}
	defer old.close()
	if old.tree.fixed {
		return old.tree.unchangeable(from)
	}
	now, err := w.entry(to, create)
	if err != nil {
		return err
	}
	defer now.close()
	if old.tree != now.tree {
		return &Error{Kind: Denied, Name: to, Text: fmt.Sprintf("%s and %s are in different directories of the workspace", quote(from), quote(to)),
			Hint: "Write the new file, then remove the old one."}
	}
	if err := old.tree.root.Rename(old.inTree(), now.inTree()); err != nil {
		return old.wrap(err)
	}
	w.seen.moved(old.name, now.name)
	return nil
}

// entry finds the directory entry itself: links in the middle are followed, one at the end is not.
func (w *Workspace) entry(name string, m missing) (*location, error) {
	if err := plain(name); err != nil {
		return nil, err
	}
	clean := strings.TrimRight(filepath.ToSlash(name), "/")
	base := path.Base(clean)
	if base == "." || base == ".." || clean == "" {
		return nil, &Error{Kind: BadName, Name: name, Text: quote(name) + " is not the name of a file", Hint: "Send the path of a file."}
	}
	parent := strings.TrimSuffix(clean, base)
	if parent == "" {
		parent = "."
	}
	s, err := w.enter(parent, m)
	if err != nil {
		return nil, err
	}
	s.given, s.base, s.name = name, base, path.Join(s.name, base)
	return s, nil
}

// inTree is the path of the location from the top of its tree.
func (s *location) inTree() string {
	if !filepath.IsAbs(s.name) {
		return s.name
	}
	rel, err := filepath.Rel(s.tree.dir, s.name)
	if err != nil {
		return s.name // os.Root refuses it
	}
	return filepath.ToSlash(rel)
}
