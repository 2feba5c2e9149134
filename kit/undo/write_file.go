package undo

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

func (w *writer) write(top *os.Root, temp string, a action) error {
	n := a.want
	if other := w.linked(top, n); other != "" && top.Link(other, temp) == nil {
		return nil
	}
	switch mode := n.Stat.Mode; {
	case mode&fs.ModeSymlink != 0:
		return top.Symlink(n.Target, temp)
	case n.IsPipe():
		return makeFIFO(filepath.Join(top.Name(), filepath.FromSlash(temp)), mode)
	case !mode.IsRegular():
		return fmt.Errorf("a %v cannot be made", mode.Type())
	}
	f, err := top.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	if n.Object() {
		err = w.s.objects.Copy(f, w.s.absolute(a.path))
	} else {
		err = w.s.content.Copy(&sparse{f: f}, n.Sum)
	}
	if err == nil {
		err = f.Truncate(n.Stat.Size) // a hole at the end
	}
	if err == nil && n.Attrs != "" {
		err = setAttrs(int(f.Fd()), n.Attrs)
	}
	if err == nil {
		err = f.Chmod(n.Stat.Mode &^ fs.ModeType)
	}
	if err == nil && w.count < manyFiles {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

// cannotRename reports whether no file can take the place of another one there: the directory belongs to somebody else, the
// file is a mount point, or the file system does not know how.
func cannotRename(err error) bool {
	return errors.Is(err, fs.ErrPermission) || errors.Is(err, errors.ErrUnsupported) || errors.Is(err, syscall.EBUSY) || errors.Is(err, syscall.EXDEV)
}

// fileToFile reports whether one regular file follows on another.
func (a action) fileToFile() bool {
	return a.now != nil && a.want != nil && a.now.Stat.Mode.IsRegular() && a.want.Stat.Mode.IsRegular()
}

// inPlace writes what cannot be renamed into place. The store has both contents, so a crash in the middle loses neither: the
// next process leaves the file as it is then.
func (w *writer) inPlace(top *os.Root, rel string, a action) error {
	if a.fileToFile() {
		return w.overwrite(top, rel, a)
	}
	if a.now != nil && a.now.Stat.Mode.Type() == a.want.Stat.Mode.Type() { // a link, a pipe
		if err := top.Remove(rel); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	err := w.write(top, rel, a)
	if err != nil && !errors.Is(err, fs.ErrExist) {
		_ = top.Remove(rel) // a part of it; why it failed matters more
	}
	return err
}

// overwrite writes the content of a file into it. Where that fails, the file gets its content back.
func (w *writer) overwrite(top *os.Root, rel string, a action) error {
	if a.now.Stat.Links > 1 {
		return errors.New("it cannot be replaced by another file, and writing into it would change its other names")
	}
	f, err := top.OpenFile(rel, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	fill := func(n *treeNode) error {
		if _, err := f.Seek(0, io.SeekStart); err != nil {
			return err
		}
		if err := w.s.content.Copy(f, n.Sum); err != nil {
			return err
		}
		return f.Truncate(n.Stat.Size)
	}
	if err = fill(a.want); err != nil {
		_ = fill(a.now) // why it failed matters more
	}
	if err == nil && a.want.Attrs != a.now.Attrs {
		err = setAttrs(int(f.Fd()), a.want.Attrs)
	}
	if err == nil && a.want.Stat.Mode != a.now.Stat.Mode {
		err = f.Chmod(a.want.Stat.Mode &^ fs.ModeType)
	}
	return errors.Join(err, f.Sync(), f.Close())
}

// linked finds another name of the same file that still has the content: the two were one file, and are again.
func (w *writer) linked(top *os.Root, n *treeNode) string {
	if n.Stat.Inode == 0 {
		return ""
	}
	if w.files == nil {
		w.files = filesOf(w.s.log.records)
		w.named = map[fileID][]ready{}
		for _, a := range w.actions { // a name that only gets another mode
			if a.want != nil && !a.want.Stat.Mode.IsDir() && a.sameContent() {
				r, rel := w.s.rootOf(a.path)
				w.name(ready{a, rel, r.dir})
			}
		}
	}
	dir := filepath.Clean(top.Name())
	same := func(o *treeNode) bool { // of two names that went one after the other, the second one had no other any more
		return o != n && (n.Stat.Links > 1 || o.Stat.Links > 1) && w.files.of(o.Stat.ID()) == w.files.of(n.Stat.ID()) && !nodeChanged(o, n)
	}
	for _, other := range w.named[w.files.of(n.Stat.ID())] {
		if other.dir == dir && same(other.want) {
			return other.temp
		}
	}
	for _, r := range w.s.roots {
		if n.Stat.Links < 2 || r.tree == nil || dir != r.dir {
			continue
		}
		if found := findFile(r.tree, "", same); found != "" {
			return found
		}
	}
	return ""
}

// name takes note of a name that a file has by now.
func (w *writer) name(r ready) {
	if w.files != nil && r.temp != "" {
		id := w.files.of(r.want.Stat.ID())
		w.named[id] = append(w.named[id], r)
	}
}

// findFile finds the path of a file in a tree.
func findFile(n *treeNode, path string, is func(*treeNode) bool) string {
	if !n.Stat.Mode.IsDir() {
		if is(n) {
			return path
		}
		return ""
	}
	for _, k := range n.Kids {
		if found := findFile(k, joinPath(path, k.Name), is); found != "" {
			return found
		}
	}
	return ""
}

// sparse writes a content with holes where it has chunks of zeros.
type sparse struct {
	f  *os.File
	at int64
}

func (s *sparse) Write(b []byte) (int, error) {
	if len(b) == contentChunkSize && isZero(b) {
		s.at += int64(len(b))
		return len(b), nil
	}
	n, err := s.f.WriteAt(b, s.at)
	s.at += int64(n)
	return n, err
}

func isZero(b []byte) bool {
	for _, c := range b {
		if c != 0 {
			return false
		}
	}
	return true
}
