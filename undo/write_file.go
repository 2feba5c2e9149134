package undo

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"rein/undo/internal/content"
	"rein/undo/internal/disk"
	"rein/undo/internal/tree"
)

func (w *writer) write(top *os.Root, temp string, a action) error {
	n := a.want
	switch mode := n.Stat.Mode; {
	case mode&fs.ModeSymlink != 0:
		return top.Symlink(n.Target, temp)
	case n.IsPipe():
		return disk.MakePipe(filepath.Join(top.Name(), filepath.FromSlash(temp)), mode)
	case !mode.IsRegular():
		return fmt.Errorf("a %v cannot be made", mode.Type())
	}
	if other := w.linked(top, n); other != "" {
		if top.Link(other, temp) == nil {
			return nil
		}
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
		err = disk.SetAttrs(int(f.Fd()), n.Attrs)
	}
	if err == nil {
		err = f.Chmod(n.Stat.Mode &^ fs.ModeType)
	}
	if err == nil && w.count < manyFiles {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

// linked finds another name of the same file that still has the content: the two were one file, and are again.
func (w *writer) linked(top *os.Root, n *tree.Node) string {
	if n.Stat.Links < 2 || n.Stat.Inode == 0 {
		return ""
	}
	for _, r := range w.s.roots {
		if r.tree == nil || filepath.Clean(top.Name()) != r.dir {
			continue
		}
		if found := findInode(r.tree, "", n); found != "" {
			return found
		}
	}
	for _, done := range w.ready {
		if done.want.Stat.Inode == n.Stat.Inode && done.want.Stat.Dev == n.Stat.Dev && !tree.Differs(done.want, n) {
			return done.temp
		}
	}
	return ""
}

// findInode finds a file by its inode, if it is as n is.
func findInode(n *tree.Node, path string, wanted *tree.Node) string {
	if n.Stat.Mode.IsRegular() {
		if n.Stat.Inode == wanted.Stat.Inode && n.Stat.Dev == wanted.Stat.Dev && !tree.Differs(n, wanted) {
			return path
		}
		return ""
	}
	for _, k := range n.Kids {
		if found := findInode(k, tree.Join(path, k.Name), wanted); found != "" {
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
	if len(b) == content.Chunk && isZero(b) {
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
