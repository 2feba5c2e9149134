//go:build !linux

package undo

// heldBy cannot look into other processes here: they may hold any file.
func heldBy([]int) (held map[uint64]bool, all bool) { return nil, true }

// isSlowFileSystem reports whether a directory is on a file system with coarse or remote stamps. It is not known here.
func isSlowFileSystem(string) bool { return true }
