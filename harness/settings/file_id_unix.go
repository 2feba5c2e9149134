//go:build unix

package settings

import (
	"fmt"
	"io/fs"
	"syscall"
)

// FileID is the device and inode of a file.
func FileID(info fs.FileInfo) string {
	if s, ok := info.Sys().(*syscall.Stat_t); ok {
		return fmt.Sprintf("%d:%d", s.Dev, s.Ino)
	}
	return ""
}

// ownerOf is the id of the user that a file belongs to.
func ownerOf(info fs.FileInfo) int {
	if s, ok := info.Sys().(*syscall.Stat_t); ok {
		return int(s.Uid)
	}
	return -1
}
