package undo

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestConflicts: what somebody changed since is not overwritten; it is merged, or it is a conflict that can be forced.
func TestConflicts(t *testing.T) {
	for _, row := range []struct {
		rule          string
		before, after string // "" is no file
		now           string
		want, forced  string
		conflict      string
	}{
		{"untouched", "a\nb\nc\n", "a\nB\nc\n", "a\nB\nc\n", "a\nb\nc\n", "a\nb\nc\n", ""},
		{"other lines are kept", "a\nb\nc\nd\ne\n", "A\nb\nc\nd\ne\n", "A\nb\nc\nd\nE\n", "a\nb\nc\nd\nE\n", "a\nb\nc\nd\nE\n", ""},
		{"the same lines conflict", "a\nb\nc\n", "a\nB\nc\n", "a\nX\nc\n", "a\nX\nc\n", "a\nb\nc\n", "the same lines"},
		{"taken back by hand", "a\n", "b\n", "a\n", "a\n", "a\n", ""},
		{"a new file that the user changed stays", "", "new\n", "new\nmine\n", "new\nmine\n", "", "changed since it was made"},
		{"a new file that nobody changed goes", "", "new\n", "new\n", "", "", ""},
		{"a file that the user deleted stays away", "a\n", "b\n", "", "", "a\n", "deleted since"},
		{"a deleted file that the user made again stays", "a\n", "", "other\n", "other\n", "a\n", "made again"},
		{"no text", "a\x00b", "a\x00c", "a\x00d", "a\x00d", "a\x00b", "not text"},
	} {
		for _, force := range []bool{false, true} {
			t.Run(row.rule, func(t *testing.T) {
				w := newWorld(t)
				put := func(text string) {
					if text == "" {
						_ = os.Remove(filepath.Join(w.dir, "f"))
						return
					}
					must(t, os.WriteFile(filepath.Join(w.dir, "f"), []byte(text), 0o644))
				}
				put(row.before)
				w.call(func() { put(row.after) })
				put(row.now)
				want := row.want
				if force {
					want = row.forced
				}
				out := w.undo(Selection{Last: 1}, &Answers{All: force})
				got, _ := os.ReadFile(filepath.Join(w.dir, "f"))
				if string(got) != want {
					t.Errorf("the file is %q, want %q", got, want)
				}
				switch {
				case row.conflict == "" || force:
					if len(out.Conflicts) != 0 {
						t.Errorf("conflicts: %+v", out.Conflicts)
					}
				case len(out.Conflicts) != 1 || !strings.Contains(out.Conflicts[0].Why, row.conflict):
					t.Errorf("conflicts: %+v", out.Conflicts)
				}
				if out.Step == 0 {
					return
				}
				w.undo(Selection{Last: 1, Redo: true}, nil) // every undo can be undone
				if got, _ := os.ReadFile(filepath.Join(w.dir, "f")); string(got) != row.now {
					t.Errorf("after the redo the file is %q, want %q", got, row.now)
				}
			})
		}
	}
}

