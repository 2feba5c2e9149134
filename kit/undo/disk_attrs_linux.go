package undo

import (
	"encoding/binary"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// attrsOf returns the extended attributes of a file or directory that belong to its user, and its access lists. A file
// system without them, or one that does not allow reading them, has none.
func attrsOf(fd int) string {
	var list [1024]byte
	n, err := unix.Flistxattr(fd, list[:])
	if err != nil || n <= 0 {
		return ""
	}
	names := strings.Split(strings.TrimRight(string(list[:n]), "\x00"), "\x00")
	slices.Sort(names)
	var all []byte
	for _, name := range names {
		if !restorable(name) {
			continue
		}
		value := make([]byte, 64<<10)
		if n, err = unix.Fgetxattr(fd, name, value); err != nil {
			continue
		}
		all = binary.AppendUvarint(all, uint64(len(name)))
		all = append(all, name...)
		all = binary.AppendUvarint(all, uint64(n))
		all = append(all, value[:n]...)
	}
	return string(all)
}

func restorable(name string) bool {
	return strings.HasPrefix(name, "user.") || strings.HasPrefix(name, "system.posix_acl_")
}

func (f *diskFile) Attrs() string { return attrsOf(f.fd) }

func (d *diskDir) Attrs() string { return attrsOf(d.fd) }

// setAttrs gives a file or directory the attributes, and takes away others of the same kind.
func setAttrs(fd int, attrs string) error {
	wanted := parseAttrs(attrs)
	for name := range parseAttrs(attrsOf(fd)) {
		if _, keep := wanted[name]; !keep {
			if err := unix.Fremovexattr(fd, name); err != nil {
				return err
			}
		}
	}
	for name, value := range wanted {
		if err := unix.Fsetxattr(fd, name, []byte(value), 0); err != nil {
			return err
		}
	}
	return nil
}

func parseAttrs(attrs string) map[string]string {
	all := map[string]string{}
	next := func() string {
		n, used := binary.Uvarint([]byte(attrs))
		if used <= 0 || n > uint64(len(attrs)-used) {
			attrs = ""
			return ""
		}
		part := attrs[used : used+int(n)]
		attrs = attrs[used+int(n):]
		return part
	}
	for attrs != "" {
		name := next()
		all[name] = next()
	}
	return all
}
