//go:build unix

package workspace

import (
	"io/fs"
	"os"
	"syscall"
)

// noWait opens a pipe at once instead of waiting for a writer, and no terminal becomes ours.
const noWait = syscall.O_NONBLOCK | syscall.O_NOCTTY

// linkedSecret reports whether a file has more than one hard link and may not be read by others.
func linkedSecret(info fs.FileInfo) bool {
	st, ok := info.Sys().(*syscall.Stat_t)
	return ok && st.Nlink > 1 && info.Mode().Perm()&0o004 == 0
}

// keepOwner gives a new file the owner of the one that it replaces, where the system lets us.
func keepOwner(f *os.File, old fs.FileInfo) {
	want, ok := old.Sys().(*syscall.Stat_t)
	if !ok {
		return
	}
	if have, err := f.Stat(); err == nil {
		if st, ok := have.Sys().(*syscall.Stat_t); ok && (st.Uid != want.Uid || st.Gid != want.Gid) {
			_ = f.Chown(int(want.Uid), int(want.Gid)) // not allowed to most users: then it is ours
		}
	}
}
