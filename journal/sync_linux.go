package journal

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// datasync waits until the file's content is on disk.
func datasync(f *os.File) error {
	for {
		err := unix.Fdatasync(int(f.Fd()))
		if !errors.Is(err, unix.EINTR) {
			return os.NewSyscallError("fdatasync", err)
		}
	}
}
