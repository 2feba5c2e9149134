//go:build !linux

package disk

import (
	"errors"
	"io/fs"
)

// SyncFileSystem does nothing: here each file is left to the system, as every other program does.
func SyncFileSystem(string) error { return nil }

// MakePipe is for Linux only.
func MakePipe(string, fs.FileMode) error {
	return errors.New("a FIFO cannot be made again on this system")
}
