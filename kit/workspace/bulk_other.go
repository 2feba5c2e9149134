//go:build !linux

package workspace

import (
	"io"
	"os"
)

func (t *tree) probe() {}

// open opens a path below the tree for reading.
func (t *tree) open(name string) (*os.File, error) {
	return t.root.OpenFile(name, os.O_RDONLY|noWait, 0)
}

func (t *tree) slurp(name string, buf []byte, links bool) (n int, whole bool, err error) {
	f, err := t.open(name)
	if err != nil {
		return 0, false, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return 0, false, err
	}
	if !info.Mode().IsRegular() || !links && linkedSecret(info) {
		return 0, false, ErrSkipped
	}
	n, err = io.ReadFull(f, buf)
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		return n, true, nil
	}
	return n, false, err
}

// dirReader reads directories one after the other.
type dirReader struct{ tree *tree }

func newDirReader(t *tree) *dirReader { return &dirReader{t} }

// read returns the entries of a directory by their own names, unsorted.
func (r *dirReader) read(dir string) ([]Entry, error) {
	if dir == "" {
		dir = "."
	}
	f, err := r.tree.open(dir)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	found, err := f.ReadDir(-1)
	entries := make([]Entry, 0, len(found))
	for _, e := range found {
		entries = append(entries, Entry{Path: e.Name(), Type: e.Type()})
	}
	if len(entries) > 0 {
		err = nil
	}
	return entries, err
}
