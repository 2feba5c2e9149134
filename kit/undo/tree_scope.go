package undo

import (
	"io"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"rein/kit/workspace"
)

// ignoreFileNames are the names of ignore files. They are read in this order; what comes later wins.
func ignoreFileNames() []string { return []string{".gitignore", ".ignore", ".reinignore"} }

// maxRules is the most that is read of one ignore file, in bytes.
const maxRules = 1 << 20

// scope is the ignore rules that hold in one directory: its own, and those of the directories above. They are read when
// they are wanted for the first time, because most walks find nothing new.
type scope struct {
	above *scope
	dir   *diskDir // nil: rules has them already
	path  string   // of the directory below the root
	under string   // for a directory above the root: the path from there to the root, with a slash

	once  sync.Once
	rules *workspace.IgnoreRules
}

// newScope returns the scope of a directory, whose path below the root is path. The directory is read before it is closed.
func newScope(above *scope, dir *diskDir, path string) *scope {
	return &scope{above: above, dir: dir, path: path}
}

// Ignores reports whether the rules leave out a path.
func (s *scope) Ignores(path string, isDir bool) bool {
	for c := s; c != nil; c = c.above {
		rel := path
		if c.path != "" {
			rel = path[len(c.path)+1:]
		}
		if v := c.load().Match(c.under+rel, isDir); v != workspace.NotIgnored {
			return v == workspace.Ignored
		}
	}
	return false
}

func (s *scope) load() *workspace.IgnoreRules {
	s.once.Do(func() {
		if s.dir == nil {
			return
		}
		var texts [][]byte
		if s.path == "" {
			texts = append(texts, excludes(s.dir))
		}
		for _, name := range ignoreFileNames() {
			texts = append(texts, small(s.dir, name))
		}
		s.rules = workspace.ParseIgnore(texts...)
	})
	return s.rules
}

// small reads the start of a small file of the directory; nothing when there is none.
func small(d *diskDir, name string) []byte {
	f, err := d.Open(name)
	if err != nil {
		return nil
	}
	defer f.Close()
	if st, err := f.Stat(); err != nil || !st.Mode.IsRegular() {
		return nil
	}
	text, _ := io.ReadAll(io.LimitReader(f, maxRules)) // what cannot be read leaves nothing out
	return text
}

// excludes reads .git/info/exclude.
func excludes(d *diskDir) []byte {
	for _, name := range []string{".git", "info"} {
		sub, err := d.Sub(name)
		if err != nil {
			return nil
		}
		defer sub.Close()
		d = sub
	}
	return small(d, "exclude")
}

// scopeAbove returns the rules of the directories above a root, up to the repository that it is in.
func scopeAbove(root string) *scope {
	var dirs []string
	for dir := root; ; dir = filepath.Dir(dir) {
		if dir != root {
			dirs = append(dirs, dir)
		}
		if _, err := os.Lstat(filepath.Join(dir, ".git")); err == nil {
			break
		}
		if dir == filepath.Dir(dir) {
			return nil
		}
	}
	var above *scope
	for _, dir := range slices.Backward(dirs) {
		var texts [][]byte
		if d, err := openDirPath(dir); err == nil {
			for _, name := range ignoreFileNames() {
				texts = append(texts, small(d, name))
			}
			d.Close()
		}
		rel, err := filepath.Rel(dir, root)
		if err != nil {
			continue
		}
		above = &scope{above: above, under: filepath.ToSlash(rel) + "/", rules: workspace.ParseIgnore(texts...)}
	}
	return above
}
