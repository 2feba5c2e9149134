//go:build !linux

package undo

import "os"

// datasync waits until the disk has the data of the file.
func datasync(f *os.File) error { return f.Sync() }
