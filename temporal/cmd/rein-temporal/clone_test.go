package main

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"rein/agent"
	"rein/temporal"
)

// origin is a repository with two commits, whose attributes name a filter that the settings of the user have, and which asks for hooks.
func origin(t *testing.T) (address, first string) {
	t.Helper()
	dir := t.TempDir()
	settings := filepath.Join(dir, "gitconfig")
	marker := filepath.Join(dir, "ran")
	template := filepath.Join(dir, "template")
	write(t, filepath.Join(template, "hooks", "post-checkout"), "#!/bin/sh\ntouch "+marker+"\n", 0o700)
	write(t, settings, "[user]\nname=Ada\nemail=ada@example.com\n[filter \"evil\"]\nsmudge=touch "+marker+"; cat\nclean=cat\n[init]\ntemplateDir="+template+"\ndefaultBranch=main\n", 0o600)
	t.Setenv("GIT_CONFIG_GLOBAL", settings)
	t.Setenv("GIT_CONFIG_NOSYSTEM", "1")
	repo := filepath.Join(dir, "origin")
	gitIn(t, dir, "init", "-q", repo)
	write(t, filepath.Join(repo, "a.txt"), "one\n", 0o600)
	write(t, filepath.Join(repo, "gone.txt"), "gone\n", 0o600)
	write(t, filepath.Join(repo, ".gitignore"), "built/\n", 0o600)
	write(t, filepath.Join(repo, ".gitattributes"), "*.txt filter=evil\n", 0o600)
	gitIn(t, repo, "add", "-A")
	gitIn(t, repo, "commit", "-q", "-m", "first")
	first = gitIn(t, repo, "rev-parse", "HEAD")
	write(t, filepath.Join(repo, "a.txt"), "two\n", 0o600)
	gitIn(t, repo, "commit", "-q", "-a", "-m", "second")
	if err := os.Remove(marker); err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if _, err := os.Stat(marker); err == nil {
			t.Error("a hook or a filter ran")
		}
	})
	return "file://" + repo, first
}

