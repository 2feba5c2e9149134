package undo

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"rein/undo/internal/content"
	"rein/undo/internal/disk"
)

// writer makes the changes of an undo. All new contents are on disk under temporary names before anything is removed.
type writer struct {
	s      *Store
	temp   string // what the temporary names begin with
	roots  map[*root]*os.Root
	ready  []ready
	failed map[string]error // by path
	broken error            // a test ended the work here
	count  int
}

// ready is a file or link that waits under a temporary name.
type ready struct {
	action
	temp string // below the root
}

func (w *writer) fault(what string) bool {
	if w.broken == nil {
		w.broken = w.s.options.Fault(what)
	}
	return w.broken != nil
}

// run makes the changes. Those that fail are in failed; the others are made all the same.
func (w *writer) run(actions []action) {
	defer func() {
		for _, r := range w.roots {
			r.Close()
		}
	}()
	for _, a := range actions {
		if w.fault("prepare") {
			return
		}
		if a.want != nil && !a.want.stat.Mode.IsDir() && !a.sameContent() {
			w.try(a, w.prepare)
		}
	}
	w.syncAll()
	for _, a := range slices.Backward(actions) { // what is deep first
		if w.fault("remove") {
			return
		}
		if a.now != nil && (a.want == nil || a.want.stat.Mode.Type() != a.now.stat.Mode.Type()) {
			w.try(a, w.remove)
		}
	}
	for _, a := range actions {
		if w.fault("mkdir") {
			return
		}
		if a.want != nil && a.want.stat.Mode.IsDir() {
			w.try(a, w.mkdir)
		}
	}
	w.putAll()
	w.finish(actions)
}

// try does one step of an action, unless an earlier one failed.
func (w *writer) try(a action, step func(*os.Root, string, action) error) {
	if w.failed[a.path] != nil || w.broken != nil {
		return
	}
	r, rel := w.s.rootOf(a.path)
	top := w.roots[r]
	if top == nil {
		var err error
		if top, err = os.OpenRoot(r.dir); err != nil {
			w.failed[a.path] = err
			return
		}
		w.roots[r] = top
	}
	if err := step(top, rel, a); err != nil {
		w.failed[a.path] = err
	}
}

// sameContent reports whether only the mode or the attributes change.
func (a action) sameContent() bool {
	return a.now != nil && a.now.stat.Mode.IsRegular() && a.want.stat.Mode.IsRegular() && a.now.sum == a.want.sum && a.now.left == "" && a.want.left == ""
}

// prepare writes the new content beside where it will be.
func (w *writer) prepare(top *os.Root, rel string, a action) error {
	dir, err := existing(top, path.Dir(rel))
	if err != nil {
		return err
	}
	w.count++
	temp := path.Join(dir, w.temp+"-"+strconv.Itoa(w.count))
	if err := w.write(top, temp, a.want); err != nil {
		_ = top.Remove(temp) // why it failed matters more
		return err
	}
	w.ready = append(w.ready, ready{a, temp})
	return nil
}

// existing gives the nearest directory at or above a path that is there now. No link is followed.
func existing(top *os.Root, dir string) (string, error) {
	at := "."
	if dir == "." {
		return at, nil
	}
	for _, name := range strings.Split(dir, "/") {
		info, err := top.Lstat(path.Join(at, name))
		if errors.Is(err, fs.ErrNotExist) || err == nil && !info.IsDir() {
			return at, nil
		}
		if err != nil {
			return "", err
		}
		at = path.Join(at, name)
	}
	return at, nil
}