// TestGit: what destructive commands did to a repository is taken back, with the index and the refs. No git command runs.
func TestGit(t *testing.T) {
	setup := `git init -q -b main; echo 1 > a; echo 1 > b; mkdir d; echo x > d/x; printf 'ignored/\n' > .gitignore; git add .; git commit -qm one
		echo 2 > a; git commit -qam two; git branch side HEAD~1; echo 3 > a; git add a; echo 4 > a; echo new > untracked; git stash list`
	made := newWorld(t) // each repository below is a copy of this one
	made.sh(setup)
	for _, script := range []string{
		"git reset -q --hard", "git checkout -q -f side", "git checkout -q .", "git stash -q -u", "git stash -q; git stash drop -q", "git branch -q -D side",
		"git commit -q --amend -am other", "git reset -q --hard HEAD~1", "git clean -fdxq", "git add -A; git commit -qm three", "git rm -q --cached b",
		"git update-ref -d HEAD", "git config x.y z", "git checkout -q -b new", "git stash -q; git rebase -q side || true", "git tag t", "rm -f .git/index", "git gc -q",
		"git reflog expire --expire=now --all; git gc -q --prune=now", "rm -rf .git", "rm -rf .git; git init -q", "git repack -adq; git prune-packed", "git repack -adq --write-midx",
	} {
		t.Run(script, func(t *testing.T) {
			w := newWorld(t)
			w.sh("cp -a '" + made.dir + "/.' .")
			if n := len(objectsOf(t, w.dir)); n < 5 {
				t.Fatalf("%d objects", n)
			}
			status := w.git("status --porcelain; git stash list; git log --all --format=%H; git reflog; git diff; git diff --cached")
			before := w.tree()
			w.call(func() { w.sh(script) })
			out := w.undo(Selection{Last: 1}, nil)
			if len(out.Conflicts) > 0 {
				t.Errorf("conflicts: %+v", out.Conflicts)
			}
			same(t, withoutObjects(w.tree()), withoutObjects(before), "the tree")
			same(t, w.git("status --porcelain; git stash list; git log --all --format=%H; git reflog; git diff; git diff --cached"), status, "what git says")
			w.sh("git fsck --no-dangling 2>&1")
			w.undo(Selection{Last: 1, Redo: true}, nil)
			w.undo(Selection{Last: 1}, nil)
			same(t, withoutObjects(w.tree()), withoutObjects(before), "the tree after a redo and an undo")
			w.sh("git fsck --no-dangling 2>&1")
		})
	}
}

// TestGitElsewhere: the same where an ignore file names parts of the git directory, where that is above the workspace or beside
// it, and with files of git LFS.
func TestGitElsewhere(t *testing.T) {
	const setup = `git init -q -b main; echo 1 > a; mkdir sub; echo 1 > sub/b; git add .; git commit -qm one; echo 2 > sub/b; git commit -qam two; git branch side HEAD~1; `
	const stored = `s=$(printf 'a large file\n' | sha256sum | cut -d' ' -f1); a=$(printf %.2s $s); b=$(printf %.4s $s | cut -c3-); mkdir -p .git/lfs/objects/$a/$b; printf 'a large file\n' > .git/lfs/objects/$a/$b/$s`
	for _, row := range []struct {
		rule, setup string
		work, git   string // below the directory of the repository, or beside it
		scripts     []string
	}{
		{"an ignore file names git's directories", setup + "printf 'logs/\nrefs/\nindex\n' > .gitignore; echo 3 > a", ".", "",
			[]string{"git stash -q; git stash drop -q", "git branch -q -D side", "rm -rf .git", "git reset -q --hard HEAD~1"}},
		{"above the workspace", setup + "echo 3 > sub/b", "sub", ".git",
			[]string{"git stash -q; git stash drop -q", "git branch -q -D side", "git reset -q --hard HEAD~1", "git rm -q --cached b", "git reflog expire --expire=now --all; git gc -q --prune=now"}},
		{"a linked worktree", setup + "git worktree add -q ../linked side; echo 4 > ../linked/a", "../linked", ".git",
			[]string{"git stash -q; git stash drop -q", "git update-ref refs/heads/main side", "git commit -qam three", "git checkout -q --detach; git branch -q -D side", "git rm -q --cached a"}},
		{"files of git LFS", setup + stored, ".", "", []string{"rm -rf .git", "rm -rf .git/lfs", "rm -rf .git; git init -q"}},
	} {
		for _, script := range row.scripts {
			t.Run(row.rule+"/"+script, func(t *testing.T) {
				w := newWorld(t)
				top := w.dir
				w.sh(row.setup)
				must(t, w.s.Close())
				w.dir = filepath.Join(top, row.work)
				w.s = w.open(func(o *Options) {
					if o.MaxIgnored = -1; row.git != "" {
						o.Roots = append(o.Roots, filepath.Join(top, row.git))
					}
				})
				says := func() string {
					return w.git("status --porcelain .; git stash list; git log --all --format=%H; git reflog; git diff .; git diff --cached; find $(git rev-parse --git-common-dir)/lfs/objects 2>&1 || true")
				}
				before, files := says(), w.tree()
				w.call(func() { w.sh(script) })
				out := w.undo(Selection{Last: 1}, nil)
				if len(out.Conflicts)+len(out.Uncovered) > 0 {
					t.Errorf("%+v, %+v", out.Conflicts, out.Uncovered)
				}
				same(t, withoutObjects(w.tree()), withoutObjects(files), "the tree")
				same(t, says(), before, "what git says")
				w.sh("git fsck --no-dangling 2>&1")
				if left, _ := filepath.Glob(filepath.Join(top, ".git", "*.lock")); len(left) > 0 {
					t.Errorf("locks are left: %v", left)
				}
			})
		}
	}
}

