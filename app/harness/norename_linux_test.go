package harness

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"rein/kit/undo"
)

// withoutRename serves a directory as a file system that can neither rename nor link, by the kernel's FUSE protocol
// (linux/fuse.h, version 7.31).
type withoutRename struct {
	dir   string // what it shows
	fd    int
	names []string // by node: the path below dir; the node 1 is the top
}

// The operations of the protocol that it answers. All others are not implemented.
const (
	fuseLookup, fuseForget, fuseGetattr, fuseSetattr, fuseReadlink, fuseSymlink       = 1, 2, 3, 4, 5, 6
	fuseMkdir, fuseUnlink, fuseRmdir, fuseOpen, fuseRead, fuseWrite, fuseStatfs       = 9, 10, 11, 14, 15, 16, 17
	fuseRelease, fuseFsync, fuseFlush, fuseInit, fuseOpendir, fuseReaddir             = 18, 20, 25, 26, 27, 28
	fuseReleasedir, fuseFsyncdir, fuseCreate, fuseInterrupt, fuseDestroy, fuseForgets = 29, 30, 35, 36, 38, 42
)

// mountWithoutRename mounts it until the test ends.
func mountWithoutRename(t *testing.T, at string) {
	t.Helper()
	f, err := os.OpenFile("/dev/fuse", os.O_RDWR, 0)
	if err != nil {
		t.Skip("SKIPPED: no FUSE here:", err)
	}
	s := &withoutRename{dir: t.TempDir(), fd: int(f.Fd()), names: []string{"", "."}}
	options := fmt.Sprintf("fd=%d,rootmode=40000,user_id=%d,group_id=%d,default_permissions", f.Fd(), os.Getuid(), os.Getgid())
	if err := unix.Mount("rein-test", at, "fuse", unix.MS_NOSUID|unix.MS_NODEV, options); err != nil {
		f.Close()
		t.Skip("SKIPPED: FUSE cannot be mounted here:", err)
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		s.serve()
	}()
	t.Cleanup(func() {
		_ = unix.Unmount(at, unix.MNT_DETACH)
		<-ended
		f.Close()
	})
	if err := s.pollOnce(at); err != nil {
		t.Fatal(err)
	}
}

// pollOnce lets the kernel learn that the file system has no poll, so that it never asks again. Go's runtime polls a file that is opened
// without giving its processor away: where no other one is free, the answer, which comes from this same process, would never be given.
func (s *withoutRename) pollOnce(at string) error {
	const name = "polled"
	if err := os.WriteFile(filepath.Join(s.dir, name), nil, 0o600); err != nil {
		return err
	}
	defer os.Remove(filepath.Join(s.dir, name))
	fd, err := unix.Open(filepath.Join(at, name), unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	_, err = unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, 0)
	return err
}

func (s *withoutRename) serve() {
	for buf := make([]byte, 1<<20+4096); ; {
		n, err := unix.Read(s.fd, buf)
		if err == unix.EINTR || err == unix.ENOENT {
			continue
		}
		if err != nil || n < 40 {
			return // unmounted
		}
		le := binary.LittleEndian
		op, unique, node, body := le.Uint32(buf[4:]), le.Uint64(buf[8:]), le.Uint64(buf[16:]), buf[40:n]
		if op == fuseForget || op == fuseForgets || op == fuseInterrupt {
			continue // they have no answer
		}
		out, err := s.answer(op, node, body)
		errno := syscall.Errno(0)
		if err != nil {
			var ok bool
			if errno, ok = underlying(err); !ok {
				errno = syscall.EIO
			}
			out = nil
		}
		head := le.AppendUint32(nil, uint32(16+len(out)))
		head = le.AppendUint32(head, uint32(-int32(errno)))
		head = le.AppendUint64(head, unique)
		_, _ = unix.Write(s.fd, append(head, out...)) // an operation that was cancelled has no answer
	}
}

func underlying(err error) (syscall.Errno, bool) {
	for err != nil {
		if errno, ok := err.(syscall.Errno); ok {
			return errno, true
		}
		u, ok := err.(interface{ Unwrap() error })
		if !ok {
			return 0, false
		}
		err = u.Unwrap()
	}
	return 0, false
}

