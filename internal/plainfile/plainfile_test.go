//go:build unix

package plainfile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

func TestOnlyAShortRegularFileIsRead(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	err := errors.Join(os.WriteFile(at("file"), []byte("text"), 0o600), os.WriteFile(at("most"), make([]byte, Most), 0o600), os.WriteFile(at("long"), make([]byte, Most+1), 0o600),
		os.Symlink("file", at("link")), os.Symlink("/dev/zero", at("endless")), syscall.Mkfifo(at("pipe"), 0o600))
	if err != nil {
		t.Fatal(err)
	}
	for name, size := range map[string]int{"file": 4, "link": 4, "most": Most} {
		if text, err := Read(at(name)); err != nil || len(text) != size {
			t.Errorf("%s: %d bytes, %v", name, len(text), err)
		}
	}
	for _, name := range []string{"endless", "pipe", "."} {
		if text, err := Read(at(name)); text != nil || !errors.Is(err, ErrNotPlain) || !strings.Contains(err.Error(), at(name)) {
			t.Errorf("%s: %d bytes, %v", name, len(text), err)
		}
	}
	if text, err := Read(at("long")); text != nil || err == nil || !strings.Contains(err.Error(), "longer than") {
		t.Errorf("%d bytes, %v", len(text), err)
	}
	if _, err := Read(at("missing")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v", err)
	}
}

// TestRepositoryAbove: the git directory outside of a directory is found as git finds it, and a forged link is not followed.
func TestRepositoryAbove(t *testing.T) {
	top, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"repo/.git/HEAD": "ref", "repo/.git/objects/x": "", "repo/.git/refs/x": "", "repo/sub/deep/x": "",
		"repo/.git/worktrees/w/gitdir": top + "/linked/.git\n", "linked/.git": "gitdir: " + top + "/repo/.git/worktrees/w\n", "linked/sub/x": "",
		"forged/.git": "gitdir: " + top + "/repo/.git/worktrees/w\n", "empty/.git/x": "", "empty/sub/x": "", "none/x": "",
	} {
		if err := errors.Join(os.MkdirAll(filepath.Dir(filepath.Join(top, name)), 0o700), os.WriteFile(filepath.Join(top, name), []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	git := filepath.Join(top, "repo", ".git")
	for dir, want := range map[string]string{"repo": "", "repo/sub": git, "repo/sub/deep": git, "linked": git, "linked/sub": git, "forged": "", "empty/sub": "", "none": ""} {
		if got := RepositoryAbove(filepath.Join(top, dir)); got != want {
			t.Errorf("%s: got %q, want %q", dir, got, want)
		}
	}
}
