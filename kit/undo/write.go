package undo

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"sort"
	"strconv"
	"strings"
)

// writer makes the changes of an undo. All new contents are on disk under temporary names before anything is removed.
type writer struct {
	s       *Store
	temp    string // what the temporary names begin with
	roots   map[*root]*os.Root
	ready   []ready
	actions []action
	failed  map[string]error // by path
	files   files            // which inodes are one file; nil: not needed yet
	named   map[fileID][]ready
	locks   []string // of git, absolute: they go with their repositories
	broken  error    // a test ended the work here
	count   int
}

// ready is a file or link that waits under a temporary name.
type ready struct {
	action
	temp string // below the root; "" where the directory takes no new names: the file itself is written
	dir  string // the root
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
	w.actions = actions
	for _, a := range actions {
		if w.fault("prepare") {
			return
		}
		if a.want != nil && !a.want.Stat.Mode.IsDir() && !a.sameContent() {
			w.try(a, w.prepare)
		}
	}
	w.syncAll()
	for _, a := range slices.Backward(actions) { // what is deep first
		if w.fault("remove") {
			return
		}
		if a.now != nil && (a.want == nil || a.want.Stat.Mode.Type() != a.now.Stat.Mode.Type()) {
			w.try(a, w.remove)
		}
	}
	for _, a := range actions {
		if w.fault("mkdir") {
			return
		}
		if a.want != nil && a.want.Stat.Mode.IsDir() {
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
		w.failed[a.path] = plain(err)
	}
}

// plain leaves out the names of temporary files, which say nothing to a person.
func plain(err error) error {
	if e, ok := errors.AsType[*fs.PathError](err); ok && strings.Contains(e.Path, tempPrefix) {
		return fmt.Errorf("%s: %w", e.Op, e.Err)
	}
	if e, ok := errors.AsType[*os.LinkError](err); ok && strings.Contains(e.Old, tempPrefix) {
		return fmt.Errorf("%s: %w", e.Op, e.Err)
	}
	return err
}

// sameContent reports whether only the mode or the attributes change.
func (a action) sameContent() bool {
	return !a.relinks && a.now != nil && a.now.Stat.Mode.IsRegular() && a.want.Stat.Mode.IsRegular() && a.now.Sum == a.want.Sum && a.now.Left == "" && a.want.Left == ""
}

// prepare writes the new content beside where it will be.
func (w *writer) prepare(top *os.Root, rel string, a action) error {
	dir, err := existing(top, path.Dir(rel))
	if err != nil {
		return err
	}
	w.count++
	temp := path.Join(dir, w.temp+"-"+strconv.Itoa(w.count))
	if err := w.write(top, temp, a); err != nil {
		_ = top.Remove(temp) // why it failed matters more
		if !errors.Is(err, fs.ErrPermission) || !a.fileToFile() {
			return err
		}
		temp = ""
	}
	done := ready{a, temp, filepath.Clean(top.Name())}
	w.ready = append(w.ready, done)
	w.name(done)
	return nil
}

// existing returns the nearest directory at or above a path that is there now. No link is followed.
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

// remove removes what goes. A directory must be empty by now, but for our own lock.
func (w *writer) remove(top *os.Root, rel string, a action) error {
	if slices.Contains(w.locks, w.s.absolute(a.path)+"/index.lock") {
		_ = top.Remove(rel + "/index.lock") // else the directory cannot be removed, which is reported
	}
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
			return fmt.Errorf("%s is not a directory", rel)
		}
		return top.Chmod(rel, info.Mode().Perm()|0o700)
	}
	return err
}

// putAll renames what is ready into place: of git's files the objects and the refs come first, then HEAD, the index last.
func (w *writer) putAll() {
	sort.SliceStable(w.ready, func(i, j int) bool { return w.gitRank(w.ready[i].action) < w.gitRank(w.ready[j].action) })
	for _, r := range w.ready {
		if w.fault("rename") {
			return
		}
		w.try(r.action, func(top *os.Root, rel string, _ action) error { return w.put(top, rel, r) })
	}
}

// put renames one file into place. Where that is not possible, the file itself is written.
func (w *writer) put(top *os.Root, rel string, r ready) error {
	if r.temp != "" {
		defer func() { _ = top.Remove(r.temp) }() // it is there only if the rename failed, or both are one file
	}
	dir := path.Dir(rel)
	at, err := existing(top, dir)
	if err == nil && at != dir {
		err = top.MkdirAll(dir, 0o777) // only where the user wants the file back all the same
	}
	if err == nil {
		err = w.unchangedSince(top, rel, r.action)
	}
	if err != nil {
		return err
	}
	if r.temp != "" {
		if err := top.Rename(r.temp, rel); !cannotRename(err) {
			return err
		}
	}
	return w.inPlace(top, rel, r.action)
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
	if info.Mode().IsRegular() && (info.Size() != a.now.Stat.Size || info.ModTime().UnixNano() != a.now.Stat.Mtime) {
		return fmt.Errorf("%s was changed while the undo ran", rel)
	}
	return nil
}

// gitRank orders what is renamed into place.
func (w *writer) gitRank(a action) int {
	switch {
	case !w.s.gitPath(a.path) || a.want.Object():
		return 0
	case strings.HasSuffix(a.path, "/index"):
		return 3
	case strings.HasSuffix(a.path, "/HEAD"):
		return 2
	}
	return 1
}

// keepData keeps a content that a merge made.
func (s *Store) keepData(data []byte) (contentSum, error) {
	if len(data) <= maxWholeContent {
		sum, _, err := s.content.Put(data)
		return sum, err
	}
	var sums []contentSum
	for chunk := range slices.Chunk(data, contentChunkSize) {
		sum, _, err := s.content.Put(chunk)
		if err != nil {
			return contentSum{}, err
		}
		sums = append(sums, sum)
	}
	sum, _, err := s.content.PutList(sums)
	return sum, err
}