// objectsOf lists git's loose objects.
func objectsOf(t *testing.T, dir string) []string {
	t.Helper()
	all, err := filepath.Glob(filepath.Join(dir, ".git/objects/??/*"))
	must(t, err)
	return all
}

// TestGitObjects: what a command removed permanently comes back, what it added stays, and a repository that a call made goes.
func TestGitObjects(t *testing.T) {
	w := newWorld(t)
	w.write(map[string]string{"a": "1"})
	before := w.tree()
	w.call(func() { w.sh("git init -q; git add .; git commit -qm one; echo 2 > a; git commit -qam two") })
	made := w.tree()
	all := objectsOf(t, w.dir)
	_, report := w.call(func() {
		w.sh("git reset -q --hard HEAD~1; git reflog expire --expire=now --all; git gc -q --prune=now")
	})
	if len(report.Uncovered) > 0 {
		t.Errorf("not covered: %v", report.Uncovered)
	}
	if n := len(objectsOf(t, w.dir)); n != 0 {
		t.Fatalf("%d objects are left", n)
	}
	w.s.Close()
	w.s = w.open() // another process
	w.undo(Selection{Last: 1}, nil)
	same(t, strings.Join(objectsOf(t, w.dir), "\n"), strings.Join(all, "\n"), "the objects")
	w.sh("git fsck --no-dangling --strict 2>&1; git show HEAD:a | grep -q 2")
	if out := w.undo(Selection{Last: 1}, nil); len(out.Conflicts)+len(out.Uncovered) > 0 {
		t.Errorf("%+v", out)
	}
	same(t, w.tree(), before, "before the repository was made")
	w.undo(Selection{Last: 1, Redo: true}, nil)
	w.sh("git fsck --no-dangling --strict 2>&1; git show HEAD:a | grep -q 2")
	same(t, withoutObjects(w.tree()), withoutObjects(made), "the repository is back")
	w.call(func() { w.sh("rm -rf .git") })
	if out := w.undo(Selection{Filter: Filter{Session: "s"}}, nil); len(out.Conflicts)+len(out.Uncovered) > 0 {
		t.Errorf("%+v", out)
	}
	same(t, w.tree(), before, "before a repository was made and removed")
}

// TestAnObjectThatWasWrittenIsNotPutBack: a program can write into the file of an object, which the store has a link to.
func TestAnObjectThatWasWrittenIsNotPutBack(t *testing.T) {
	w := newWorld(t)
	w.sh("git init -q; echo 1 > a; git add a; git commit -qm one")
	all := objectsOf(t, w.dir)
	w.call(func() {
		w.sh("chmod u+w " + all[0] + "; echo worse >> " + all[0] + "; echo bad > " + all[1] + " || { chmod u+w " + all[1] + "; echo bad > " + all[1] + "; }; rm -rf .git")
	})
	p, err := w.s.Plan(t.Context(), Selection{Last: 1})
	must(t, err)
	out, err := w.s.Apply(t.Context(), p, Call{}, nil)
	must(t, err)
	if len(out.Failed) != 1 || !strings.Contains(out.Failed[0].Err.Error(), "damaged") {
		t.Errorf("failed: %v", out.Failed)
	}
}

