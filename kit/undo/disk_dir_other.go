//go:build !unix

package undo

import (
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// diskDir is an open directory.
type diskDir struct{ root *os.Root }

// openDirPath opens a directory by its path.
func openDirPath(path string) (*diskDir, error) {
	root, err := os.OpenRoot(path)
	if err != nil {
		return nil, err
	}
	return &diskDir{root}, nil
}

func (d *diskDir) Sub(name string) (*diskDir, error) {
	root, err := d.root.OpenRoot(name)
	if err != nil {
		return nil, err
	}
	return &diskDir{root}, nil
}

func (d *diskDir) Close() { d.root.Close() }

// Lstat describes an entry; links are not followed.
func (d *diskDir) Lstat(name string) (fileStat, error) {
	info, err := d.root.Lstat(name)
	if err != nil {
		return fileStat{}, err
	}
	return statOf(info), nil
}

// Self describes the directory.
func (d *diskDir) Self() (fileStat, error) { return d.Lstat(".") }

// Names returns the entries, unsorted.
func (d *diskDir) Names() ([]string, error) {
	f, err := d.root.Open(".")
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return f.Readdirnames(-1)
}

// Link makes another name for an entry: an absolute path.
func (d *diskDir) Link(name, to string) error { return os.Link(filepath.Join(d.root.Name(), name), to) }

// openDirPath opens an entry for reading.
func (d *diskDir) Open(name string) (*diskFile, error) {
	f, err := d.root.Open(name)
	if err != nil {
		return nil, err
	}
	return &diskFile{f}, nil
}

func (d *diskDir) Readlink(name string) (string, error) { return d.root.Readlink(name) }

// diskFile is an open file.
type diskFile struct{ *os.File }

func (f *diskFile) Stat() (fileStat, error) {
	info, err := f.File.Stat()
	if err != nil {
		return fileStat{}, err
	}
	return statOf(info), nil
}

func statOf(info fs.FileInfo) fileStat {
	return fileStat{Mode: info.Mode(), Size: info.Size(), Mtime: info.ModTime().UnixNano(), Links: 1}
}

// Rewind makes the next read begin at the start.
func (f *diskFile) Rewind() error {
	_, err := f.Seek(0, io.SeekStart)
	return err
}

// Sync does nothing: nobody is known to hold a file here.
func (f *diskFile) Sync() {}
