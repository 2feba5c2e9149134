package git

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"rein/internal/plainfile"
	"rein/kit/sandbox"
)

// unfinished is how old a copy without its record must be before it is removed: another process may be making it.
const unfinished = time.Hour

func old(info fs.FileInfo) bool { return time.Since(info.ModTime()) > unfinished }

// raw makes git keep the bytes of files, whatever .gitattributes say.
const raw = "* -text -filter -ident !eol !working-tree-encoding\n"

// make makes a copy. What is left of an unfinished one of the same sub-agent is removed.
func (t *Worktrees) make(ctx context.Context, about WorktreeOf, view sandbox.Sandbox) (made *Worktree, err error) {
	tree := &Worktree{WorktreeOf: about, trees: t, dir: filepath.Join(t.Dir, about.ID)}
	if err := errors.Join(sandbox.RemoveAll(tree.dir), os.MkdirAll(filepath.Join(tree.dir, filesDir), 0o700)); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, tree.Remove())
		}
	}()
	from, err := original(ctx, view, about.Source)
	if err != nil {
		return nil, err
	}
	tree.Prefix = from.prefix
	if from.objects != "" {
		tree.Reads = []string{from.objects}
	}
	if err := tree.fill(ctx, from); err != nil {
		return nil, fmt.Errorf("the workspace could not be copied: %w", err)
	}
	text, err := json.Marshal(tree.WorktreeOf)
	if err != nil {
		return nil, err
	}
	return tree, plainfile.Replace(filepath.Join(tree.dir, aboutFile), text)
}

// source is what is copied.
type source struct {
	top     string // the work tree
	prefix  string // of the workspace in it
	objects string // of the repository; "": there is none
	head    string // the commit; "": none
}

// original finds the repository of a directory, as programs of the session see it.
func original(ctx context.Context, view sandbox.Sandbox, dir string) (source, error) {
	none := source{top: dir}
	git := gitDir{box: view, dir: dir}
	out, err := git.run(ctx, nil, "rev-parse", "--is-inside-work-tree", "--show-toplevel", "--show-prefix", "--git-path", "objects")
	if _, failed := errors.AsType[*gitFailure](err); failed {
		return none, nil // no repository, or one that the session does not see
	}
	lines := strings.Split(strings.TrimSuffix(string(out), "\n"), "\n")
	if err != nil || len(lines) != 4 || lines[0] != "true" {
		return none, err
	}
	from := source{top: filepath.FromSlash(lines[1]), prefix: path.Clean(lines[2]), objects: filepath.FromSlash(lines[3])}
	if from.prefix == "." {
		from.top, from.prefix = dir, ""
	}
	if !filepath.IsAbs(from.objects) {
		from.objects = filepath.Join(dir, from.objects)
	}
	out, err = git.run(ctx, nil, "rev-parse", "--quiet", "--verify", "HEAD^{commit}")
	if _, failed := errors.AsType[*gitFailure](err); failed {
		return from, nil // no commit yet
	}
	from.head = strings.TrimSpace(string(out))
	return from, err
}

// fill makes our repository of the copy, the files, and the sub-agent's repository.
func (t *Worktree) fill(ctx context.Context, from source) error {
	base, files := filepath.Join(t.dir, baseDir), filepath.Join(t.dir, filesDir)
	box, err := t.trees.Box(t.dir, append([]string{from.top}, t.Reads...))
	if err != nil {
		return err
	}
	defer box.Close()
	outside := gitDir{box: box, dir: t.dir}
	if _, err := outside.run(ctx, nil, "init", "--quiet", "--bare", "--template=", base); err != nil {
		return err
	}
	if err := errors.Join(writeBelow(base, "info/attributes", raw), writeBelow(base, "objects/info/alternates", t.alternates())); err != nil {
		return err
	}
	there := gitDir{box: box, dir: from.top, repository: base, tree: from.top}
	if from.head != "" {
		if _, err := there.run(ctx, nil, "read-tree", from.head); err != nil {
			return err
		}
	}
	if err := t.index(ctx, there, t.trees.most()); err != nil {
		return err
	}
	out, err := there.run(ctx, nil, "write-tree")
	if err != nil {
		return err
	}
	t.Base = strings.TrimSpace(string(out))
	here := gitDir{box: box, dir: files, repository: base, tree: files}
	if _, err := here.run(ctx, nil, "checkout-index", "--all", "--force", "--quiet"); err != nil {
		return err
	}
	if err := os.MkdirAll(t.Root(), 0o700); err != nil || from.objects == "" {
		return err
	}
	return t.history(ctx, box, from)
}

// history makes the sub-agent's repository: its first commit is the copy as it began, on top of that of the original.
func (t *Worktree) history(ctx context.Context, box sandbox.Sandbox, from source) error {
	base, files := filepath.Join(t.dir, baseDir), filepath.Join(t.dir, filesDir)
	own := gitDir{box: box, dir: files}
	if _, err := own.run(ctx, nil, "init", "--quiet", "--template=", "--initial-branch=sub-agent", files); err != nil {
		return err
	}
	if err := writeBelow(filepath.Join(files, ".git"), "objects/info/alternates", filepath.Join(base, "objects")+"\n"+t.alternates()); err != nil {
		return err
	}
	args := []string{"commit-tree", t.Base, "-m", "The workspace as the sub-agent found it"}
	if from.head != "" {
		args = append(args, "-p", from.head)
	}
	out, err := own.run(ctx, nil, args...)
	if err != nil {
		return err
	}
	if _, err := own.run(ctx, nil, "update-ref", "refs/heads/sub-agent", strings.TrimSpace(string(out))); err != nil {
		return err
	}
	_, err = own.run(ctx, nil, "reset", "--quiet")
	return err
}

func (t *Worktree) alternates() string {
	var b strings.Builder
	for _, dir := range t.Reads {
		b.WriteString(dir + "\n")
	}
	return b.String()
}

func (t *Worktrees) most() int64 {
	if t.Most > 0 {
		return t.Most
	}
	return defaultMostBytes
}

// index takes the files of a work tree into the index: those that git knows, and those that it does not ignore.
func (t *Worktree) index(ctx context.Context, g gitDir, most int64) error {
	out, err := g.run(ctx, nil, "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--deduplicate")
	if err != nil {
		return err
	}
	var names bytes.Buffer
	var size int64
	for name := range strings.SplitSeq(string(out), "\x00") {
		if name == "" || strings.HasSuffix(name, "/") || t.trees.secret(name) { // a repository inside of this one
			continue
		}
		info, err := os.Lstat(filepath.Join(g.tree, filepath.FromSlash(name)))
		switch {
		case err != nil: // it was removed
		case info.Mode().IsRegular():
			size += info.Size()
		case info.Mode()&fs.ModeSymlink == 0:
			continue // a directory, a pipe
		}
		if size > most {
			return fmt.Errorf("its files have more than %d bytes, the limit agents.copyBytes", most)
		}
		names.WriteString(name + "\x00")
	}
	_, err = g.run(ctx, names.Bytes(), "update-index", "-z", "--add", "--remove", "--replace", "--stdin")
	return err
}

func (t *Worktrees) secret(name string) bool { return t.Secret != nil && t.Secret(name) }

// writeBelow writes a file of a repository of ours.
func writeBelow(dir, name, text string) error {
	if text == "" {
		return nil
	}
	return plainfile.Replace(filepath.Join(dir, filepath.FromSlash(name)), []byte(text))
}
