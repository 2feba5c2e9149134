package workspace

import (
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"
)

func TestWriteKeepsExtendedAttributes(t *testing.T) {
	f := newFixture(t)
	f.put("a.txt", "old")
	name := filepath.Join(f.dir, "a.txt")
	if err := unix.Setxattr(name, "user.origin", []byte("a camera"), 0); err != nil {
		t.Logf("this file system has no extended attributes, nothing to test: %v", err)
		return
	}
	f.must(f.WriteFile("a.txt", []byte("new")))
	value := make([]byte, 64)
	n, err := unix.Getxattr(name, "user.origin", value)
	if err != nil || string(value[:n]) != "a camera" {
		t.Errorf("the attribute is %q, %v", value[:max(n, 0)], err)
	}
	if text, err := f.ReadFile("a.txt"); err != nil || string(text) != "new" {
		t.Errorf("the file is %q, %v", text, err)
	}
}
