package git

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"rein/kit/workspace"
)

// WorktreeFile is a file that was changed in a copy.
type WorktreeFile struct {
	Path       string // relative to the workspace, with slashes
	Base, Data []byte // when the copy was made, and now; nil: there is no file
	Executable bool   // it became executable
}

// WorktreeChanges are what was changed in a copy since it was made.
type WorktreeChanges struct {
	Files []WorktreeFile
	Left  []string // what cannot be taken over, with the reason
}

// ErrWorktreeBusy means that the sub-agent of a copy is at work.
var ErrWorktreeBusy = errors.New("the sub-agent is still working")

// WorktreeChanges finds out what was changed in the copy. It changes nothing there.
func (t *Worktree) Changes(ctx context.Context) (*WorktreeChanges, error) {
	if t.trees.working(t.ID) {
		return nil, ErrWorktreeBusy
	}
	box, err := t.trees.Box(t.dir, t.Reads)
	if err != nil {
		return nil, err
	}
	defer box.Close()
	base, tree := filepath.Join(t.dir, baseDir), filepath.Join(t.dir, filesDir)
	g := gitDir{box: box, dir: tree, repository: base, tree: tree}
	if err := t.index(ctx, g, t.trees.most()); err != nil {
		return nil, err
	}
	out, err := g.run(ctx, nil, "diff-index", "--cached", "--raw", "-z", "--no-renames", "--full-index", t.Base)
	if err != nil {
		return nil, err
	}
	return t.read(ctx, g, string(out))
}

// entry is one line of git's raw diff.
type entry struct {
	name     string
	from, to string // modes
	old, new string // objects
}

// read reads the contents of what git lists as changed.
func (t *Worktree) read(ctx context.Context, g gitDir, raw string) (*WorktreeChanges, error) {
	c := &WorktreeChanges{}
	var entries []entry
	fields := strings.Split(raw, "\x00")
	for i := 0; i+1 < len(fields); i += 2 {
		f := strings.Fields(strings.TrimPrefix(fields[i], ":"))
		if len(f) != 5 {
			return nil, fmt.Errorf("git printed %q", fields[i])
		}
		e := entry{name: fields[i+1], from: f[0], to: f[1], old: f[2], new: f[3]}
		name, inside := e.name, true
		if t.Prefix != "" {
			name, inside = strings.CutPrefix(e.name, t.Prefix+"/")
		}
		e.name = name
		switch {
		case !inside:
			c.Left = append(c.Left, workspace.Listed(e.name)+": it is outside of the workspace")
		case t.trees.secret(e.name):
			c.Left = append(c.Left, workspace.Listed(e.name)+": its name says that it holds secrets")
		case !isPlainMode(e.from) || !isPlainMode(e.to):
			c.Left = append(c.Left, workspace.Listed(e.name)+": it is a link or a repository")
		case e.old == e.new && e.to != executable:
			c.Left = append(c.Left, workspace.Listed(e.name)+": it is not executable any more")
		default:
			entries = append(entries, e)
		}
	}
	return c, c.load(ctx, g, entries)
}

// isPlainMode reports whether a mode is that of a regular file, or of none.
func isPlainMode(mode string) bool {
	return mode == missing || mode == "100644" || mode == executable
}

// Modes of git.
const (
	missing    = "000000"
	executable = "100755"
)

// load reads the objects of the entries.
func (c *WorktreeChanges) load(ctx context.Context, g gitDir, entries []entry) error {
	var ask bytes.Buffer
	for _, e := range entries {
		if e.from != missing {
			ask.WriteString(e.old + "\n")
		}
		if e.to != missing {
			ask.WriteString(e.new + "\n")
		}
	}
	if ask.Len() == 0 {
		return nil
	}
	out, err := g.run(ctx, ask.Bytes(), "cat-file", "--batch")
	if err != nil {
		return err
	}
	next := func(id string) ([]byte, error) {
		head, rest, _ := bytes.Cut(out, []byte("\n"))
		f := strings.Fields(string(head))
		if len(f) != 3 || f[0] != id || f[1] != "blob" {
			return nil, fmt.Errorf("git printed %q for the object %s", head, id)
		}
		size, err := strconv.Atoi(f[2])
		if err != nil || size < 0 || size >= len(rest) {
			return nil, fmt.Errorf("the object %s is not whole", id)
		}
		out = rest[size+1:]
		return rest[:size:size], nil
	}
	for _, e := range entries {
		f := WorktreeFile{Path: e.name, Executable: e.to == executable && e.from != executable}
		if e.from != missing {
			if f.Base, err = next(e.old); err != nil {
				return err
			}
		}
		if e.to != missing {
			if f.Data, err = next(e.new); err != nil {
				return err
			}
		}
		c.Files = append(c.Files, f)
	}
	return nil
}

// mostListed is how many files String lists.
const mostListed = 50

// String lists the files, a line for each.
func (c *WorktreeChanges) String() string {
	var lines []string
	for _, f := range c.Files {
		switch {
		case f.Base == nil:
			lines = append(lines, "created "+workspace.Listed(f.Path))
		case f.Data == nil:
			lines = append(lines, "deleted "+workspace.Listed(f.Path))
		case f.Executable && bytes.Equal(f.Base, f.Data):
			lines = append(lines, "made executable "+workspace.Listed(f.Path))
		default:
			lines = append(lines, "changed "+workspace.Listed(f.Path))
		}
	}
	for _, left := range c.Left {
		lines = append(lines, "cannot be merged: "+left)
	}
	if more := len(lines) - mostListed; more > 0 {
		lines = append(lines[:mostListed], fmt.Sprintf("and %d more", more))
	}
	return strings.Join(lines, "\n")
}
