package eval

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"rein/app/harness"
	"rein/internal/plainfile"
	"rein/kit/workspace"
	"rein/tool"
)

// copyTo makes the workspace: a copy of the directory, with the files over it. A commit comes later: see Git.checkout.
func (w *Workspace) copyTo(base, dir string) error {
	if err := os.Mkdir(dir, 0o700); err != nil {
		return err
	}
	if w.Dir != "" {
		from := filepath.Join(base, w.Dir)
		if info, err := os.Stat(from); err != nil || !info.IsDir() {
			return fmt.Errorf("%s is no directory", from)
		}
		if err := os.CopyFS(dir, os.DirFS(from)); err != nil {
			return err
		}
	}
	if w.Git != nil { // git wants an empty directory
		return nil
	}
	ws, err := workspace.Open(dir)
	if err != nil {
		return err
	}
	defer ws.Close()
	return writeAll(ws, w.Files)
}

// writeAll writes files into the workspace. A text that begins with "#!" is a program.
func writeAll(ws *workspace.Workspace, files Files) error {
	for _, name := range files.names() {
		if err := ws.WriteFile(name, files[name]); err != nil {
			return err
		}
		if strings.HasPrefix(string(files[name]), "#!") {
			if err := ws.MakeExecutable(name); err != nil {
				return err
			}
		}
	}
	return nil
}

// copyTo copies the repository into the empty workspace, and returns the command that checks the commit out. What belongs to the clone of the
// user stays behind: its settings with addresses and keys, its hooks. Branches and tags go, so that nothing names what came later.
func (g *Git) copyTo(base, dir string) (command string, err error) {
	repo, ref := filepath.Join(base, g.Repo), g.Ref
	if ref == "" {
		ref = "HEAD"
	}
	checkout := fmt.Sprintf("git checkout -q -f --detach %s && git for-each-ref --format='delete %%(refname)' | git update-ref --stdin && rm -rf .git/logs && git checkout -q -b work", quoted(ref))
	if info, err := os.Stat(repo); err != nil {
		return "", err
	} else if info.Mode().IsRegular() {
		bundle, err := plainfile.ReadNamed(repo)
		if err != nil {
			return "", err
		}
		return "git clone -q --no-checkout .eval-bundle .eval-clone && mv .eval-clone/.git . && rm -r .eval-bundle .eval-clone && git remote remove origin && " + checkout,
			os.WriteFile(filepath.Join(dir, ".eval-bundle"), bundle, 0o600)
	}
	if info, err := os.Stat(filepath.Join(repo, ".git")); err == nil && info.IsDir() {
		repo = filepath.Join(repo, ".git")
	}
	if _, err := os.Stat(filepath.Join(repo, "HEAD")); err != nil {
		return "", fmt.Errorf("%s is no repository: %w", repo, err)
	}
	err = os.CopyFS(filepath.Join(dir, ".git"), os.DirFS(repo))
	for _, part := range []string{"config", "hooks", "index", "worktrees", "modules", "info"} {
		err = errors.Join(err, os.RemoveAll(filepath.Join(dir, ".git", part)))
	}
	return checkout, err
}

func quoted(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }

// shell runs a command in the sandbox of the workspace, in the mode full, and returns its output and its exit code. The output is a part
// when it is long.
func (t *trial) shell(ctx context.Context, command string) (output string, code int, err error) {
	if t.aside == nil {
		if t.aside, err = t.h.Start(ctx, harness.NewSession{NoModel: true, Mode: "full", Quiet: true, Ephemeral: true}); err != nil {
			return "", 0, err
		}
		t.person.approveAll(t.aside.ID())
	}
	args, err := json.Marshal(map[string]any{"command": command, "timeout": 600})
	if err != nil {
		return "", 0, err
	}
	results, err := t.aside.Call(ctx, []tool.Call{{ID: fmt.Sprint("eval-", t.run.ids.Add(1)), Name: "bash", Args: args}}, nil)
	if err != nil {
		return "", 0, err
	}
	d := tool.ParseDetail(results[0].Detail).Command
	if d == nil {
		return "", 0, fmt.Errorf("the command %q did not run: %s", firstOf(command), results[0].Text)
	}
	return exitLine().ReplaceAllString(results[0].Text, ""), d.ExitCode, nil
}

// exitLine matches what the tool adds to the output.
var exitLine = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?:^|\n)\[exit code [^\]\n]*\]\s*$`) })

// mustRun runs a command that has to succeed.
func (t *trial) mustRun(ctx context.Context, command string) error {
	output, code, err := t.shell(ctx, command)
	if err == nil && code != 0 {
		err = fmt.Errorf("the command %q fails: %s", firstOf(command), short(output))
	}
	return err
}

// sums returns the sum of each file below a directory, by its path with slashes, without what git keeps. Links are not followed.
func sums(dir string) (map[string]string, error) {
	in, err := plainfile.OpenIn(dir)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	all := map[string]string{}
	err = fs.WalkDir(in.FS(), ".", func(name string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case e.IsDir() && e.Name() == ".git":
			return fs.SkipDir
		case !e.Type().IsRegular():
			if !e.IsDir() {
				all[name] = e.Type().String()
			}
			return nil
		}
		data, err := in.Read(name)
		if err != nil {
			all[name] = err.Error() // it cannot be read, before and after
			return nil
		}
		all[name] = fmt.Sprintf("%x", sha256.Sum256(data))
		return nil
	})
	return all, err
}

// changes are the files that differ, sorted.
func changes(before, after map[string]string) (names []string) {
	for name, sum := range after {
		if before[name] != sum {
			names = append(names, name)
		}
	}
	for name := range before {
		if _, ok := after[name]; !ok {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// matchesAny reports whether a path fits one of the patterns: as path.Match has them, of the whole path or of a directory above it.
func matchesAny(patterns []string, name string) bool {
	for _, p := range patterns {
		for at := name; at != "."; at = path.Dir(at) {
			if ok, err := path.Match(p, at); err == nil && ok {
				return true
			}
		}
	}
	return false
}

// removeAll removes a directory in which a program may have taken away its own rights.
func removeAll(dir string) error {
	err := os.RemoveAll(dir)
	if err == nil {
		return nil
	}
	_ = filepath.WalkDir(dir, func(name string, e fs.DirEntry, _ error) error {
		if e != nil && e.IsDir() {
			_ = os.Chmod(name, 0o700) // the next removal says what cannot be removed
		}
		return nil
	})
	return os.RemoveAll(dir)
}

// slug is the name of a case as the name of a directory.
func slug(name string) string {
	var b strings.Builder
	for _, r := range strings.ToLower(name) {
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9':
			b.WriteRune(r)
		case b.Len() > 0 && !strings.HasSuffix(b.String(), "-"):
			b.WriteByte('-')
		}
	}
	sum := sha256.Sum256([]byte(name))
	return fmt.Sprintf("%.60s-%x", strings.Trim(b.String(), "-"), sum[:3])
}