// answer does one operation.
func (s *withoutRename) answer(op uint32, node uint64, in []byte) ([]byte, error) {
	le := binary.LittleEndian
	path := filepath.Join(s.dir, s.names[node])
	text := func(at int) string { name, _, _ := bytes.Cut(in[at:], []byte{0}); return string(name) }
	child := func(at int) string { return filepath.Join(path, text(at)) }
	switch op {
	case fuseInit:
		out := make([]byte, 64)
		le.PutUint32(out, 7)
		le.PutUint32(out[4:], 31)
		le.PutUint32(out[20:], 1<<20) // bytes of a write
		le.PutUint32(out[24:], 1)     // nanoseconds of a time
		return out, nil
	case fuseLookup:
		return s.entry(node, text(0))
	case fuseGetattr:
		attr, err := attributes(path)
		return append(make([]byte, 16), attr...), err
	case fuseSetattr:
		if err := setAttributes(path, in); err != nil {
			return nil, err
		}
		attr, err := attributes(path)
		return append(make([]byte, 16), attr...), err
	case fuseReadlink:
		target, err := os.Readlink(path)
		return []byte(target), err
	case fuseSymlink:
		if err := os.Symlink(text(len(text(0))+1), child(0)); err != nil {
			return nil, err
		}
		return s.entry(node, text(0))
	case fuseMkdir:
		if err := syscall.Mkdir(child(8), le.Uint32(in)); err != nil {
			return nil, err
		}
		return s.entry(node, text(8))
	case fuseUnlink:
		return nil, syscall.Unlink(child(0))
	case fuseRmdir:
		return nil, syscall.Rmdir(child(0))
	case fuseOpen, fuseOpendir:
		return make([]byte, 16), nil
	case fuseCreate:
		f, err := os.OpenFile(child(16), os.O_CREATE|os.O_EXCL|os.O_WRONLY, fs.FileMode(le.Uint32(in[4:])&0o777))
		if err != nil {
			return nil, err
		}
		f.Close()
		entry, err := s.entry(node, text(16))
		return append(entry, make([]byte, 16)...), err
	case fuseRead:
		f, err := os.Open(path)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		out := make([]byte, le.Uint32(in[16:]))
		n, _ := f.ReadAt(out, int64(le.Uint64(in[8:])))
		return out[:n], nil
	case fuseWrite:
		f, err := os.OpenFile(path, os.O_WRONLY, 0)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		n, err := f.WriteAt(in[40:], int64(le.Uint64(in[8:])))
		return le.AppendUint64(nil, uint64(n)), err
	case fuseReaddir:
		return s.list(path, le.Uint64(in[8:]), int(le.Uint32(in[16:])))
	case fuseStatfs:
		out := make([]byte, 80)
		le.PutUint64(out, 1<<30)
		le.PutUint64(out[8:], 1<<30)
		le.PutUint64(out[16:], 1<<30)
		le.PutUint32(out[40:], 4096)
		le.PutUint32(out[44:], 255)
		le.PutUint32(out[48:], 4096)
		return out, nil
	case fuseRelease, fuseReleasedir, fuseFsync, fuseFsyncdir, fuseFlush, fuseDestroy:
		return nil, nil
	}
	return nil, syscall.ENOSYS
}

// entry describes a name in a directory. Nothing of it may be cached.
func (s *withoutRename) entry(node uint64, name string) ([]byte, error) {
	name = filepath.Join(s.names[node], name)
	attr, err := attributes(filepath.Join(s.dir, name))
	if err != nil {
		return nil, err
	}
	s.names = append(s.names, name)
	out := make([]byte, 40, 128)
	binary.LittleEndian.PutUint64(out, uint64(len(s.names)-1))
	return append(out, attr...), nil
}

