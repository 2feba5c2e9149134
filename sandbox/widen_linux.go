package sandbox

import (
	"os"

	"golang.org/x/sys/unix"
)

// widen lets a pipe hold 1 MiB: a flood of output costs fewer switches between the program and us. A system that
// refuses leaves it as it is.
func widen(pipe *os.File) {
	raw, err := pipe.SyscallConn()
	if err == nil {
		_ = raw.Control(func(fd uintptr) { _, _ = unix.FcntlInt(fd, unix.F_SETPIPE_SZ, 1<<20) })
	}
}
