package workspace

import (
	"os"
	"path/filepath"
	"slices"
	"sync"
)

// added are the places that were opened while the workspace was in use.
type added struct {
	mu    sync.RWMutex
	trees []*tree
}

// list returns the places as they are now; the slice does not change later.
func (a *added) list() []*tree {
	a.mu.RLock()
	defer a.mu.RUnlock()
	return a.trees
}

// Add opens another place until remove is called: a directory with everything below it, or one file. Files in it may be
// read; with write, files in a directory may be written too. Dirs does not list it. The path is absolute.
func (w *Workspace) Add(path string, write bool) (remove func(), err error) {
	info, err := os.Lstat(path)
	if err != nil {
		return nil, err
	}
	dir, only := path, ""
	if !info.IsDir() {
		dir, only = filepath.Split(path)
	}
	t, err := openTree(dir)
	if err != nil {
		return nil, err
	}
	t.only, t.fixed = only, !write || only != ""
	w.added.mu.Lock()
	defer w.added.mu.Unlock()
	w.added.trees = append(slices.Clone(w.added.trees), t)
	return func() { w.drop(t) }, nil
}

func (w *Workspace) drop(t *tree) {
	w.added.mu.Lock()
	defer w.added.mu.Unlock()
	if i := slices.Index(w.added.trees, t); i >= 0 {
		w.added.trees = slices.Delete(slices.Clone(w.added.trees), i, i+1)
		t.close() // operations that still use it fail
	}
}

// holds reports whether the elements of a name, from the top of the tree on, may lead to something in it.
func (t *tree) holds(rest []string) bool {
	if t.only == "" {
		return true
	}
	rest = slices.DeleteFunc(slices.Clone(rest), func(p string) bool { return p == "" || p == "." })
	return len(rest) == 1 && rest[0] == t.only
}

func (t *tree) unchangeable(name string) error {
	return &Error{Kind: Denied, Name: name, Text: quote(name) + " is open for reading only", Hint: "Write in the workspace, or ask for write access with request_access."}
}
