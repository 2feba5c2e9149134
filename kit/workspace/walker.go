package workspace

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// walker follows one name, element by element, each through the handle of the one before.
type walker struct {
	w     *Workspace
	given string
	tree  *tree
	names []string   // the current directory
	held  []*os.Root // the handles of names, in order
	rest  []string   // what is left
	links int
	made  int
	lost  bool // under a directory that does not exist (suppose)
	enter bool // the last element is a directory to go into as well
}

func (k *walker) walk(m missing) (*location, error) {
	for {
		p, ok := k.next()
		if !ok {
			return k.top()
		}
		if p == ".." {
			if err := k.up(); err != nil {
				return nil, err
			}
			continue
		}
		s, err := k.step(p, m)
		if s != nil || err != nil {
			return s, err
		}
	}
}

// next takes the next element that is not empty or ".".
func (k *walker) next() (string, bool) {
	for len(k.rest) > 0 {
		p := k.rest[0]
		k.rest = k.rest[1:]
		if p != "" && p != "." {
			return p, true
		}
	}
	return "", false
}

// last reports whether nothing but empty elements is left.
func (k *walker) last() bool {
	if k.enter {
		return false
	}
	for _, p := range k.rest {
		if p != "" && p != "." {
			return false
		}
	}
	return true
}

// step goes into one element, or returns the location if it is the last one.
func (k *walker) step(p string, m missing) (*location, error) {
	if k.lost {
		return k.into(p, nil, nil)
	}
	here := k.here()
	info, err := here.Lstat(p)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return k.absent(p, m, err)
	case err != nil:
		return nil, err
	case info.Mode()&fs.ModeSymlink != 0:
		return nil, k.follow(p)
	case k.last():
		return k.into(p, nil, info)
	case !info.IsDir():
		return nil, syscall.ENOTDIR
	}
	sub, err := here.OpenRoot(p + onlyDir)
	if err != nil {
		return nil, err
	}
	return k.into(p, sub, info)
}

// into appends an element; the last one makes the location.
func (k *walker) into(p string, sub *os.Root, info fs.FileInfo) (*location, error) {
	if sub == nil && k.last() {
		s := &location{tree: k.tree, dir: k.here(), base: p, given: k.given, info: info, held: k.held}
		s.name = k.w.canonical(k.tree, append(k.names, p))
		return s, nil
	}
	k.names = append(k.names, p)
	if sub != nil {
		k.held = append(k.held, sub)
	}
	if len(k.names) > maxDepth {
		return nil, syscall.ENAMETOOLONG
	}
	return nil, nil
}

// absent handles an element that does not exist.
func (k *walker) absent(p string, m missing, err error) (*location, error) {
	switch {
	case k.last():
		return k.into(p, nil, nil)
	case m == suppose:
		k.lost = true
		return k.into(p, nil, nil)
	case m == refuse:
		return nil, k.noDirectory(p, err)
	case k.made > maxDepth:
		return nil, err
	}
	if k.tree.fixed {
		return nil, k.tree.unchangeable(k.given)
	}
	k.made++
	if err := k.here().Mkdir(p, 0o777); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, err
	}
	k.rest = append([]string{p}, k.rest...) // walk into the directory that exists now, whoever created it
	return nil, nil
}

// noDirectory is the error for a parent directory that does not exist, with similar names.
func (k *walker) noDirectory(p string, err error) error {
	wrapped := k.tree.wrap(k.given, err)
	e, ok := wrapped.(*Error)
	if !ok || e.Kind != NotFound {
		return wrapped
	}
	e.Hint = "The directory " + quote(p) + " does not exist. " + similar(k.here(), p)
	if len(k.names) == 0 && k.tree == k.w.trees[0] && p == filepath.Base(k.tree.dir) {
		e.Hint = "Paths are relative to " + k.tree.dir + ": leave out the first " + quote(p)
	}
	return e
}

// follow replaces a link by where it points.
func (k *walker) follow(p string) error {
	if k.links++; k.links > maxLinks {
		return syscall.ELOOP
	}
	if k.tree.only != "" {
		return k.escape() // the one file that was added has been replaced by a link
	}
	target, err := k.here().Readlink(p)
	if err != nil {
		return err
	}
	rest := k.rest
	if filepath.IsAbs(target) {
		t, parts, err := k.w.place(target)
		if err != nil {
			return k.escape()
		}
		k.release(0)
		k.tree, k.names = t, nil
		k.rest = join(parts, rest)
		return nil
	}
	k.rest = join(strings.Split(filepath.ToSlash(target), "/"), rest)
	return nil
}

func join(a, b []string) []string {
	return append(append(make([]string, 0, len(a)+len(b)), a...), b...)
}

// up goes to the parent directory. Above the top of a tree, that may be another tree.
func (k *walker) up() error {
	if n := len(k.names); n > 0 {
		k.names = k.names[:n-1]
		if k.lost {
			k.lost = len(k.names) > len(k.held)
		} else {
			k.release(n - 1)
		}
		return nil
	}
	if above := filepath.ToSlash(filepath.Dir(k.tree.dir)); above != k.tree.dir {
		t, parts := k.w.nearest(above + "/" + strings.Join(k.rest, "/"))
		if t != nil {
			k.tree, k.rest = t, parts
			return nil
		}
	}
	return k.escape()
}

func (k *walker) escape() error {
	if k.links == 0 {
		return k.w.outside(k.given)
	}
	err := k.w.outside(k.given).(*Error)
	err.Text = quote(k.given) + " goes through a link that leads out of the workspace"
	return err
}

// here returns the handle of the current directory.
func (k *walker) here() *os.Root {
	if len(k.held) == 0 {
		return k.tree.root
	}
	return k.held[len(k.held)-1]
}

// top is the location of a name that ends in the current directory.
func (k *walker) top() (*location, error) {
	s := &location{tree: k.tree, dir: k.here(), base: ".", given: k.given, held: k.held}
	s.name = k.w.canonical(k.tree, k.names)
	if k.lost {
		return s, nil
	}
	info, err := s.dir.Lstat(".")
	s.info = info
	return s, err
}

// release closes the handles beyond the first n.
func (k *walker) release(n int) {
	for _, r := range k.held[n:] {
		r.Close()
	}
	k.held = k.held[:n]
}
