package undo

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
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
		{"no text", "a\x00b", "a\x00c", "a\x00d", "a\x00d", "a\x00b", "no text"},
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
	for _, script := range []string{
		"git reset -q --hard", "git checkout -q -f side", "git checkout -q .", "git stash -q -u", "git stash -q; git stash drop -q", "git branch -q -D side",
		"git commit -q --amend -am other", "git reset -q --hard HEAD~1", "git clean -fdxq", "git add -A; git commit -qm three", "git rm -q --cached b",
		"git update-ref -d HEAD", "git config x.y z", "git checkout -q -b new", "git stash -q; git rebase -q side || true", "git tag t", "rm -f .git/index", "git gc -q",
	} {
		t.Run(script, func(t *testing.T) {
			w := newWorld(t)
			w.sh(setup)
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
		})
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
