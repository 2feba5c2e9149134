//go:build unix

package undo

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// asNobody runs a test again in a process of an ordinary user, in a directory that belongs to root. It reports whether this
// is that process, and returns the directory.
func asNobody(t *testing.T, prepare func(dir string)) (dir string, inside bool) {
	t.Helper()
	if dir := os.Getenv("AS_NOBODY"); dir != "" {
		return dir, true
	}
	if os.Getuid() != 0 {
		t.Skip("SKIPPED: only root has files of two owners")
	}
	top, err := os.MkdirTemp("/tmp", "undo-owner-") // t.TempDir is only for its user
	must(t, err)
	t.Cleanup(func() { os.RemoveAll(top) })
	dir = filepath.Join(top, "work")
	store := filepath.Join(top, "store")
	must(t, errors.Join(os.Chmod(top, 0o755), os.Mkdir(dir, 0o755), os.Mkdir(store, 0o755), os.Chown(store, 65534, 65534)))
	prepare(dir)
	binary, err := os.ReadFile(os.Args[0])
	must(t, err)
	must(t, os.WriteFile(filepath.Join(top, "test"), binary, 0o755))
	cmd := exec.Command(filepath.Join(top, "test"), "-test.run=^"+t.Name()+"$")
	cmd.Env = append(os.Environ(), "AS_NOBODY="+dir)
	cmd.Dir = top
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, out)
	}
	return "", false
}

// TestAnotherOwner: in a directory of another user, what can be restored is: a file that may be written, but not replaced, is
// written in place. What cannot be is named, the content stays in the store, and the undo can be repeated.
func TestAnotherOwner(t *testing.T) {
	dir, inside := asNobody(t, func(dir string) {
		for name, mode := range map[string]os.FileMode{"open": 0o666, "closed": 0o644, "later": 0o666, "secret": 0o600} {
			must(t, os.WriteFile(filepath.Join(dir, name), []byte("old\n"), 0o600))
			must(t, os.Chmod(filepath.Join(dir, name), mode))
		}
		must(t, os.Mkdir(filepath.Join(dir, "mine"), 0o755))
		must(t, os.Chown(filepath.Join(dir, "mine"), 65534, 65534))
		must(t, os.WriteFile(filepath.Join(dir, "mine/secret"), []byte("of root\n"), 0o600))
		must(t, os.WriteFile(filepath.Join(dir, "mine/a"), []byte("old\n"), 0o644))
	})
	if !inside {
		return
	}
	w := &world{t: t, dir: dir, home: filepath.Join(filepath.Dir(dir), "store", "s")}
	w.s = w.open()
	defer func() { w.s.Close() }()
	text := func(name string) string {
		data, _ := os.ReadFile(filepath.Join(dir, name)) // "" when it is not there, or not for us
		return string(data)
	}
	w.call(func() { w.sh("echo new > later") })
	_, report := w.call(func() {
		w.sh("echo new, and longer > open; ! echo new > closed; rm -f mine/a mine/secret; echo n > mine/n")
	})
	if len(report.Uncovered) != 1 || report.Uncovered[0].Path != "mine/secret" {
		t.Errorf("not covered: %v", report.Uncovered)
	}
	must(t, os.Chmod(filepath.Join(dir, "mine"), 0o555)) // now nothing can be put back there
	p, err := w.s.Plan(t.Context(), Selection{Last: 2})
	must(t, err)
	out, err := w.s.Apply(t.Context(), p, Call{}, nil)
	must(t, err)
	if text("open") != "old\n" || text("later") != "old\n" || text("closed") != "old\n" || len(out.Failed) != 2 {
		t.Errorf("open %q, later %q, closed %q, failed %v", text("open"), text("later"), text("closed"), out.Failed)
	}
	for _, f := range out.Failed {
		if !strings.HasPrefix(f.Path, "mine/") || !errors.Is(f.Err, os.ErrPermission) || strings.Contains(f.Err.Error(), "tmp") {
			t.Errorf("%s: %v", f.Path, f.Err)
		}
	}
	steps, err := w.s.Steps(t.Context(), Filter{})
	must(t, err)
	if len(steps) != 3 || !steps[0].Undone || steps[1].Undone {
		t.Errorf("which calls are taken back: %+v", steps)
	}
	must(t, os.Chmod(filepath.Join(dir, "mine"), 0o755))
	if out := w.undo(Selection{Last: 1}, nil); len(out.Changes) != 2 {
		t.Errorf("the second time: %+v", out.Changes)
	}
	if text("mine/a") != "old\n" || text("mine/n") != "" {
		t.Errorf("mine/a %q, mine/n %q", text("mine/a"), text("mine/n"))
	}
	w.undo(Selection{Redo: true}, nil)
	if text("open") != "new, and longer\n" || text("mine/n") != "n\n" || text("mine/a") != "" {
		t.Errorf("after the redo: open %q, mine/n %q, mine/a %q", text("open"), text("mine/n"), text("mine/a"))
	}
}
