package workspace

import (
	"io/fs"
	"strings"
	"syscall"
	"testing"
)

func TestFailuresOfTheSystemAreNamed(t *testing.T) {
	f := newFixture(t)
	rows := []struct {
		err  error
		kind Kind
		text string
	}{
		{syscall.ENOSPC, Full, "a b cannot be written: the disk is full"},
		{syscall.EDQUOT, Full, "the disk quota is used up"},
		{syscall.EACCES, NoPermission, "permission denied"},
		{syscall.EROFS, NoPermission, "the file system is read-only"},
		{syscall.ENOENT, NotFound, "does not exist"},
		{syscall.EBUSY, Failed, "a mount point"},
		{syscall.EXDEV, Failed, "another file system"},
		{syscall.ENOSYS, Failed, "the file system does not support it"},
		{syscall.EOPNOTSUPP, Failed, "the file system does not support it"},
		{syscall.EIO, Failed, "input/output error"},
	}
	for _, r := range rows {
		err := f.trees[0].wrap("a b", &fs.PathError{Op: "write", Path: "/some/where", Err: r.err})
		if text := strings.ReplaceAll(err.Error(), `"`, ""); KindOf(err) != r.kind || !strings.Contains(text, r.text) || strings.Contains(text, "/some/where") {
			t.Errorf("%v: %v of kind %q", r.err, err, KindOf(err))
		}
	}
}
