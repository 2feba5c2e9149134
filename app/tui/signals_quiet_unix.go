//go:build unix

package tui

import (
	"os"

	"golang.org/x/sys/unix"
)

// keepTyped keeps what is typed for the program that starts: it is not echoed, and Enter stays Enter. Signal keys work. Where in
// is no terminal, nothing changes.
func keepTyped(in *os.File) (restore func()) {
	fd := int(in.Fd())
	before, err := unix.IoctlGetTermios(fd, getTermios)
	if err != nil {
		return func() {}
	}
	mode := *before
	mode.Lflag &^= unix.ICANON | unix.ECHO
	mode.Iflag &^= unix.ICRNL
	mode.Cc[unix.VMIN], mode.Cc[unix.VTIME] = 1, 0
	_ = unix.IoctlSetTermios(fd, setTermios, &mode)                    // then keys are echoed, and no more
	return func() { _ = unix.IoctlSetTermios(fd, setTermios, before) } // a terminal that is gone needs no mode
}
