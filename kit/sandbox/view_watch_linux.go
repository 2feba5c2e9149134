package sandbox

import (
	"encoding/binary"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"
)

// inotify reports changes of directories by the kernel's inotify.
type inotify struct {
	fd   atomic.Int32 // -1: it could not be opened, and nothing is reported
	path map[int32]string
	wd   map[string]int32
}

// watchedChanges are the changes that matter: what is made, removed and renamed. Contents do not.
const watchedChanges = unix.IN_CREATE | unix.IN_DELETE | unix.IN_MOVED_FROM | unix.IN_MOVED_TO | unix.IN_ONLYDIR | unix.IN_DONT_FOLLOW

func newWatcher() watcher {
	fd, err := unix.InotifyInit1(unix.IN_CLOEXEC | unix.IN_NONBLOCK)
	if err != nil {
		fd = -1
	}
	n := &inotify{path: map[int32]string{}, wd: map[string]int32{}}
	n.fd.Store(int32(fd))
	return n
}

func (n *inotify) add(dir string) bool {
	if n.fd.Load() < 0 {
		return false
	}
	wd, err := unix.InotifyAddWatch(int(n.fd.Load()), dir, watchedChanges)
	if err != nil {
		return false // the user's limit of watches is reached
	}
	if old, ok := n.path[int32(wd)]; ok {
		delete(n.wd, old) // the same directory by another path
	}
	n.path[int32(wd)], n.wd[dir] = dir, int32(wd)
	return true
}

func (n *inotify) watches(dir string) bool {
	_, ok := n.wd[dir]
	return ok
}

func (n *inotify) changed() (dirs []string, all bool) {
	if n.fd.Load() < 0 {
		return nil, false
	}
	seen := map[string]bool{}
	buffer := make([]byte, 16<<10)
	for {
		got, err := unix.Read(int(n.fd.Load()), buffer)
		if err == unix.EINTR {
			continue
		}
		if err != nil || got <= 0 {
			return dirs, all
		}
		for b := buffer[:got]; len(b) >= unix.SizeofInotifyEvent; {
			wd, mask := int32(binary.NativeEndian.Uint32(b)), binary.NativeEndian.Uint32(b[4:])
			b = b[unix.SizeofInotifyEvent+int(binary.NativeEndian.Uint32(b[12:])):]
			all = all || mask&unix.IN_Q_OVERFLOW != 0
			dir, ok := n.path[wd]
			switch {
			case !ok:
			case mask&unix.IN_IGNORED != 0:
				delete(n.path, wd)
				if n.wd[dir] == wd {
					delete(n.wd, dir)
				}
			case !seen[dir]:
				seen[dir] = true
				dirs = append(dirs, dir)
			}
		}
	}
}

func (n *inotify) wait(most time.Duration) {
	_, _ = unix.Poll([]unix.PollFd{{Fd: n.fd.Load(), Events: unix.POLLIN}}, int(most.Milliseconds()))
}

func (n *inotify) forget(dir string) {
	if dir == "" {
		for path := range n.wd {
			n.forget(path)
		}
		return
	}
	if wd, ok := n.wd[dir]; ok {
		_, _ = unix.InotifyRmWatch(int(n.fd.Load()), uint32(wd))
		delete(n.wd, dir)
		delete(n.path, wd)
	}
}

func (n *inotify) close() {
	if fd := n.fd.Swap(-1); fd >= 0 {
		_ = unix.Close(int(fd))
	}
}
