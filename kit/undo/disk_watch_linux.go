package undo

import (
	"fmt"
	"sync"
	"unsafe"

	"golang.org/x/sys/unix"
)

// dirWatch hears what happens in directories. It does not hear what is written through a hard link in another directory, and hears
// of what is stored through a mapping only when the mapping ends. Its methods may be called at once from several goroutines.
type dirWatch struct {
	fd   int
	mu   sync.Mutex
	dirs map[fileID]bool
	ids  map[int32]fileID // by the number of the watch
	full bool             // a directory could not be added
}

// maxWatched is how many directories are watched at most: each takes about 1 kB of the kernel's memory.
const maxWatched = 20_000

// heard is what a watch hears of a directory. That a file is closed which could be written ends a mapping, too.
const heard = unix.IN_MODIFY | unix.IN_CLOSE_WRITE | unix.IN_ATTRIB | unix.IN_CREATE | unix.IN_DELETE | unix.IN_MOVED_FROM | unix.IN_MOVED_TO |
	unix.IN_DELETE_SELF | unix.IN_MOVE_SELF | unix.IN_ONLYDIR

// newWatch makes a watch without directories.
func newWatch() (*dirWatch, error) {
	fd, err := unix.InotifyInit1(unix.IN_NONBLOCK | unix.IN_CLOEXEC)
	return &dirWatch{fd: fd, dirs: map[fileID]bool{}, ids: map[int32]fileID{}}, err
}

// Add adds a directory, unless the watch has it. What happens from now on is heard.
func (w *dirWatch) Add(d *diskDir, st fileStat) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.full || w.dirs[st.ID()] {
		return
	}
	n, err := unix.InotifyAddWatch(w.fd, fmt.Sprintf("/proc/self/fd/%d", d.fd), heard)
	w.full = err != nil || len(w.dirs) >= maxWatched
	w.dirs[st.ID()], w.ids[int32(n)] = true, st.ID()
}

// Has reports whether a directory is watched.
func (w *dirWatch) Has(dir fileID) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.dirs[dir]
}

// Heard calls see with the directories in which something happened since the last call. whole means that the watch still
// covers all directories: else it has to be made again, or there are more than it can have.
func (w *dirWatch) Heard(see func(fileID)) (whole bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	whole = !w.full
	buf := make([]byte, 64<<10)
	for {
		n, err := unix.Read(w.fd, buf)
		if err == unix.EINTR {
			continue
		}
		if err == unix.EAGAIN {
			return whole
		}
		if err != nil || n < unix.SizeofInotifyEvent {
			return false
		}
		for at := 0; at+unix.SizeofInotifyEvent <= n; {
			e := (*unix.InotifyEvent)(unsafe.Pointer(&buf[at]))
			if e.Mask&(unix.IN_Q_OVERFLOW|unix.IN_IGNORED|unix.IN_UNMOUNT|unix.IN_MOVE_SELF|unix.IN_DELETE_SELF) != 0 {
				whole = false // an inode may be used again for another directory
			}
			if dir, known := w.ids[e.Wd]; known {
				see(dir)
			}
			at += unix.SizeofInotifyEvent + int(e.Len)
		}
	}
}

// Full reports whether there are more directories than the watch, or the system, can have.
func (w *dirWatch) Full() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.full
}

// Close ends the watch.
func (w *dirWatch) Close() { unix.Close(w.fd) }