func attributes(path string) ([]byte, error) {
	var st syscall.Stat_t
	if err := syscall.Lstat(path, &st); err != nil {
		return nil, err
	}
	le := binary.LittleEndian
	var out []byte
	for _, n := range []uint64{st.Ino, uint64(st.Size), uint64(st.Blocks), uint64(st.Atim.Sec), uint64(st.Mtim.Sec), uint64(st.Ctim.Sec)} {
		out = le.AppendUint64(out, n)
	}
	for _, n := range []uint32{uint32(st.Atim.Nsec), uint32(st.Mtim.Nsec), uint32(st.Ctim.Nsec), st.Mode, uint32(st.Nlink), st.Uid, st.Gid, 0, 4096, 0} {
		out = le.AppendUint32(out, n)
	}
	return out, nil
}

func setAttributes(path string, in []byte) error {
	le := binary.LittleEndian
	valid := le.Uint32(in)
	if valid&1 != 0 {
		if err := syscall.Chmod(path, le.Uint32(in[68:])&0o7777); err != nil {
			return err
		}
	}
	if valid&8 != 0 {
		if err := os.Truncate(path, int64(le.Uint64(in[16:]))); err != nil {
			return err
		}
	}
	if valid&32 != 0 && valid&256 == 0 {
		return os.Chtimes(path, time.Time{}, time.Unix(int64(le.Uint64(in[40:])), int64(le.Uint32(in[60:]))))
	}
	return nil
}

// list returns the names of a directory behind the first so many.
func (s *withoutRename) list(path string, from uint64, most int) (out []byte, err error) {
	all, err := os.ReadDir(path)
	le := binary.LittleEndian
	for i := from; i < uint64(len(all)); i++ {
		name := all[i].Name()
		one := le.AppendUint64(nil, i+2)
		one = le.AppendUint64(one, i+1)
		one = le.AppendUint32(one, uint32(len(name)))
		one = le.AppendUint32(one, 0)
		one = append(one, name...)
		one = append(one, make([]byte, -len(one)&7)...)
		if len(out)+len(one) > most {
			break
		}
		out = append(out, one...)
	}
	return out, err
}

// TestAWorkspaceWithoutRename: a file tool fails with a clear error and leaves the file as it was. What a command did is kept,
// and an undo writes in place.
func TestAWorkspaceWithoutRename(t *testing.T) {
	u := newUndoing(t, "{}")
	mountWithoutRename(t, u.dir)
	u.o.Allow = append(u.o.Allow, "edit_file")
	u.must(u.h.Close(t.Context()))
	u.open()
	u.put("a", "1\n2\n3\n")
	u.put("gone", "text\n")
	u.must(os.Mkdir(filepath.Join(u.dir, "d"), 0o755))
	u.put("d/x", "below\n")
	for i, c := range [][2]string{{"write_file", `{"path":"new","content":"x\n"}`}, {"read_file", `{"path":"a"}`}, {"edit_file", `{"path":"a","old":"2\n","new":"two\n"}`}} {
		got := u.call(fmt.Sprint("f", i), c[0], c[1])
		if reads := c[0] == "read_file"; reads == got.Failed || !reads && !strings.Contains(got.Text, "the file system does not support it") {
			t.Errorf("%s: %+v", c[0], got)
		}
	}
	if got := u.call("c1", "bash", `{"command":"printf 'new, and longer\\n' > a; rm -r gone d; echo 1 > d; mkdir e; echo n > e/n"}`); got.Failed {
		t.Fatal(got.Text)
	}
	out := u.undo(undo.Selection{Last: 1}, nil)
	if len(out.Failed)+len(out.Conflicts)+len(out.Uncovered) > 0 {
		t.Errorf("%+v", out)
	}
	for name, want := range map[string]string{"a": "1\n2\n3\n", "gone": "text\n", "d/x": "below\n", "e/n": "", "new": ""} {
		u.want(name, want)
	}
	u.undo(undo.Selection{Last: 1, Redo: true}, nil)
	for name, want := range map[string]string{"a": "new, and longer\n", "gone": "", "d": "1\n", "e/n": "n\n"} {
		u.want(name, want)
	}
	if all, err := os.ReadDir(u.dir); err != nil || len(all) != 3 {
		t.Errorf("%v, %v", all, err)
	}
}
