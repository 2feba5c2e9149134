package undo

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestAMountedFile: a file that is a mount point cannot be replaced by a rename, so it is written in place, unless that would
// change other names of it.
func TestAMountedFile(t *testing.T) {
	w := newWorld(t)
	outside := filepath.Join(t.TempDir(), "outside")
	must(t, os.WriteFile(outside, []byte("old\n"), 0o644))
	w.write(map[string]string{"f": "below\n", "g": "old\n"})
	f := filepath.Join(w.dir, "f")
	if err := syscall.Mount(outside, f, "", syscall.MS_BIND, ""); err != nil {
		t.Skip("SKIPPED: nothing can be mounted here:", err)
	}
	t.Cleanup(func() { _ = syscall.Unmount(f, syscall.MNT_DETACH) })
	read := func() string {
		data, err := os.ReadFile(f)
		must(t, err)
		return string(data)
	}
	w.call(func() { w.sh("echo new, and longer > f; echo new > g") })
	w.undo(Selection{Last: 1}, nil)
	if read() != "old\n" {
		t.Errorf("f is %q", read())
	}
	w.undo(Selection{Last: 1, Redo: true}, nil)
	if read() != "new, and longer\n" {
		t.Errorf("after the redo f is %q", read())
	}
	must(t, os.Link(outside, outside+"2"))
	p, err := w.s.Plan(t.Context(), Selection{Last: 1})
	must(t, err)
	out, err := w.s.Apply(t.Context(), p, Call{}, nil)
	must(t, err)
	if len(out.Failed) != 1 || !strings.Contains(out.Failed[0].Err.Error(), "other names") || read() != "new, and longer\n" {
		t.Errorf("with two names: %v, f is %q", out.Failed, read())
	}
	must(t, os.Remove(outside+"2"))
	w.undo(Selection{Last: 1}, nil)
	if read() != "old\n" {
		t.Errorf("the second time f is %q", read())
	}
}