// TestObjectsOnAnotherFileSystemAreCopied has a store that cannot link.
func TestObjectsOnAnotherFileSystemAreCopied(t *testing.T) {
	w := newWorld(t)
	if other := t.TempDir(); deviceOf(t, other) == deviceOf(t, w.dir) {
		t.Skip("there is one file system only")
	} else {
		w.s.Close()
		w.home = filepath.Join(other, "store")
	}
	w.s = w.open()
	w.sh("git init -q; echo 1 > a; git add a; git commit -qm one")
	before := w.tree()
	_, report := w.call(func() { w.sh("rm -rf .git") })
	if len(report.Uncovered) > 0 {
		t.Errorf("not covered: %v", report.Uncovered)
	}
	w.undo(Selection{Last: 1}, nil)
	same(t, w.tree(), before, "the tree")
}

func deviceOf(t *testing.T, dir string) uint64 {
	t.Helper()
	d, err := openDirPath(dir)
	must(t, err)
	defer d.Close()
	st, err := d.Self()
	must(t, err)
	return st.Dev
}

// TestObjectsTakeRoomAndGo: what only the store has counts in its quota, and goes with the calls that removed it.
func TestObjectsTakeRoomAndGo(t *testing.T) {
	w := newWorld(t, func(o *Options) { o.Quota = 3 << 20; o.Age = time.Hour })
	w.sh("git init -q; head -c 1000000 /dev/urandom > big; git add big; git commit -qm one; rm big; git commit -qam none")
	w.call(func() { w.sh("rm -rf .git") })
	if n, err := w.s.size(); err != nil || n < 1_000_000 {
		t.Errorf("%d bytes, %v", n, err)
	}
	w.s.options.Age = -time.Hour
	must(t, os.WriteFile(filepath.Join(w.home, "old"), nil, 0o600))
	must(t, os.Chtimes(filepath.Join(w.home, "old"), time.Time{}, time.Now().Add(-2*oldFor)))
	for more := true; more; {
		var err error
		more, err = w.s.Tidy(t.Context())
		must(t, err)
	}
	left, err := os.ReadDir(filepath.Join(w.home, "objects"))
	if err != nil || len(left) > 0 || w.s.log.objects != 0 {
		t.Errorf("%d objects are left, %d bytes, %v", len(left), w.s.log.objects, err)
	}
}

// TestAClockThatJumps: what is too old goes when the clock has shown that for a day, so a clock that was wrong for hours loses
// nothing.
func TestAClockThatJumps(t *testing.T) {
	w := newWorld(t)
	for range 3 {
		w.call(func() { w.sh("date +%N > f") })
	}
	all, year := len(w.s.log.records), 365*24*time.Hour
	for _, row := range []struct {
		rule string
		now  time.Duration // from now
		want int
	}{
		{"nothing is old", 0, 0},
		{"the clock jumps a year ahead", year, 0},
		{"it is there for some hours", year + 5*time.Hour, 0},
		{"it is right again", time.Minute, 0},
		{"it jumps again", year, 0},
		{"and once more, back a little", year - time.Hour, 0},
		{"it is back for ten years", -10 * year, 0},
		{"it is a month later indeed", DefaultAge + time.Hour, 0},
		{"a day after that", DefaultAge + 26*time.Hour, all},
	} {
		if n := w.s.tooOld(time.Now().Add(row.now)); n != row.want {
			t.Errorf("%s: %d of %d records are too old", row.rule, n, all)
		}
	}
	w.s.log.records[0].Time = time.Now().Add(year) // recorded while the clock was wrong
	if n := w.s.tooOld(time.Now().Add(DefaultAge + 52*time.Hour)); n != 0 {
		t.Errorf("%d records behind one of the future are too old", n)
	}
	w.call(func() { w.sh("echo 3 > f") })
	w.undo(Selection{Last: 1}, nil)
}

