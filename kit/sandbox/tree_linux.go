package sandbox

import (
	"bytes"
	"encoding/binary"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"
)

// folderState tells one state of a directory's names from others: programs cannot set the time of the last change of an inode.
type folderState struct {
	Dev, Inode   uint64
	Mtime, Ctime int64
}

// stateOf returns the state of a directory, or zero where a later one may look the same: it changed just now, or its file system is not
// known to keep times.
func (w *treeWalk) stateOf(path string) folderState {
	var st unix.Stat_t
	if unix.Lstat(path, &st) != nil || st.Mode&unix.S_IFMT != unix.S_IFDIR {
		return folderState{}
	}
	state := folderState{st.Dev, st.Ino, st.Mtim.Nano(), st.Ctim.Nano()}
	if state.Ctime <= 0 || w.began.UnixNano()-max(state.Mtime, state.Ctime) < int64(folderMargin) {
		return folderState{}
	}
	local, known := w.local.Load(st.Dev)
	if !known {
		local = keepsTimes(path)
		w.local.Store(st.Dev, local)
	}
	if !local.(bool) {
		return folderState{}
	}
	return state
}

// is reports whether a directory is known to have the names that the tree has.
func (t *Tree) is(info os.FileInfo) bool {
	st, ok := info.Sys().(*syscall.Stat_t)
	return ok && t.State != (folderState{}) && t.State == folderState{st.Dev, st.Ino, st.Mtim.Nano(), st.Ctim.Nano()}
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

var nameBuffers = sync.Pool{New: func() any { b := make([]byte, 32<<10); return &b }}

// readNames returns the entries of a directory, and no other directory's if a link took its place. An error says that some may be missing.
func readNames(path string) (all []Entry, err error) {
	fd, err := unix.Open(path, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	for err == unix.EINTR {
		fd, err = unix.Open(path, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	}
	if err != nil {
		return nil, err
	}
	defer unix.Close(fd)
	pooled := nameBuffers.Get().(*[]byte)
	defer nameBuffers.Put(pooled)
	for {
		n, err := unix.Getdents(fd, *pooled)
		if err == unix.EINTR {
			continue
		}
		if err != nil || n <= 0 {
			return all, err
		}
		all = appendEntries(all, path, (*pooled)[:n])
	}
}

// appendEntries takes the records of getdents64 apart: inode, offset, length, type, name.
func appendEntries(all []Entry, path string, buf []byte) []Entry {
	const lengthAt, typeAt, nameAt = 16, 18, 19
	for len(buf) > nameAt {
		size := int(binary.NativeEndian.Uint16(buf[lengthAt:]))
		if size <= nameAt || size > len(buf) {
			return all
		}
		raw, kind := buf[nameAt:size], buf[typeAt]
		buf = buf[size:]
		end := bytes.IndexByte(raw, 0)
		if end <= 0 || string(raw[:end]) == "." || string(raw[:end]) == ".." {
			continue
		}
		e := Entry{Name: string(raw[:end]), Type: fs.ModeIrregular}
		switch kind {
		case unix.DT_DIR:
			e.Type = fs.ModeDir
		case unix.DT_REG:
			e.Type = 0
		case unix.DT_LNK:
			e.Type = fs.ModeSymlink
		case unix.DT_UNKNOWN: // the file system does not say
			if info, err := os.Lstat(filepath.Join(path, e.Name)); err == nil {
				e.Type = info.Mode().Type()
			}
		}
		all = append(all, e)
	}
	return all
}
