package harness

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"rein/redact"
)

// gitIn runs git as a user does.
func gitIn(t *testing.T, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", append([]string{"-c", "user.name=t", "-c", "user.email=t@t.test", "-c", "protocol.file.allow=always", "-c", "init.defaultBranch=main"}, args...)...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("git %v: %v %s", args, err, out)
	}
	return string(out)
}

// plainGit is a Git without a sandbox.
func plainGit(dir string) gitRunner {
	return func(ctx context.Context, input []byte, out io.Writer, args ...string) error {
		cmd := exec.CommandContext(ctx, "git", args...)
		cmd.Dir, cmd.Stdin, cmd.Stdout = dir, bytes.NewReader(input), out
		cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1")
		var errs bytes.Buffer
		cmd.Stderr = &errs
		if err := cmd.Run(); err != nil {
			return fmt.Errorf("%w: %s", err, errs.String())
		}
		return nil
	}
}

func secretRepository(t *testing.T) string {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	gitIn(t, dir, "init", "-q")
	write(t, filepath.Join(dir, "main.go"), "package main\n")
	commit(t, dir)
	return dir
}

func historyFinder(t *testing.T, dirs ...string) *secretFinder {
	t.Helper()
	f := &secretFinder{Dirs: dirs, Mask: redact.New(nil), Git: plainGit(dirs[0])}
	t.Cleanup(func() {
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	})
	return f
}

// waitUntilKnown waits until the history is known.
func waitUntilKnown(t *testing.T, f *secretFinder) {
	t.Helper()
	var err error
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		if err = f.History(t.Context(), nil); err == nil {
			return
		}
	}
	t.Fatal("the history is not known:", err)
}

// commit makes a commit of all files, also those that are ignored.
func commit(t *testing.T, dir string) {
	t.Helper()
	gitIn(t, dir, "add", "-f", ".")
	gitIn(t, dir, "commit", "-qm", "x")
}

// remove takes all files of secrets out of the work tree and of the newest commit.
func remove(t *testing.T, dir string, names ...string) {
	t.Helper()
	gitIn(t, dir, append([]string{"rm", "-rqf", "--"}, names...)...)
	gitIn(t, dir, "commit", "-qm", "no secrets")
}

// TestSecretsThatOnlyTheHistoryHolds has a row for each way in which a secret stays in a repository after its file is gone.
func TestSecretsThatOnlyTheHistoryHolds(t *testing.T) {
	const value = "gone-S3cret-0f-old"
	env := "DB_PASSWORD=" + value + "\n"
	for name, make := range map[string]func(t *testing.T, dir string){
		"a removed file": func(t *testing.T, dir string) {
			write(t, filepath.Join(dir, "a/b/.env"), env)
			commit(t, dir)
			remove(t, dir, "a")
		},
		"in packs": func(t *testing.T, dir string) {
			write(t, filepath.Join(dir, ".env"), env)
			commit(t, dir)
			remove(t, dir, ".env")
			gitIn(t, dir, "gc", "-q", "--prune=now")
		},
		"below a directory of secrets": func(t *testing.T, dir string) {
			write(t, filepath.Join(dir, "secrets/deep/er/db.txt"), "password "+value+"\n")
			commit(t, dir)
			remove(t, dir, "secrets")
		},
		"renamed": func(t *testing.T, dir string) {
			write(t, filepath.Join(dir, ".env"), env)
			commit(t, dir)
			gitIn(t, dir, "mv", ".env", "old.txt")
			gitIn(t, dir, "commit", "-qm", "y")
		},
		"another branch": func(t *testing.T, dir string) {
			gitIn(t, dir, "checkout", "-qb", "other")
			write(t, filepath.Join(dir, ".env"), env)
			commit(t, dir)
			gitIn(t, dir, "checkout", "-q", "main")
		},
		"a stash": func(t *testing.T, dir string) {
			write(t, filepath.Join(dir, ".env"), env)
			gitIn(t, dir, "stash", "-q", "--include-untracked")
		},
		"an amended commit": func(t *testing.T, dir string) {
			write(t, filepath.Join(dir, ".env"), env)
			commit(t, dir)
			gitIn(t, dir, "rm", "-qf", ".env")
			gitIn(t, dir, "commit", "-q", "--amend", "--allow-empty", "-m", "y")
			gitIn(t, dir, "reflog", "expire", "--expire=now", "--all")
		},
		"staged only": func(t *testing.T, dir string) {
			write(t, filepath.Join(dir, "x/.env"), env)
			gitIn(t, dir, "add", "-f", ".")
			if err := os.RemoveAll(filepath.Join(dir, "x")); err != nil {
				t.Fatal(err)
			}
		},
		"a nested repository": func(t *testing.T, dir string) {
			nested := filepath.Join(dir, "deep/nested")
			write(t, filepath.Join(nested, ".env"), env)
			gitIn(t, nested, "init", "-q")
			commit(t, nested)
			remove(t, nested, ".env")
		},
		"a bare repository": func(t *testing.T, dir string) {
			write(t, filepath.Join(dir, ".env"), env)
			commit(t, dir)
			gitIn(t, dir, "clone", "-q", "--bare", ".", "copy.git")
			gitIn(t, dir, "checkout", "-q", "--orphan", "new")
			gitIn(t, dir, "rm", "-rqf", ".")
			if err := os.Rename(filepath.Join(dir, ".git"), filepath.Join(t.TempDir(), "away")); err != nil {
				t.Fatal(err)
			}
		},
		"a linked worktree": func(t *testing.T, dir string) {
			gitIn(t, dir, "worktree", "add", "-q", "tree")
			write(t, filepath.Join(dir, "tree/.env"), env)
			gitIn(t, filepath.Join(dir, "tree"), "add", "-f", ".")
			if err := os.Remove(filepath.Join(dir, "tree/.env")); err != nil {
				t.Fatal(err)
			}
		},
		"objects of another repository": func(t *testing.T, dir string) {
			other := filepath.Join(t.TempDir(), "other")
			gitIn(t, dir, "clone", "-q", ".", other)
			write(t, filepath.Join(other, ".env"), env)
			commit(t, other)
			write(t, filepath.Join(dir, ".git/objects/info/alternates"), filepath.Join(other, ".git/objects")+"\n")
		},
		"a large file before it": func(t *testing.T, dir string) {
			write(t, filepath.Join(dir, "big.pem"), strings.Repeat("no key in here, only much text\n", 140_000))
			write(t, filepath.Join(dir, "z/.env"), env)
			commit(t, dir)
			remove(t, dir, "z", "big.pem")
		},
		"SHA-256": func(t *testing.T, dir string) {
			if err := os.RemoveAll(filepath.Join(dir, ".git")); err != nil {
				t.Fatal(err)
			}
			gitIn(t, dir, "init", "-q", "--object-format=sha256")
			write(t, filepath.Join(dir, ".env"), env)
			commit(t, dir)
			remove(t, dir, ".env")
		},
	} {
		t.Run("env-12 "+name, func(t *testing.T) {
			dir := secretRepository(t)
			make(t, dir)
			f := historyFinder(t, dir)
			waitUntilKnown(t, f)
			if shown := f.Mask.String("+DB_PASSWORD=" + value); strings.Contains(shown, value) {
				t.Error("it is shown:", shown)
			}
			if shown := f.Mask.String("package main"); shown != "package main" {
				t.Error("ordinary text is hidden:", shown)
			}
		})
	}
}

