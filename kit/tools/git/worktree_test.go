package git

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"rein/kit/sandbox"
)

// place is a workspace with files, and the copies of it.
type place struct {
	t     *testing.T
	dir   string
	trees *Worktrees
	view  *sandbox.Box
}

func newPlace(t *testing.T, repository bool) *place {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	p := &place{t: t, dir: filepath.Join(dir, "work")}
	private := filepath.Join(dir, "private")
	box := func(write string, read []string) (*sandbox.Box, error) {
		return sandbox.New(sandbox.Policy{Workspace: write, Readable: read, Private: private, Home: dir}) // all of it lies in the home directory, which programs do not see
	}
	p.write("a.txt", "one\ntwo\nthree\n")
	p.write("sub/b.txt", "b\n")
	p.write(".gitignore", "*.o\n")
	if repository {
		p.git("init", "-q")
		p.git("add", "-A")
		p.git("commit", "-q", "-m", "first")
	}
	p.view, err = box(p.dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.view.Close() })
	p.trees = &Worktrees{Dir: filepath.Join(dir, "copies"), Box: box, Secret: func(name string) bool { return filepath.Base(name) == ".env" }}
	return p
}

func (p *place) write(name, text string) { writeWorktree(p.t, filepath.Join(p.dir, name), text) }

func writeWorktree(t *testing.T, file, text string) {
	t.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o700), os.WriteFile(file, []byte(text), 0o600)); err != nil {
		t.Fatal(err)
	}
}

func (p *place) git(args ...string) string { return gitIn(p.t, p.dir, args...) }

func gitIn(t *testing.T, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", append([]string{"-C", dir, "-c", "user.name=a", "-c", "user.email=a@b"}, args...)...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return string(out)
}

func (p *place) open(id string) *Worktree {
	p.t.Helper()
	tree, err := p.trees.Open(p.t.Context(), WorktreeOf{ID: id, Session: "s", Source: p.dir, Name: "maker"}, p.view)
	if err != nil {
		p.t.Fatal(err)
	}
	return tree
}

// listing returns the files of a directory with their texts.
func listing(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(dir, func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			if e != nil && e.Name() == ".git" {
				return fs.SkipDir
			}
			return err
		}
		text, err := os.ReadFile(name)
		rel, _ := filepath.Rel(dir, name)
		all[filepath.ToSlash(rel)] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func shown(c *WorktreeChanges) (all []string) {
	for _, f := range c.Files {
		from, to := "none", "none"
		if f.Base != nil {
			from = fmt.Sprintf("%q", f.Base)
		}
		if f.Data != nil {
			to = fmt.Sprintf("%q", f.Data)
		}
		all = append(all, f.Path+" "+from+" "+to)
	}
	return all
}

func TestACopyHasTheFilesAsTheyAreAndTheHistory(t *testing.T) {
	p := newPlace(t, true)
	p.write("a.txt", "one\nchanged\nthree\n") // not committed
	p.write("new.txt", "new\n")
	p.write("made.o", "ignored")
	p.write(".env", "KEY=secret")
	p.write("crlf.txt", "x\r\ny\r\n")
	p.write(".gitattributes", "*.txt text eol=lf\n")
	if err := os.Symlink("a.txt", filepath.Join(p.dir, "link")); err != nil {
		t.Fatal(err)
	}
	before := p.git("status", "--porcelain") + p.git("rev-parse", "HEAD")
	tree := p.open("c1")
	got := listing(t, tree.Root())
	want := listing(t, p.dir)
	delete(want, "made.o")
	delete(want, ".env")
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("the copy has\n%q\nthe workspace\n%q", got, want)
	}
	if target, err := os.Readlink(filepath.Join(tree.Root(), "link")); err != nil || target != "a.txt" {
		t.Errorf("link: %s, %v", target, err)
	}
	if log := gitIn(t, tree.Root(), "log", "--format=%s"); log != "The workspace as the sub-agent found it\nfirst\n" {
		t.Errorf("log: %q", log)
	}
	if status := gitIn(t, tree.Root(), "-c", "core.attributesFile=/dev/null", "diff", "--stat"); strings.Contains(status, "a.txt") {
		t.Errorf("the copy begins with changes: %s", status)
	}
	if after := p.git("status", "--porcelain") + p.git("rev-parse", "HEAD"); after != before {
		t.Errorf("the original changed:\n%s\n%s", before, after)
	}
	if out := p.git("worktree", "list"); strings.Count(out, "\n") != 1 {
		t.Errorf("the original knows of the copy: %s", out)
	}
}

