package undo

import (
	"os"

	"golang.org/x/sys/unix"
)

// datasync waits until the disk has the data of the file, and its size.
func datasync(f *os.File) error { return unix.Fdatasync(int(f.Fd())) }
