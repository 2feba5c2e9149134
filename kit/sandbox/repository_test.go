//go:build unix

package sandbox

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// TestRepositoryAbove: the git directory outside of a directory is found as git finds it, and a forged link is not followed.
func TestRepositoryAbove(t *testing.T) {
	top, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"repo/.git/HEAD": "ref", "repo/.git/objects/x": "", "repo/.git/refs/x": "", "repo/sub/deep/x": "",
		"repo/.git/worktrees/w/gitdir": top + "/linked/.git\n", "linked/.git": "gitdir: " + top + "/repo/.git/worktrees/w\n", "linked/sub/x": "",
		"repo/.git/modules/m/HEAD": "ref", "repo/.git/modules/m/objects/x": "", "repo/.git/modules/m/refs/x": "", "repo/.git/modules/m/config": "[core]\n\tworktree = ../../../m\n",
		"repo/m/.git": "gitdir: ../.git/modules/m\n", "repo/m/sub/x": "", "repo/forged/.git": "gitdir: ../.git/modules/m\n",
		"forged/.git": "gitdir: " + top + "/repo/.git/worktrees/w\n", "empty/.git/x": "", "empty/sub/x": "", "none/x": "",
	} {
		if err := errors.Join(os.MkdirAll(filepath.Dir(filepath.Join(top, name)), 0o700), os.WriteFile(filepath.Join(top, name), []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	git := filepath.Join(top, "repo", ".git")
	for dir, want := range map[string]string{"repo": "", "repo/sub": git, "repo/sub/deep": git, "linked": git, "linked/sub": git, "forged": "", "empty/sub": "", "none": "",
		"repo/m": git + "/modules/m", "repo/m/sub": git + "/modules/m", "repo/forged": ""} {
		if got := RepositoryAbove(filepath.Join(top, dir)); got != want {
			t.Errorf("%s: got %q, want %q", dir, got, want)
		}
	}
	for dir, want := range map[string]string{"repo": "", "repo/sub/deep": "repo", "linked": "", "linked/sub": "linked", "repo/m": "", "repo/m/sub": "repo/m", "repo/forged": "", "none": ""} {
		if want != "" {
			want = filepath.Join(top, want)
		}
		if got, _ := RepositoryAround(filepath.Join(top, dir), top+"/home"); got != want {
			t.Errorf("around %s: got %q, want %q", dir, got, want)
		}
	}
	if got, _ := RepositoryAround(filepath.Join(top, "repo/sub"), filepath.Join(top, "repo", "home")); got != "" {
		t.Errorf("a repository of a home directory is opened: %s", got)
	}
}
