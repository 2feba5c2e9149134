package workspace

import (
	"errors"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// nameless makes a file without a name in a directory. Not every file system can.
func nameless(dir *os.Root) (*os.File, error) {
	return dir.OpenFile(".", os.O_WRONLY|unix.O_TMPFILE, 0o666)
}

// link gives a nameless file a name in the directory; a name that is taken is an error.
func link(f *os.File, dir *os.Root, name string) error {
	d, err := dir.Open(".")
	if err != nil {
		return err
	}
	defer d.Close()
	// By its descriptor alone the call is for those with CAP_DAC_READ_SEARCH; through /proc it is for all.
	err = unix.Linkat(unix.AT_FDCWD, "/proc/self/fd/"+strconv.Itoa(int(f.Fd())), int(d.Fd()), name, unix.AT_SYMLINK_FOLLOW)
	if errors.Is(err, unix.ENOENT) {
		err = unix.Linkat(int(f.Fd()), "", int(d.Fd()), name, unix.AT_EMPTY_PATH)
	}
	if err != nil {
		return &os.LinkError{Op: "link", Old: f.Name(), New: name, Err: err}
	}
	return nil
}
