//go:build !linux

package undo

import (
	"errors"
	"io/fs"
)

// syncFileSystem does nothing: here each file is left to the system, as every other program does.
func syncFileSystem(string) error { return nil }

// makeFIFO is for Linux only.
func makeFIFO(string, fs.FileMode) error {
	return errors.New("a FIFO cannot be made again on this system")
}
