package workspace

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io/fs"
	"os"
	"path"

	"golang.org/x/sys/unix"
)

// openFD opens a path with openat2: one call of the kernel, which itself refuses to leave the directory and to follow
// any link. os.Root does the same with a call for each element; over ten thousand files that is the larger part of a
// search.
func (t *tree) openFD(name string) (int, error) {
	how := unix.OpenHow{
		Flags:   unix.O_RDONLY | unix.O_NONBLOCK | unix.O_NOCTTY | unix.O_CLOEXEC,
		Resolve: unix.RESOLVE_BENEATH | unix.RESOLVE_NO_SYMLINKS | unix.RESOLVE_NO_MAGICLINKS,
	}
	for {
		fd, err := unix.Openat2(t.fd(), name, &how)
		if err == unix.EINTR || err == unix.EAGAIN {
			continue
		}
		return fd, err
	}
}

// fd is the descriptor of the tree, open as long as the tree.
func (t *tree) fd() int { return int(t.top.Fd()) }

// probe finds out whether openat2 is there: the kernel may be older than 5.6, or a filter may forbid it.
func (t *tree) probe() {
	fd, err := t.openFD(".")
	if t.slow = errors.Is(err, unix.ENOSYS) || errors.Is(err, unix.EPERM); err == nil {
		unix.Close(fd)
	}
}

// open opens a path below the tree for reading.
func (t *tree) open(name string) (*os.File, error) {
	if t.slow {
		return t.root.OpenFile(name, os.O_RDONLY|noWait, 0)
	}
	fd, err := t.openFD(name)
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: name, Err: err}
	}
	return os.NewFile(uintptr(fd), name), nil
}

// slurp reads the start of a regular file without the cost of an os.File.
func (t *tree) slurp(name string, buf []byte, links bool) (n int, whole bool, err error) {
	if t.slow {
		f, err := t.open(name)
		if err != nil {
			return 0, false, err
		}
		defer f.Close()
		return fill(int(f.Fd()), buf, links)
	}
	fd, err := t.openFD(name)
	if err != nil {
		return 0, false, err
	}
	defer unix.Close(fd)
	return fill(fd, buf, links)
}

func fill(fd int, buf []byte, links bool) (n int, whole bool, err error) {
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return 0, false, err
	}
	if st.Mode&unix.S_IFMT != unix.S_IFREG || !links && st.Nlink > 1 && st.Mode&0o004 == 0 {
		return 0, false, ErrSkipped
	}
	for n < len(buf) {
		got, err := unix.Read(fd, buf[n:])
		if err == unix.EINTR {
			continue
		}
		if err != nil {
			return n, false, err
		}
		n += got
		if got == 0 || int64(n) == st.Size && n < len(buf) {
			return n, true, nil
		}
	}
	return n, false, nil
}

// dirReader reads directories one after the other into one buffer.
type dirReader struct {
	tree *tree
	buf  []byte
}

func newDirReader(t *tree) *dirReader { return &dirReader{t, make([]byte, 32<<10)} }

// read returns the entries of a directory by their own names, unsorted.
func (r *dirReader) read(dir string) ([]Entry, error) {
	if dir == "" {
		dir = "."
	}
	f, err := r.tree.open(dir)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var entries []Entry
	for {
		n, err := unix.Getdents(int(f.Fd()), r.buf)
		if err == unix.EINTR {
			continue
		}
		if err != nil || n <= 0 {
			return r.settle(dir, entries), err
		}
		entries = r.parse(entries, r.buf[:n])
	}
}

// parse takes the records of getdents64 apart: inode, offset, length, type, name.
func (r *dirReader) parse(entries []Entry, buf []byte) []Entry {
	const lengthAt, typeAt, nameAt = 16, 18, 19
	for len(buf) > nameAt {
		size := int(binary.NativeEndian.Uint16(buf[lengthAt:]))
		if size <= nameAt || size > len(buf) {
			return entries
		}
		raw, kind := buf[nameAt:size], buf[typeAt]
		buf = buf[size:]
		end := bytes.IndexByte(raw, 0)
		if end <= 0 || string(raw[:end]) == "." || string(raw[:end]) == ".." {
			continue
		}
		entries = append(entries, Entry{Path: string(raw[:end]), Type: typeOf(kind)})
	}
	return entries
}

// settle given for the types that the file system did not give with the names.
func (r *dirReader) settle(dir string, entries []Entry) []Entry {
	for i, e := range entries {
		if e.Type == fs.ModeIrregular {
			if info, err := r.tree.root.Lstat(path.Join(dir, e.Path)); err == nil {
				entries[i].Type = info.Mode().Type()
			}
		}
	}
	return entries
}

func typeOf(kind byte) fs.FileMode {
	switch kind {
	case unix.DT_REG:
		return 0
	case unix.DT_DIR:
		return fs.ModeDir
	case unix.DT_LNK:
		return fs.ModeSymlink
	case unix.DT_FIFO:
		return fs.ModeNamedPipe
	case unix.DT_SOCK:
		return fs.ModeSocket
	case unix.DT_CHR:
		return fs.ModeDevice | fs.ModeCharDevice
	case unix.DT_BLK:
		return fs.ModeDevice
	}
	return fs.ModeIrregular // the file system does not say; see settle
}
