package undo

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// finish gives files and directories their modes, those that are deep first: a directory may lose its write permission.
func (w *writer) finish(actions []action) {
	for _, a := range slices.Backward(actions) {
		if a.want == nil || a.want.Stat.Mode&fs.ModeSymlink != 0 {
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
	if n.Stat.Mode.IsDir() || a.sameContent() {
		if stateOf(a.now).Attrs != n.Attrs {
			if err := setAttrsAt(top, rel, n.Attrs); err != nil {
				return err
			}
		}
		if err := top.Chmod(rel, n.Stat.Mode&^fs.ModeType); err != nil {
			return err
		}
	}
	if w.s.options.KeepTimes && n.Stat.Mode.IsRegular() {
		return top.Chtimes(rel, time.Time{}, time.Unix(0, n.Stat.Mtime))
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
	return setAttrs(int(f.Fd()), attrs)
}

// manyFiles is from how many files on the whole file system is synced instead of each file.
const manyFiles = 100

// syncAll waits until the disk has the new contents.
func (w *writer) syncAll() {
	if len(w.ready) < manyFiles {
		return // prepare has synced each file
	}
	for _, top := range w.roots {
		if err := syncFileSystem(top.Name()); err != nil {
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