func TestWorktreeChanges(t *testing.T) {
	for name, repository := range map[string]bool{"repository": true, "directory": false} {
		t.Run(name, func(t *testing.T) {
			p := newPlace(t, repository)
			p.write("a.txt", "one\nlocal\nthree\n")
			tree := p.open("c1")
			root := tree.Root()
			if _, err := tree.Changes(t.Context()); !errors.Is(err, ErrWorktreeBusy) {
				t.Errorf("while it works: %v", err)
			}
			writeWorktree(t, filepath.Join(root, "a.txt"), "one\nlocal\nthree\nfour\n")
			writeWorktree(t, filepath.Join(root, "empty"), "")
			writeWorktree(t, filepath.Join(root, "x.o"), "ignored")
			writeWorktree(t, filepath.Join(root, ".env"), "KEY=1")
			if err := errors.Join(os.Remove(filepath.Join(root, "sub/b.txt")), os.Symlink("/etc/passwd", filepath.Join(root, "l"))); err != nil {
				t.Fatal(err)
			}
			if repository { // what the sub-agent does to its repository hides nothing
				gitIn(t, root, "add", "-A")
				gitIn(t, root, "commit", "-q", "-m", "mine")
				gitIn(t, root, "config", "core.fsmonitor", "touch "+filepath.Join(p.dir, "hacked"))
				gitIn(t, root, "config", "filter.x.clean", "touch "+filepath.Join(p.dir, "hacked"))
				writeWorktree(t, filepath.Join(root, ".gitattributes"), "* filter=x\n")
			}
			c, err := tree.Release(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			want := []string{`a.txt "one\nlocal\nthree\n" "one\nlocal\nthree\nfour\n"`, `empty none ""`, `sub/b.txt "b\n" none`}
			if repository {
				want = append([]string{`.gitattributes none "* filter=x\n"`}, want...)
			}
			if got := shown(c); !slices.Equal(got, want) {
				t.Errorf("changes\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
			}
			if left := strings.Join(c.Left, "; "); left != "l: it is a link or a repository" {
				t.Errorf("left: %s", left)
			}
			if _, err := os.Stat(filepath.Join(p.dir, "hacked")); err == nil {
				t.Error("git ran a program that the sub-agent named")
			}
			again, err := p.trees.Find("s", p.dir, "maker")
			if err != nil || again.Root() != root {
				t.Errorf("found %v, %v", again, err)
			}
			if _, err := p.trees.Find("other", p.dir, "c1"); !errors.Is(err, ErrNoWorktree) {
				t.Errorf("another session finds it: %v", err)
			}
		})
	}
}

func TestNamesInAListOfChanges(t *testing.T) {
	c := WorktreeChanges{Files: []WorktreeFile{{Path: "a\ndeleted b", Data: []byte("x")}, {Path: "c"}}}
	if got := c.String(); got != `created "a\ndeleted b"`+"\ncreated c" {
		t.Error(got)
	}
}

func TestNothingIsLeftBehind(t *testing.T) {
	p := newPlace(t, true)
	unchanged := p.open("unchanged")
	if c, err := unchanged.Release(t.Context()); err != nil || len(c.Files) > 0 {
		t.Errorf("%v, %v", c, err)
	}
	changed := p.open("changed")
	writeWorktree(t, filepath.Join(changed.Root(), "a.txt"), "changed")
	kept := p.open("kept")
	half := filepath.Join(p.trees.Dir, "half") // a crash ended its making
	writeWorktree(t, filepath.Join(half, filesDir, "x"), "")
	if err := errors.Join(os.Chmod(filepath.Join(half, filesDir), 0o500), os.Chtimes(half, time.Time{}, time.Now().Add(-2*unfinished))); err != nil {
		t.Fatal(err)
	}
	again := &Worktrees{Dir: p.trees.Dir, Box: p.trees.Box, Keep: func(a WorktreeOf) bool { return a.ID == "kept" }} // another process
	if _, err := again.Open(t.Context(), WorktreeOf{ID: "next", Session: "s", Source: p.dir}, p.view); err != nil {
		t.Fatal(err)
	}
	crashed := p.open("crashed")
	third := &Worktrees{Dir: p.trees.Dir, Box: p.trees.Box, Keep: again.Keep}
	if _, err := third.Open(t.Context(), WorktreeOf{ID: "last", Session: "s", Source: p.dir}, p.view); err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(p.trees.ids(), " "); got != "changed kept last" {
		t.Errorf("left: %s", got)
	}
	_, _ = kept, crashed
}

func TestAnUnfinishedCopyIsMadeAgainAndAFinishedOneGoesOn(t *testing.T) {
	p := newPlace(t, true)
	writeWorktree(t, filepath.Join(p.trees.Dir, "c1", filesDir, "rest"), "of a crash")
	tree := p.open("c1")
	if got := listing(t, tree.Root()); got["rest"] != "" || got["a.txt"] == "" {
		t.Errorf("made again: %v", got)
	}
	writeWorktree(t, filepath.Join(tree.Root(), "a.txt"), "work")
	if got := listing(t, p.open("c1").Root()); got["a.txt"] != "work" {
		t.Errorf("the work is lost: %v", got)
	}
}

func TestALimitOfTheSize(t *testing.T) {
	p := newPlace(t, true)
	p.trees.Most = 10
	_, err := p.trees.Open(t.Context(), WorktreeOf{ID: "c1", Session: "s", Source: p.dir}, p.view)
	if err == nil || !strings.Contains(err.Error(), "agents.copyBytes") || len(p.trees.ids()) > 0 {
		t.Errorf("%v, left %v", err, p.trees.ids())
	}
}

func TestAWorkspaceBelowTheRepository(t *testing.T) {
	p := newPlace(t, true)
	p.write("other/c.txt", "c\n")
	sub := filepath.Join(p.dir, "sub")
	tree, err := p.trees.Open(t.Context(), WorktreeOf{ID: "c1", Session: "s", Source: sub}, p.view)
	if err != nil {
		t.Fatal(err)
	}
	if got := listing(t, tree.Root()); got["b.txt"] != "b\n" || filepath.Base(tree.Root()) != "sub" {
		t.Errorf("%s: %v", tree.Root(), got)
	}
	writeWorktree(t, filepath.Join(tree.Root(), "b.txt"), "changed")
	writeWorktree(t, filepath.Join(tree.Root(), "../other/c.txt"), "changed")
	c, err := tree.Release(t.Context())
	if err != nil || len(c.Files) != 1 || c.Files[0].Path != "b.txt" || len(c.Left) != 1 {
		t.Errorf("%v, %v", c, err)
	}
}
