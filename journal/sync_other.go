//go:build !linux

package journal

import "os"

// datasync waits until the file's content is on disk.
func datasync(f *os.File) error { return f.Sync() }