func gitIn(t *testing.T, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

func write(t *testing.T, name, text string, mode os.FileMode) {
	t.Helper()
	err := os.MkdirAll(filepath.Dir(name), 0o700)
	if err == nil {
		err = os.WriteFile(name, []byte(text), mode)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	return string(text)
}

func opening(t *testing.T, from repository, keptAs string) temporal.Opening {
	t.Helper()
	text, err := json.Marshal(about{Model: "script/x", Mode: "supervised", Clone: &from})
	if err != nil {
		t.Fatal(err)
	}
	return temporal.Opening{About: text, Kept: keptAs, Session: agent.SessionOptions{ID: "s1"}}
}

func clonesIn(t *testing.T, store temporal.Store, schemes ...string) *clones {
	t.Helper()
	c, err := newClones(t.TempDir(), "pool", schemes, false)
	if err != nil {
		t.Fatal(err)
	}
	c.store = store
	return c
}

// A workspace is a clone at a commit, and is made again on another host with all that was changed: files, links, commits and outputs.
func TestAWorkspaceIsMadeAgain(t *testing.T) {
	address, first := origin(t)
	store := temporal.Files{Dir: t.TempDir()}
	here, there := clonesIn(t, store, "file"), clonesIn(t, store, "file")
	if here.own == there.own {
		t.Error("two workers have one queue")
	}
	from := repository{URL: address, At: first}
	w, err := here.workspace(t.Context(), opening(t, from, ""), &from)
	if err != nil {
		t.Fatal(err)
	}
	if read(t, filepath.Join(w.work(), "a.txt")) != "one\n" || w.news() != "" {
		t.Errorf("the clone has %q, and says %q", read(t, filepath.Join(w.work(), "a.txt")), w.news())
	}
	none, err := w.keep(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(w.work(), "b", "new.txt"), "new\n", 0o600)
	write(t, filepath.Join(w.work(), "run.sh"), "#!/bin/sh\n", 0o755)
	write(t, filepath.Join(w.work(), "empty"), "", 0o600)
	write(t, filepath.Join(w.work(), "built", "large"), "it can be made again", 0o600)
	gitIn(t, w.work(), "checkout", "-q", "-b", "topic")
	gitIn(t, w.work(), "-c", "filter.evil.clean=cat", "add", "b")
	gitIn(t, w.work(), "commit", "-q", "-m", "by the model")
	one, err := w.keep(t.Context(), none)
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(w.work(), "a.txt"), "changed\n", 0o600)
	write(t, filepath.Join(w.work(), "b", "again.txt"), "new\n", 0o600)
	write(t, filepath.Join(w.dir, "output", "s1-1.txt"), "a long output", 0o600)
	write(t, filepath.Join(w.dir, "state", "undo", "x", "log"), "what undo keeps", 0o600)
	if err := errors.Join(os.Remove(filepath.Join(w.work(), "gone.txt")), os.Symlink("/etc/passwd", filepath.Join(w.work(), "link"))); err != nil {
		t.Fatal(err)
	}
	two, err := w.keep(t.Context(), one)
	if err != nil {
		t.Fatal(err)
	}
	if again, err := w.keep(t.Context(), two); err != nil || again != two || none == one || one == two {
		t.Errorf("kept as %s, %s, %s, and then as %s: %v", none, one, two, again, err)
	}

	moved, err := there.workspace(t.Context(), opening(t, from, two), &from)
	if err != nil {
		t.Fatal(err)
	}
	for file, want := range map[string]string{"work/a.txt": "changed\n", "work/b/new.txt": "new\n", "work/b/again.txt": "new\n", "work/run.sh": "#!/bin/sh\n", "work/gone.txt": "",
		"output/s1-1.txt": "a long output", "state/undo/x/log": "what undo keeps", "work/built/large": ""} {
		if got := read(t, moved.file(file)); got != want {
			t.Errorf("%s has %q", file, got)
		}
	}
	info, err := os.Stat(moved.file("work/run.sh"))
	if link, _ := os.Readlink(moved.file("work/link")); err != nil || info.Mode().Perm() != 0o755 || link != "/etc/passwd" {
		t.Errorf("the mode is %v, the link goes to %q, %v", info.Mode(), link, err)
	}
	if got := gitIn(t, moved.work(), "log", "-1", "--format=%s %D"); !strings.Contains(got, "by the model") || !strings.Contains(got, "topic") {
		t.Errorf("git is at %s", got)
	}
	if news := moved.news(); !strings.Contains(news, "made again on another one: a fresh clone of the commit "+first) {
		t.Errorf("the model gets to know %q", news)
	}
	// A session that goes on after it was closed keeps its repository, whatever is named, and is told where nothing was kept.
	third := clonesIn(t, store, "file")
	if again, err := third.workspace(t.Context(), opening(t, from, two), &repository{URL: "file:///elsewhere"}); err != nil || read(t, again.file("work/a.txt")) != "changed\n" {
		t.Errorf("a closed session goes on with another repository: %v", err)
	}
	if err := third.end(t.Context(), opening(t, from, two)); err != nil {
		t.Fatal(err)
	}
	forgotten := opening(t, from, "")
	forgotten.After = 7
	if again, err := third.workspace(t.Context(), forgotten, &from); err != nil || !strings.Contains(again.news(), "Nothing is known any more of the workspace") {
		t.Errorf("the model is not told that the workspace is a fresh one: %v", err)
	}
	three, err := moved.keep(t.Context(), two)
	if err != nil {
		t.Fatal(err)
	}
	last, err := moved.last(t.Context(), three)
	if err != nil || last.Changed["work/a.txt"].Sum == "" || len(last.Gone) != 1 {
		t.Errorf("it is kept as %+v, %v", last, err)
	}
	if err := there.end(context.Background(), opening(t, from, three)); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(moved.dir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the directory of the session stays: %v", err)
	}
}

// What was kept cannot write outside the directory of the session.
func TestKeptFilesStayInside(t *testing.T) {
	address, _ := origin(t)
	store := temporal.Files{Dir: t.TempDir()}
	c := clonesIn(t, store, "file")
	outside := t.TempDir()
	for rule, k := range map[string]kept{
		"a path that goes up":     {Changed: map[string]keptFile{"../x": {}}},
		"a path through a link":   {Changed: map[string]keptFile{"work/l": {stamp: stamp{Link: outside}}, "work/l/x": {stamp: stamp{Link: "y"}}}},
		"content that is not so":  {Changed: map[string]keptFile{"work/x": {stamp: stamp{Size: 3}, Sum: "x", Data: "files-x"}}},
		"more than the data have": {Changed: map[string]keptFile{"work/x": {stamp: stamp{Size: 30}, Sum: "x", Data: "files-x"}}},
	} {
		if err := store.Put(t.Context(), "s1", "files-x", []byte("abc")); err != nil {
			t.Fatal(err)
		}
		w := &workspace{dir: filepath.Join(c.dir, "s1"), store: store, session: "s1"}
		name, err := w.put(t.Context(), "kept", "", k)
		if err != nil {
			t.Fatal(err)
		}
		from := repository{URL: address}
		if _, err := c.workspace(t.Context(), opening(t, from, name), &from); err == nil {
			t.Errorf("%s: it is restored", rule)
		}
		if left, _ := os.ReadDir(outside); len(left) > 0 {
			t.Errorf("%s: it wrote %v", rule, left)
		}
	}
}

func TestWhatIsNotCloned(t *testing.T) {
	address, _ := origin(t)
	c := clonesIn(t, temporal.Files{Dir: t.TempDir()}, "https", "file")
	for _, row := range []struct {
		rule string
		from repository
		says string
	}{
		{"a scheme that the operator does not allow", repository{URL: "ssh://git@127.0.0.1/x"}, "clones from https, file, and not from ssh"},
		{"a program instead of an address", repository{URL: "ext::sh -c touch% /tmp/x"}, "no address of a repository"},
		{"an option", repository{URL: "--upload-pack=touch"}, "no address of a repository"},
		{"a password", repository{URL: "https://ada:swordfish@example.com/x"}, "has a password or a name"},
		{"a token", repository{URL: "https://swordfish@example.com/x"}, "has a password or a name"},
		{"an option as a commit", repository{URL: address, At: "--all"}, "no name of a commit"},
		{"a commit that is not there", repository{URL: address, At: "0123456789abcdef"}, "has no commit 0123456789abcdef"},
		{"a repository that is not there", repository{URL: "file:///nowhere"}, "the repository file:///nowhere"},
	} {
		_, err := c.workspace(t.Context(), opening(t, row.from, ""), &row.from)
		if err == nil || !strings.Contains(err.Error(), row.says) || strings.Contains(err.Error(), "swordfish") {
			t.Errorf("%s: %v", row.rule, err)
		}
	}
}
