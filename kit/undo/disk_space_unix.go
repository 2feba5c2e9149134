//go:build unix

package undo

import "golang.org/x/sys/unix"

// freeSpace returns the bytes of the file system of a directory, and those that are free for us.
func freeSpace(dir string) (free, total int64, err error) {
	var st unix.Statfs_t
	if err := unix.Statfs(dir, &st); err != nil {
		return 0, 0, err
	}
	size := int64(st.Bsize)
	return int64(st.Bavail) * size, int64(st.Blocks) * size, nil
}
