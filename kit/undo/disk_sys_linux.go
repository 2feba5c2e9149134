package undo

import (
	"io/fs"
	"os"

	"golang.org/x/sys/unix"
)

// syncFileSystem waits until the disk has everything that was written to the file system of a directory.
func syncFileSystem(dir string) error {
	f, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer f.Close()
	return unix.Syncfs(int(f.Fd()))
}

// makeFIFO makes a FIFO.
func makeFIFO(name string, mode fs.FileMode) error {
	if err := unix.Mkfifo(name, uint32(mode.Perm())); err != nil {
		return err
	}
	return os.Chmod(name, mode&^fs.ModeType)
}