// TestAPlanOfAMergeHasItsDiff, and a path may be a directory.
func TestAPlanOfAMergeHasItsDiff(t *testing.T) {
	w := newWorld(t)
	w.write(map[string]string{"d/a": "1\n2\n3\n4\n5\n", "d/b": "1\n", "da": "1\n"})
	w.call(func() { w.write(map[string]string{"d/a": "one\n2\n3\n4\n5\n", "d/b": "2\n", "da": "2\n"}) })
	w.write(map[string]string{"d/a": "one\n2\n3\n4\nfive\n"})
	p, err := w.s.Plan(t.Context(), Selection{Last: 1, Filter: Filter{Path: "d"}})
	must(t, err)
	if len(p.Changes) != 2 || !strings.Contains(p.Changes[0].Diff, "-one\n+1\n") || strings.Contains(p.Changes[0].Diff, "-five") {
		t.Fatalf("%+v", p.Changes)
	}
	_, err = w.s.Apply(t.Context(), p, Call{}, nil)
	must(t, err)
	for name, want := range map[string]string{"d/a": "1\n2\n3\n4\nfive\n", "d/b": "1\n", "da": "2\n"} {
		if text, _ := os.ReadFile(filepath.Join(w.dir, name)); string(text) != want {
			t.Errorf("%s is %q, want %q", name, text, want)
		}
	}
}

func (w *world) git(rest string) string {
	w.t.Helper()
	out := filepath.Join(w.home, "..", "out")
	w.sh("(git " + rest + ") > " + out)
	text, err := os.ReadFile(out)
	must(w.t, err)
	return string(text)
}

// withoutObjects leaves out git's objects, and the index, of which git refreshes the stats.
func withoutObjects(tree string) string {
	var kept []string
	for _, line := range strings.Split(tree, "\n") {
		if !strings.Contains(line, ".git/objects") {
			kept = append(kept, line)
		}
	}
	return strings.Join(kept, "\n")
}

// TestGitIsBusy: while a git command holds the index, nothing is restored there.
func TestGitIsBusy(t *testing.T) {
	w := newWorld(t)
	w.sh("git init -q; echo 1 > a; git add a; git commit -qm one; echo 2 > a")
	w.call(func() { w.sh("git reset -q --hard; git tag x") })
	w.write(map[string]string{".git/index.lock": ""})
	p, err := w.s.Plan(t.Context(), Selection{Last: 1})
	must(t, err)
	if _, err := w.s.Apply(t.Context(), p, Call{}, nil); !errors.Is(err, ErrGitBusy) {
		t.Errorf("got %v", err)
	}
	must(t, os.Remove(filepath.Join(w.dir, ".git/index.lock")))
	w.undo(Selection{Last: 1}, nil)
	if text, _ := os.ReadFile(filepath.Join(w.dir, "a")); string(text) != "2\n" {
		t.Errorf("a is %q", text)
	}
}

// TestAnUndoOfACallThatStillRunsSaysSo: what it changes afterwards is not in it.
func TestAnUndoOfACallThatStillRunsSaysSo(t *testing.T) {
	w := newWorld(t)
	running, err := w.s.Begin(t.Context(), Call{ID: "c", Tool: "bash", Title: "make dev", Session: "s"}, nil)
	must(t, err)
	w.write(map[string]string{"f": "1\n"})
	p, err := w.s.Plan(t.Context(), Selection{Last: 1})
	if err != nil || len(p.Running) != 1 || !strings.Contains(p.Running[0], "make dev still runs") {
		t.Errorf("%+v, %v", p, err)
	}
	_, err = running.End(t.Context())
	must(t, err)
	if p, err = w.s.Plan(t.Context(), Selection{Last: 1}); err != nil || len(p.Running) != 0 {
		t.Errorf("when it has ended: %+v, %v", p, err)
	}
}
