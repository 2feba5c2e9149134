//go:build unix

package plainfile

import (
	"fmt"
	"io/fs"
	"syscall"
)

// ID is the device and inode of a file.
func ID(info fs.FileInfo) string {
	if s, ok := info.Sys().(*syscall.Stat_t); ok {
		return fmt.Sprintf("%d:%d", s.Dev, s.Ino)
	}
	return ""
}

// Owner is the id of the user that a file belongs to.
func Owner(info fs.FileInfo) int {
	if s, ok := info.Sys().(*syscall.Stat_t); ok {
		return int(s.Uid)
	}
	return -1
}
