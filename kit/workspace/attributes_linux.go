package workspace

import (
	"io/fs"
	"os"
	"strings"

	"golang.org/x/sys/unix"
)

// maxAttribute is the largest extended attribute that Linux keeps, in bytes.
const maxAttribute = 64 << 10

// keepAttributes gives a new file the extended attributes and the access list of the one that it replaces, where the
// system lets us. What the security modules keep (labels, capabilities) is theirs to set: a program that is replaced
// must not keep its capabilities.
func keepAttributes(f *os.File, dir *os.Root, base string, old fs.FileInfo) {
	from, err := dir.OpenFile(base, os.O_RDONLY|noWait, 0)
	if err != nil {
		return // it may be written and not read
	}
	defer from.Close()
	if now, err := from.Stat(); err != nil || !os.SameFile(now, old) {
		return
	}
	if n, err := unix.Flistxattr(int(from.Fd()), nil); err != nil || n == 0 {
		return // nearly every file
	}
	names := make([]byte, maxAttribute)
	n, err := unix.Flistxattr(int(from.Fd()), names)
	if err != nil {
		return
	}
	for name := range strings.SplitSeq(strings.TrimRight(string(names[:n]), "\x00"), "\x00") {
		if strings.HasPrefix(name, "user.") || strings.HasPrefix(name, "system.posix_acl_") {
			copyAttribute(f, from, name)
		}
	}
}

func copyAttribute(to, from *os.File, name string) {
	value := make([]byte, maxAttribute)
	if n, err := unix.Fgetxattr(int(from.Fd()), name, value); err == nil {
		_ = unix.Fsetxattr(int(to.Fd()), name, value[:n], 0) // not every file system has them
	}
}
