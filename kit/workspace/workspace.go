// Package workspace reads, writes and walks the files that tools may touch: by lines, in their encodings, without what the
// ignore rules leave out. Everything goes through os.Root, so that no
// name, link or race leads out of the directories of the workspace.
package workspace

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// DefaultMaxFile is the size in bytes above which a file is not read whole.
const DefaultMaxFile = 64 << 20

// Workspace is one directory, and any number of extra ones, that tools may touch. Its methods may be called at
// once from several goroutines; the fields are set before the first use.
type Workspace struct {
	// MaxFile is the largest file, in bytes, that is read whole; 0 means DefaultMaxFile.
	MaxFile int64
	// HardLinks allows reading a private file (not readable by others) that has more than one hard link. Such a
	// file may be a secret from outside, linked in by a program; a link into a package cache is not private.
	HardLinks bool

	// Ask is a hint for the model: what to do about a path outside the workspace. "" means that only the user can add a
	// directory.
	Ask string

	// Editor has files open that the user edits. The zero value: there is none.
	Editor Editor

	trees []*tree // the first is the workspace, the others are the extra directories
	added *added
	home  string
	seen  *seen
	index *indexes
}

// tree is one directory that may be touched, with all below it.
type tree struct {
	dir   string   // absolute, links resolved
	spelt []string // the absolute spellings by which it is known
	root  *os.Root
	top   *os.File // the directory itself
	info  os.FileInfo
	slow  bool   // the kernel has no openat2
	only  string // the one name in dir that may be touched; "" is each
	fixed bool   // nothing in it may be changed
}

// Open opens the workspace in dir, and the extra directories beside it. An extra directory inside dir is covered
// by dir already and is left out.
func Open(dir string, extra ...string) (*Workspace, error) {
	w := &Workspace{seen: &seen{files: map[string]*sight{}}, index: &indexes{}, added: &added{}}
	w.home, _ = os.UserHomeDir()
	for _, d := range append([]string{dir}, extra...) {
		t, err := openTree(d)
		if err != nil {
			w.Close()
			return nil, notOpened(d, err)
		}
		if w.covers(t.dir) {
			t.close()
			continue
		}
		w.trees = append(w.trees, t)
	}
	return w, nil
}

// onlyDir ends the name of a directory that is opened as a root. Without it, opening waits for a writer where a pipe was put
// in the directory's place.
const onlyDir = "/."

func openTree(dir string) (*tree, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	real, err := filepath.EvalSymlinks(abs)
	if err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(real + onlyDir)
	if err != nil {
		return nil, err
	}
	t := &tree{dir: real, spelt: []string{real}, root: root}
	if t.top, err = root.Open("."); err == nil {
		t.info, err = t.top.Stat()
	}
	if err != nil {
		t.close()
		return nil, err
	}
	t.probe()
	if abs != real {
		t.spelt = append(t.spelt, abs)
	}
	return t, nil
}

// Close closes the directories.
func (w *Workspace) Close() error {
	var first error
	for _, t := range append(w.trees[:len(w.trees):len(w.trees)], w.added.list()...) {
		if err := t.close(); first == nil {
			first = err
		}
	}
	return first
}

// Dir returns the absolute path of the workspace, links resolved.
func (w *Workspace) Dir() string { return w.trees[0].dir }

// Dirs returns the absolute paths of the workspace and of the extra directories that it was opened with.
func (w *Workspace) Dirs() []string {
	var all []string
	for _, t := range w.trees {
		all = append(all, t.dir)
	}
	return all
}

// Abs returns the absolute path of a canonical name, for a program that is started on it.
func (w *Workspace) Abs(name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(w.Dir(), filepath.FromSlash(name))
}

func (w *Workspace) covers(dir string) bool {
	return slices.ContainsFunc(w.trees, func(t *tree) bool { return within(t.dir, dir) })
}

func (w *Workspace) maxFile() int64 {
	if w.MaxFile > 0 {
		return w.MaxFile
	}
	return DefaultMaxFile
}

func (t *tree) close() error {
	if t.top != nil {
		t.top.Close()
	}
	return t.root.Close()
}

// gone reports whether the directory is no longer where it was opened.
func (t *tree) gone() bool {
	now, err := os.Stat(t.dir)
	return err != nil || !os.SameFile(now, t.info)
}

// within reports whether the clean absolute path is dir or below it.
func within(dir, path string) bool {
	if dir == path || dir == string(filepath.Separator) {
		return true
	}
	return len(path) > len(dir) && strings.HasPrefix(path, dir) && os.IsPathSeparator(path[len(dir)])
}