func (w *writer) write(top *os.Root, temp string, n *node) error {
	switch mode := n.stat.Mode; {
	case mode&fs.ModeSymlink != 0:
		return top.Symlink(n.target, temp)
	case n.isPipe():
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
	err = w.s.content.Copy(&sparse{f: f}, n.sum)
	if err == nil {
		err = f.Truncate(n.stat.Size) // a hole at the end
	}
	if err == nil && n.attrs != "" {
		err = disk.SetAttrs(int(f.Fd()), n.attrs)
	}
	if err == nil {
		err = f.Chmod(n.stat.Mode &^ fs.ModeType)
	}
	if err == nil && w.count < manyFiles {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

// linked finds another name of the same file that still has the content: the two were one file, and are again.
func (w *writer) linked(top *os.Root, n *node) string {
	if n.stat.Links < 2 || n.stat.Inode == 0 {
		return ""
	}
	for _, r := range w.s.roots {
		if r.tree == nil || filepath.Clean(top.Name()) != r.dir {
			continue
		}
		if found := r.tree.findInode("", n); found != "" {
			return found
		}
	}
	for _, done := range w.ready {
		if done.want.stat.Inode == n.stat.Inode && done.want.stat.Dev == n.stat.Dev && !differs(done.want, n) {
			return done.temp
		}
	}
	return ""
}

// findInode finds a file by its inode, if it is as n is.
func (n *node) findInode(path string, wanted *node) string {
	if n.stat.Mode.IsRegular() {
		if n.stat.Inode == wanted.stat.Inode && n.stat.Dev == wanted.stat.Dev && !differs(n, wanted) {
			return path
		}
		return ""
	}
	for _, k := range n.kids {
		if found := k.findInode(join(path, k.name), wanted); found != "" {
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

// remove removes what goes. A directory must be empty by now.
func (w *writer) remove(top *os.Root, rel string, a action) error {
	if err := top.Remove(rel); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// mkdir makes a directory that only we can enter; finish gives it its mode.
func (w *writer) mkdir(top *os.Root, rel string, a action) error {
	err := top.Mkdir(rel, 0o700)
	if errors.Is(err, fs.ErrExist) {
		info, err := top.Lstat(rel)
		if err != nil {
			return err
		}
		if !info.IsDir() {
			return fmt.Errorf("%s is no directory", rel)
		}
		return top.Chmod(rel, info.Mode().Perm()|0o700)
	}
	return err
}

// putAll renames what is ready into place: of git's files the refs come first, then HEAD, the index last.
func (w *writer) putAll() {
	slices.SortStableFunc(w.ready, func(a, b ready) int { return gitRank(a.path) - gitRank(b.path) })
	for _, r := range w.ready {
		if w.fault("rename") {
			return
		}
		w.try(r.action, func(top *os.Root, rel string, a action) error {
			dir := path.Dir(rel)
			at, err := existing(top, dir)
			if err == nil && at != dir {
				err = top.MkdirAll(dir, 0o777) // only where the user wants the file back all the same
			}
			if err == nil {
				err = w.unchangedSince(top, rel, a)
			}
			if err == nil {
				err = top.Rename(r.temp, rel)
			}
			_ = top.Remove(r.temp) // it is there only if the rename failed, or both are one file
			return err
		})
	}
}

// unchangedSince refuses to replace a file that somebody wrote after its content was kept.
func (w *writer) unchangedSince(top *os.Root, rel string, a action) error {
	info, err := top.Lstat(rel)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if a.now == nil {
		return fmt.Errorf("%s was made while the undo ran", rel)
	}
	if info.Mode().IsRegular() && (info.Size() != a.now.stat.Size || info.ModTime().UnixNano() != a.now.stat.Mtime) {
		return fmt.Errorf("%s was changed while the undo ran", rel)
	}
	return nil
}

func gitRank(name string) int {
	switch {
	case !gitPath(name):
		return 0
	case strings.HasSuffix(name, "/index"):
		return 3
	case strings.HasSuffix(name, "/HEAD"):
		return 2
	}
	return 1
}

// finish gives files and directories their modes, those that are deep first: a directory may lose its write permission.
func (w *writer) finish(actions []action) {
	for _, a := range slices.Backward(actions) {
		if a.want == nil || a.want.stat.Mode&fs.ModeSymlink != 0 {
			continue
		}
		if w.fault("mode") {
			return
		}
		w.try(a, w.setMode)
	}
}

func (w *writer) setMode(top *os.Root, rel string, a action) error {
	n := a.want
	if n.stat.Mode.IsDir() || a.sameContent() {
		if a.now.state().Attrs != n.attrs {
			if err := setAttrsAt(top, rel, n.attrs); err != nil {
				return err
			}
		}
		if err := top.Chmod(rel, n.stat.Mode&^fs.ModeType); err != nil {
			return err
		}
	}
	if w.s.options.KeepTimes && n.stat.Mode.IsRegular() {
		return top.Chtimes(rel, time.Time{}, time.Unix(0, n.stat.Mtime))
	}
	return nil
}

// setAttrsAt sets the attributes of a file or directory.
func setAttrsAt(top *os.Root, rel, attrs string) error {
	f, err := top.Open(rel)
	if err != nil {
		return err
	}
	defer f.Close()
	return disk.SetAttrs(int(f.Fd()), attrs)
}

// manyFiles is from how many files on the whole file system is synced instead of each file.
const manyFiles = 100

// syncAll waits until the disk has the new contents.
func (w *writer) syncAll() {
	if len(w.ready) < manyFiles {
		return // prepare has synced each file
	}
	for _, top := range w.roots {
		if err := disk.SyncFileSystem(top.Name()); err != nil {
			w.broken = err
		}
	}
}

// removeTemps removes what an interrupted undo left under temporary names.
func (w *writer) removeTemps() {
	for _, r := range w.s.roots {
		if !r.open {
			continue
		}
		_ = filepath.WalkDir(r.dir, func(name string, e fs.DirEntry, err error) error {
			if err != nil {
				return nil // it cannot have been written in
			}
			if strings.HasPrefix(e.Name(), w.temp) {
				_ = os.Remove(name)
			}
			return nil
		})
	}
}

// keepData keeps a content that a merge made.
func (s *Store) keepData(data []byte) (content.Sum, error) {
	if len(data) <= content.Whole {
		sum, _, err := s.content.Put(data)
		return sum, err
	}
	var sums []content.Sum
	for chunk := range slices.Chunk(data, content.Chunk) {
		sum, _, err := s.content.Put(chunk)
		if err != nil {
			return content.Sum{}, err
		}
		sums = append(sums, sum)
	}
	sum, _, err := s.content.PutList(sums)
	return sum, err
}
