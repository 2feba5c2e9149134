package workspace

import (
	"os"
	"path/filepath"
	"testing"
)

func TestOneFileHasOneName(t *testing.T) {
	other, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(other, "y"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	f := newFixture(t, other)
	f.put("a/b/x", "")
	f.put(".git/hooks/pre-commit", "")
	f.link("a/b", "short")
	f.link("../b/x", "a/b/again")
	f.link(filepath.Join(f.dir, "a/b/x"), "absolute")
	f.link(other, "across")
	f.link("absolute", "twice")
	f.link("a/b/new", "tocome")
	rows := []struct{ rule, name, want string }{
		{"plain", "a/b/x", "a/b/x"},
		{"dots", "./a/./b/../b/x", "a/b/x"},
		{"double slashes", "a//b///x", "a/b/x"},
		{"trailing slash", "a/b/", "a/b"},
		{"absolute", f.dir + "/a/b/x", "a/b/x"},
		{"absolute, odd spelling", "//" + f.dir + "/.//a/b/x", "a/b/x"},
		{"the workspace", ".", "."},
		{"the workspace, absolute", f.dir, "."},
		{"the workspace, from below", "a/..", "."},
		{"back in through the parent", "../ws/a/b/x", "a/b/x"},
		{"through a link to a directory", "short/x", "a/b/x"},
		{"dot dot after a link is the target's parent", "short/../b/x", "a/b/x"},
		{"a link to a file", "a/b/again", "a/b/x"},
		{"an absolute link inside", "absolute", "a/b/x"},
		{"a link to a link", "twice", "a/b/x"},
		{"not there yet", "new/dir/f", "new/dir/f"},
		{"not there yet, with dots", "new/../new/./f", "new/f"},
		{"a link to what is not there yet", "tocome", "a/b/new"},
		{"an extra directory", filepath.Join(other, "y"), filepath.ToSlash(filepath.Join(other, "y"))},
		{"a link into an extra directory", "across/y", filepath.ToSlash(filepath.Join(other, "y"))},
		{"a protected name, dots", ".git/./hooks/pre-commit", ".git/hooks/pre-commit"},
		{"a protected name, slashes", ".git//hooks/pre-commit", ".git/hooks/pre-commit"},
		{"a protected name, through a sibling", "a/../.git/hooks/pre-commit", ".git/hooks/pre-commit"},
	}
	for _, r := range rows {
		t.Run(r.rule, func(t *testing.T) {
			got, err := f.Resolve(r.name)
			if err != nil || got != r.want {
				t.Errorf("Resolve(%q) = %q, %v; want %q", r.name, got, err, r.want)
			}
			again, err := f.Resolve(got)
			if err != nil || again != got {
				t.Errorf("the canonical name %q resolves to %q, %v", got, again, err)
			}
		})
	}
}

func TestHomeDirectory(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	w, err := Open(home)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	if got, err := w.Resolve("~/src/x.go"); err != nil || got != "src/x.go" {
		t.Errorf("~/src/x.go is %q, %v", got, err)
	}
	if got, err := w.Resolve("~"); err != nil || got != "." {
		t.Errorf("~ is %q, %v", got, err)
	}
}

func TestSpellingsOfTheWorkspaceDirectory(t *testing.T) {
	base := t.TempDir()
	dir := filepath.Join(base, "real")
	if err := os.MkdirAll(filepath.Join(dir, "sub"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(dir, filepath.Join(base, "alias")); err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir)
	for _, spelling := range []string{".", "./sub/..", dir, filepath.Join(base, "alias"), "/"} {
		w, err := Open(spelling)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{w.Abs("sub"), filepath.Join(base, "real", "sub")} {
			if got, err := w.Resolve(name); err != nil || (got != "sub" && spelling != "/") {
				t.Errorf("opened as %s: %s is %q, %v", spelling, name, got, err)
			}
		}
		w.Close()
	}
	w, err := Open(filepath.Join(base, "alias"))
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	if got, err := w.Resolve(filepath.Join(base, "alias", "sub")); err != nil || got != "sub" {
		t.Errorf("the spelling that was given is %q, %v", got, err)
	}
}
