package harness

import (
	"golang.org/x/sys/unix"
)

// folderState tells one state of a directory's names from others: programs cannot set the time of the last change of an inode.
type folderState struct {
	Dev, Inode   uint64
	Mtime, Ctime int64
}

// stateOf returns the state of a directory, or zero where a later one may look the same: it changed just now, or its file system is not
// known to keep times.
func (s *treeSearch) stateOf(path string) folderState {
	var st unix.Stat_t
	if unix.Lstat(path, &st) != nil || st.Mode&unix.S_IFMT != unix.S_IFDIR {
		return folderState{}
	}
	mtime, ctime := st.Mtim.Nano(), st.Ctim.Nano()
	if ctime <= 0 || s.began.UnixNano()-max(mtime, ctime) < int64(folderMargin) {
		return folderState{}
	}
	local, known := s.local.Load(st.Dev)
	if !known {
		local = keepsTimes(path)
		s.local.Store(st.Dev, local)
	}
	if !local.(bool) {
		return folderState{}
	}
	return folderState{st.Dev, st.Ino, mtime, ctime}
}

// keepsTimes reports whether a directory is on a file system of this machine that notes each change.
func keepsTimes(dir string) bool {
	var st unix.Statfs_t
	if unix.Statfs(dir, &st) != nil {
		return false
	}
	switch int64(st.Type) {
	case unix.EXT4_SUPER_MAGIC, unix.XFS_SUPER_MAGIC, unix.BTRFS_SUPER_MAGIC, unix.TMPFS_MAGIC, unix.OVERLAYFS_SUPER_MAGIC, unix.F2FS_SUPER_MAGIC, 0x2fc12fc1:
		return true // the last is ZFS
	}
	return false
}
