//go:build unix

package undo

import (
	"io"
	"io/fs"
	"os"

	"golang.org/x/sys/unix"
)

// diskDir is an open directory. Everything goes through its handle, and no link is followed, so that no rename or link can
// lead a walk elsewhere.
type diskDir struct{ fd int }

// openDirPath opens a directory by its path.
func openDirPath(path string) (*diskDir, error) { return openDir(unix.AT_FDCWD, path) }

func openDir(at int, name string) (*diskDir, error) {
	for {
		fd, err := unix.Openat(at, name, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC|unix.O_NONBLOCK, 0)
		if err == unix.EINTR {
			continue
		}
		if err != nil {
			return nil, &fs.PathError{Op: "open", Path: name, Err: err}
		}
		return &diskDir{fd}, nil
	}
}

func (d *diskDir) Sub(name string) (*diskDir, error) { return openDir(d.fd, name) }

func (d *diskDir) Close() { unix.Close(d.fd) }

// Lstat describes an entry; links are not followed.
func (d *diskDir) Lstat(name string) (fileStat, error) {
	var st unix.Stat_t
	for {
		err := unix.Fstatat(d.fd, name, &st, unix.AT_SYMLINK_NOFOLLOW)
		if err == unix.EINTR {
			continue
		}
		if err != nil {
			return fileStat{}, &fs.PathError{Op: "lstat", Path: name, Err: err}
		}
		return statOf(&st), nil
	}
}

// Self describes the directory.
func (d *diskDir) Self() (fileStat, error) {
	var st unix.Stat_t
	if err := unix.Fstat(d.fd, &st); err != nil {
		return fileStat{}, err
	}
	return statOf(&st), nil
}

// Names returns the entries, unsorted. It may be called once.
func (d *diskDir) Names() ([]string, error) {
	fd, err := unix.FcntlInt(uintptr(d.fd), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	f := os.NewFile(uintptr(fd), "directory")
	defer f.Close()
	return f.Readdirnames(-1)
}

// openDirPath opens an entry for reading. It does not wait for the other end of a FIFO.
func (d *diskDir) Open(name string) (*diskFile, error) {
	for {
		fd, err := unix.Openat(d.fd, name, unix.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK|unix.O_CLOEXEC|unix.O_NOCTTY, 0)
		if err == unix.EINTR {
			continue
		}
		if err != nil {
			return nil, &fs.PathError{Op: "open", Path: name, Err: err}
		}
		return &diskFile{fd}, nil
	}
}

func (d *diskDir) Readlink(name string) (string, error) {
	for size := 256; ; size *= 2 {
		buf := make([]byte, size)
		n, err := unix.Readlinkat(d.fd, name, buf)
		if err == unix.EINTR {
			continue
		}
		if err != nil {
			return "", &fs.PathError{Op: "readlink", Path: name, Err: err}
		}
		if n < size {
			return string(buf[:n]), nil
		}
	}
}

// Link makes another name for an entry: an absolute path.
func (d *diskDir) Link(name, to string) error {
	if err := unix.Linkat(d.fd, name, unix.AT_FDCWD, to, 0); err != nil {
		return &fs.PathError{Op: "link", Path: name, Err: err}
	}
	return nil
}

// diskFile is an open file, without the cost of an os.File.
type diskFile struct{ fd int }

func (f *diskFile) Close() error { return unix.Close(f.fd) }

func (f *diskFile) Stat() (fileStat, error) {
	var st unix.Stat_t
	if err := unix.Fstat(f.fd, &st); err != nil {
		return fileStat{}, err
	}
	return statOf(&st), nil
}

func (f *diskFile) Read(b []byte) (int, error) {
	for {
		n, err := unix.Read(f.fd, b)
		if err == unix.EINTR {
			continue
		}
		if n == 0 && err == nil && len(b) > 0 {
			return 0, io.EOF
		}
		return max(n, 0), err
	}
}

// statOf turns the system's description into ours.
func statOf(st *unix.Stat_t) fileStat {
	return fileStat{
		Mode: modeOf(uint32(st.Mode)), Size: st.Size, Mtime: st.Mtim.Nano(), Ctime: st.Ctim.Nano(),
		Inode: uint64(st.Ino), Dev: uint64(st.Dev), Links: uint64(st.Nlink),
	}
}

func modeOf(m uint32) fs.FileMode {
	mode := fs.FileMode(m & 0o777)
	switch m & unix.S_IFMT {
	case unix.S_IFDIR:
		mode |= fs.ModeDir
	case unix.S_IFLNK:
		mode |= fs.ModeSymlink
	case unix.S_IFIFO:
		mode |= fs.ModeNamedPipe
	case unix.S_IFSOCK:
		mode |= fs.ModeSocket
	case unix.S_IFCHR:
		mode |= fs.ModeDevice | fs.ModeCharDevice
	case unix.S_IFBLK:
		mode |= fs.ModeDevice
	}
	if m&unix.S_ISUID != 0 {
		mode |= fs.ModeSetuid
	}
	if m&unix.S_ISGID != 0 {
		mode |= fs.ModeSetgid
	}
	if m&unix.S_ISVTX != 0 {
		mode |= fs.ModeSticky
	}
	return mode
}

// Rewind makes the next read begin at the start.
func (f *diskFile) Rewind() error {
	_, err := unix.Seek(f.fd, 0, io.SeekStart)
	return err
}

// Sync makes the kernel write what programs stored through mappings.
func (f *diskFile) Sync() { _ = unix.Fsync(f.fd) } // an error leaves the file held, which is the safe case
