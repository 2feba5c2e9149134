//go:build !unix

package undo

import (
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// Dir is an open directory.
type Dir struct{ root *os.Root }

// openDisk opens a directory by its path.
func openDisk(path string) (*Dir, error) {
	root, err := os.OpenRoot(path)
	if err != nil {
		return nil, err
	}
	return &Dir{root}, nil
}

func (d *Dir) Sub(name string) (*Dir, error) {
	root, err := d.root.OpenRoot(name)
	if err != nil {
		return nil, err
	}
	return &Dir{root}, nil
}

func (d *Dir) Close() { d.root.Close() }

// Lstat describes an entry; links are not followed.
func (d *Dir) Lstat(name string) (Stat, error) {
	info, err := d.root.Lstat(name)
	if err != nil {
		return Stat{}, err
	}
	return statOf(info), nil
}

// Self describes the directory.
func (d *Dir) Self() (Stat, error) { return d.Lstat(".") }

// Names returns the entries, unsorted.
func (d *Dir) Names() ([]string, error) {
	f, err := d.root.Open(".")
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return f.Readdirnames(-1)
}

// Link makes another name for an entry: an absolute path.
func (d *Dir) Link(name, to string) error { return os.Link(filepath.Join(d.root.Name(), name), to) }

// openDisk opens an entry for reading.
func (d *Dir) Open(name string) (*File, error) {
	f, err := d.root.Open(name)
	if err != nil {
		return nil, err
	}
	return &File{f}, nil
}

func (d *Dir) Readlink(name string) (string, error) { return d.root.Readlink(name) }

// File is an open file.
type File struct{ *os.File }

func (f *File) Stat() (Stat, error) {
	info, err := f.File.Stat()
	if err != nil {
		return Stat{}, err
	}
	return statOf(info), nil
}

func statOf(info fs.FileInfo) Stat {
	return Stat{Mode: info.Mode(), Size: info.Size(), Mtime: info.ModTime().UnixNano(), Links: 1}
}

// Rewind makes the next read begin at the start.
func (f *File) Rewind() error {
	_, err := f.Seek(0, io.SeekStart)
	return err
}

// Sync does nothing: nobody is known to hold a file here.
func (f *File) Sync() {}
