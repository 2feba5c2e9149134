package undo

import (
	"bufio"
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// heldBy returns the inodes of the files that the descendants of the processes hold open for writing or have mapped shared
// and writable. all reports that a process could not be looked into: it may hold any.
func heldBy(pids []int) (held map[uint64]bool, all bool) {
	held = map[uint64]bool{}
	for _, pid := range descendants(pids) {
		dir := filepath.Join("/proc", strconv.Itoa(pid))
		if !openFiles(dir, held) || !mappings(dir, held) {
			if _, err := os.Stat(dir); err == nil && !zombie(dir) {
				all = true
			}
		}
	}
	return held, all
}

// descendants returns all processes below the given ones, without these.
func descendants(pids []int) (all []int) {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil
	}
	kids := map[int][]int{}
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		if fields := statFields(filepath.Join("/proc", e.Name())); len(fields) > 1 {
			parent, _ := strconv.Atoi(fields[1])
			kids[parent] = append(kids[parent], pid)
		}
	}
	for todo := pids; len(todo) > 0; {
		next := kids[todo[0]]
		todo = append(todo[1:len(todo):len(todo)], next...)
		all = append(all, next...)
	}
	return all
}

// statFields returns what /proc/PID/stat has behind the name: state, parent, ….
func statFields(dir string) []string {
	text, err := os.ReadFile(filepath.Join(dir, "stat"))
	if err != nil {
		return nil
	}
	return strings.Fields(string(text[bytes.LastIndexByte(text, ')')+1:]))
}

func zombie(dir string) bool {
	fields := statFields(dir)
	return len(fields) == 0 || fields[0] == "Z" || fields[0] == "X"
}

// openFiles adds the files that a process has open for writing. ok is false if it could not be looked into.
func openFiles(dir string, held map[uint64]bool) (ok bool) {
	entries, err := os.ReadDir(filepath.Join(dir, "fd"))
	if err != nil {
		return false
	}
	for _, e := range entries {
		var st unix.Stat_t
		if unix.Stat(filepath.Join(dir, "fd", e.Name()), &st) != nil || st.Mode&unix.S_IFMT != unix.S_IFREG {
			continue
		}
		if text, err := os.ReadFile(filepath.Join(dir, "fdinfo", e.Name())); err == nil && !writable(text) {
			continue
		}
		held[st.Ino] = true
	}
	return true
}

// writable reads the flags of an open file from its fdinfo.
func writable(info []byte) bool {
	_, rest, _ := bytes.Cut(info, []byte("flags:"))
	line, _, _ := bytes.Cut(rest, []byte("\n"))
	flags, err := strconv.ParseInt(strings.TrimSpace(string(line)), 8, 64)
	return err != nil || flags&unix.O_ACCMODE != unix.O_RDONLY
}

// mappings adds the files that a process has mapped shared and writable. ok is false if it could not be looked into.
func mappings(dir string, held map[uint64]bool) (ok bool) {
	f, err := os.Open(filepath.Join(dir, "maps"))
	if err != nil {
		return false
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		fields := strings.Fields(lines.Text()) // addresses, permissions, offset, device, inode, path
		if len(fields) < 6 || len(fields[1]) < 4 || fields[1][1] != 'w' || fields[1][3] != 's' {
			continue
		}
		if inode, err := strconv.ParseUint(fields[4], 10, 64); err == nil && inode != 0 {
			held[inode] = true
		}
	}
	return lines.Err() == nil
}

// isSlowFileSystem reports whether a directory is on a file system with coarse or remote stamps.
func isSlowFileSystem(dir string) bool {
	var st unix.Statfs_t
	if unix.Statfs(dir, &st) != nil {
		return true
	}
	switch int64(st.Type) {
	case unix.EXT4_SUPER_MAGIC, unix.XFS_SUPER_MAGIC, unix.BTRFS_SUPER_MAGIC, unix.TMPFS_MAGIC, unix.OVERLAYFS_SUPER_MAGIC, unix.F2FS_SUPER_MAGIC, 0x2fc12fc1:
		return false // the last is ZFS
	}
	return true
}
