package sandbox

import (
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// enlargePipe lets a pipe hold 1 MiB: a flood of output costs fewer switches between the program and us. A system that
// refuses leaves it as it is.
func enlargePipe(pipe *os.File) {
	raw, err := pipe.SyscallConn()
	if err == nil {
		_ = raw.Control(func(fd uintptr) { _, _ = unix.FcntlInt(fd, unix.F_SETPIPE_SZ, 1<<20) })
	}
}

// pending is how many bytes can be read from a pipe without waiting.
func pending(pipe stream) int {
	file, ok := pipe.(syscall.Conn)
	if !ok {
		return 0
	}
	n := 0
	raw, err := file.SyscallConn()
	if err == nil {
		_ = raw.Control(func(fd uintptr) { n, _ = unix.IoctlGetInt(int(fd), unix.TIOCINQ) })
	}
	return n
}
