package git

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestChanges(t *testing.T) {
	g := repository(t)
	for _, name := range []string{"kept", "gone", "mode", "with space", "odd\"name\t", "both"} {
		write(t, g.Dir, "in/"+name, "one\ntwo\nthree\nfour\n")
	}
	git(t, g.Dir, "add", ".")
	git(t, g.Dir, "commit", "-q", "-m", "more")
	write(t, g.Dir, "in/kept", "one\n2\nthree\nfour\n")
	write(t, g.Dir, "in/with space", "one\n")
	write(t, g.Dir, "in/odd\"name\t", "diff --git a/in/kept b/in/kept\n--- a/in/kept\n+++ b/in/kept\n@@ -1 +1 @@\n")
	write(t, g.Dir, "in/blob", "\x00\x01")
	write(t, g.Dir, "in/new", "fresh\n")
	write(t, g.Dir, ".env", "KEY=second\n")
	git(t, g.Dir, "mv", ".env", "env.txt")
	git(t, g.Dir, "mv", "in/both", "in/moved")
	git(t, g.Dir, "add", "in/blob")
	git(t, g.Dir, "rm", "-q", "in/gone")
	if err := os.Chmod(filepath.Join(g.Dir, "in/mode"), 0o600); err != nil {
		t.Fatal(err)
	}

	got, err := g.Changes(t.Context())
	if err != nil || !got.Repository || got.Branch != "main" || len(got.Commit) < 7 {
		t.Fatal(got, err)
	}
	check(t, got.Files, map[string]File{
		"in/kept":        {What: "changed", Added: 1, Removed: 1, Diff: "@@ -1,4 +1,4 @@\n one\n-two\n+2\n three\n four\n"},
		"in/with space":  {What: "changed", Removed: 3, Diff: "@@ -1,4 +1 @@\n one\n-two\n-three\n-four\n"},
		"in/odd\"name\t": {What: "changed", Added: 4, Removed: 4, Diff: "@@ -1,4 +1,4 @@\n-one\n-two\n-three\n-four\n+diff --git a/in/kept b/in/kept\n+--- a/in/kept\n++++ b/in/kept\n+@@ -1 +1 @@\n"},
		"in/blob":        {What: "created"},
		"in/new":         {What: "untracked"},
		"in/gone":        {What: "deleted", Removed: 4, Diff: "@@ -1,4 +0,0 @@\n-one\n-two\n-three\n-four\n"},
		"in/moved":       {What: "moved", From: "in/both"},
		"in/mode":        {What: "mode"},
		".env":           {What: "deleted", Removed: 1},
		"env.txt":        {What: "created", Added: 1, Diff: "@@ -0,0 +1 @@\n+KEY=second\n"},
	})

	g.Dir = filepath.Join(g.Dir, "in") // a workspace inside of a repository shows its own part
	if got, err = g.Changes(t.Context()); err != nil || len(got.Files) != 8 {
		t.Fatal(got, err)
	}
	if f := got.Files[0]; strings.Contains(f.Path, "/") {
		t.Fatal("the path does not start at the directory: ", f)
	}
}

func check(t *testing.T, files []File, want map[string]File) {
	t.Helper()
	for _, f := range files {
		w, ok := want[f.Path]
		w.Path = f.Path
		if !ok || f != w {
			t.Errorf("%+v, wanted %+v", f, w)
		}
		delete(want, f.Path)
	}
	if len(want) > 0 {
		t.Error("missing: ", want)
	}
}

func TestChangesWithoutACommit(t *testing.T) {
	g := repository(t)
	g.Dir = t.TempDir()
	if got, err := g.Changes(t.Context()); err != nil || got.Repository {
		t.Fatal("no repository: ", got, err)
	}
	write(t, g.Dir, "staged", "one\n")
	write(t, g.Dir, "other", "one\n")
	git(t, g.Dir, "init", "-q", "-b", "main")
	git(t, g.Dir, "add", "staged")
	got, err := g.Changes(t.Context())
	if err != nil || got.Commit != "" || got.Branch != "main" {
		t.Fatal(got, err)
	}
	check(t, got.Files, map[string]File{"staged": {What: "created", Added: 1, Diff: "@@ -0,0 +1 @@\n+one\n"}, "other": {What: "untracked"}})
}

func TestChangesInConflict(t *testing.T) {
	g := repository(t)
	git(t, g.Dir, "switch", "-q", "-c", "other")
	write(t, g.Dir, "a.txt", "theirs\n")
	git(t, g.Dir, "commit", "-q", "-a", "-m", "theirs")
	git(t, g.Dir, "switch", "-q", "main")
	write(t, g.Dir, "a.txt", "ours\n")
	git(t, g.Dir, "commit", "-q", "-a", "-m", "ours")
	if err := gitFails(g.Dir, "merge", "other"); err == nil {
		t.Fatal("the merge has no conflict")
	}
	got, err := g.Changes(t.Context())
	if err != nil || len(got.Files) != 1 || got.Files[0].What != "conflict" || !strings.Contains(got.Files[0].Diff, "+<<<<<<<") {
		t.Fatalf("%+v %v", got, err)
	}
}

// What a repository names as programs does not run: hooks, filters, text conversions, external diffs, the monitor of files.
func TestChangesRunNoCodeOfTheRepository(t *testing.T) {
	g := repository(t)
	ran := filepath.Join(t.TempDir(), "ran")
	trap := "touch " + ran + "; cat"
	for _, set := range [][2]string{{"filter.x.clean", trap}, {"filter.x.smudge", trap}, {"diff.x.textconv", trap}, {"diff.x.command", trap}, {"diff.external", trap}, {"core.fsmonitor", trap}} {
		git(t, g.Dir, "config", set[0], set[1])
	}
	write(t, g.Dir, ".gitattributes", "* filter=x diff=x\n")
	write(t, g.Dir, "a.txt", "changed\n")
	got, err := g.Changes(t.Context())
	if err != nil || len(got.Files) == 0 {
		t.Fatal(got, err)
	}
	if _, err := os.Stat(ran); err == nil {
		t.Fatal("a program of the repository ran")
	}
}