// What comes to a repository later is known when it is asked for again, also a repository that was not there.
func TestTheHistoryGrows(t *testing.T) {
	dir := secretRepository(t)
	f := historyFinder(t, dir)
	waitUntilKnown(t, f)
	write(t, filepath.Join(dir, ".env"), "TOKEN=first-t0ken-aa\n")
	commit(t, dir)
	remove(t, dir, ".env")
	waitUntilKnown(t, f)
	nested := filepath.Join(dir, "nested")
	write(t, filepath.Join(nested, ".env"), "TOKEN=second-t0ken-bb\n")
	gitIn(t, nested, "init", "-q")
	commit(t, nested)
	remove(t, nested, ".env")
	f.mu.Lock()
	f.took = time.Hour // the workspace is not searched again soon
	f.mu.Unlock()
	if err := f.History(t.Context(), []string{filepath.Join(nested, "sub")}); err != nil {
		waitUntilKnown(t, f)
	}
	for _, value := range []string{"first-t0ken-aa", "second-t0ken-bb"} {
		if shown := f.Mask.String(value); strings.Contains(shown, value) {
			t.Error("it is shown:", shown)
		}
	}
}

// Where the history is not known for certain there is an error, and what was left out is read the next time.
func TestAHistoryThatIsNotKnown(t *testing.T) {
	dir := secretRepository(t)
	write(t, filepath.Join(dir, ".env"), "TOKEN=late-t0ken-cc\n")
	commit(t, dir)
	remove(t, dir, ".env")
	f := historyFinder(t, dir)
	real := f.Git
	for call := range 3 { // each time it comes one step further
		n := 0
		f.Git = func(ctx context.Context, input []byte, out io.Writer, args ...string) error {
			if n++; n > call {
				return errors.New("it hangs")
			}
			return real(ctx, input, out, args...)
		}
		if err := f.History(t.Context(), nil); err == nil {
			t.Errorf("no error after %d runs", call)
		}
	}
	if shown := f.Mask.String("late-t0ken-cc"); shown != "late-t0ken-cc" {
		t.Error("the test tests nothing:", shown)
	}
	f.Git = real
	waitUntilKnown(t, f)
	if shown := f.Mask.String("late-t0ken-cc"); strings.Contains(shown, "late") {
		t.Error("it is shown:", shown)
	}
	var many strings.Builder
	for i := range redact.MaxValues {
		fmt.Fprintf(&many, "TOKEN_%d=many-t0ken-x%d\n", i, i)
	}
	write(t, filepath.Join(dir, ".env"), many.String())
	commit(t, dir)
	if err := os.WriteFile(filepath.Join(dir, ".env"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := f.History(t.Context(), nil); err == nil {
		t.Error("more values than are masked are no error")
	}
}

// TestGitComparesBesideClosedFiles: a file of secrets that git knows is closed in the sandbox, and hides no change of another file.
func TestGitComparesBesideClosedFiles(t *testing.T) {
	t.Setenv("REIN_HOME", t.TempDir())
	dir := secretRepository(t)
	write(t, filepath.Join(dir, ".env"), "KEY=one\n")
	write(t, filepath.Join(dir, "sub/.env"), "KEY=two\n")
	commit(t, dir)
	write(t, filepath.Join(dir, "main.go"), "package other\n")
	h, err := Open(t.Context(), Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close(t.Context())
	s, err := h.Start(t.Context(), NewSession{NoModel: true})
	if err != nil {
		t.Fatal(err)
	}
	needsIsolation(t, s)
	out, err := h.GitChanges(t.Context(), "", false)
	var all []string
	for _, f := range out.Files {
		all = append(all, f.What+" "+f.Path)
	}
	if got := strings.Join(all, ", "); err != nil || got != "changed main.go, closed .env, closed sub/.env" {
		t.Errorf("%s, %v", got, err)
	}
	if text := callText(t, s, "1", "git_diff", `{}`); !strings.Contains(text, "+package other") || strings.Contains(text, "KEY") {
		t.Errorf("the model reads %s", text)
	}
}
