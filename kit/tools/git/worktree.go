package git

// The files worktree_… make copies of a workspace in which sub-agents work, and find out what they changed there.
//
// A copy has the files of the workspace as they are, with changes that are not committed, and without what git ignores. Where the
// workspace is in a git repository the copy has a repository of its own with the same history: nothing is written into the
// original. How the copy began is kept beside it, where the programs of the sub-agent cannot change it. Git runs in a sandbox,
// with settings of our own.

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"rein/internal/plainfile"
	"rein/kit/sandbox"
)

// defaultMostBytes is how many bytes the files of a copy may have when Trees.Most is 0.
const defaultMostBytes = 1 << 30

// Worktrees are the copies of all workspaces. Its methods may be called at once from several goroutines.
type Worktrees struct {
	// Dir is where the copies are, each in a directory of its own: outside of every workspace.
	Dir string
	// Box makes a sandbox whose programs may write one directory and read others.
	Box func(write string, read []string) (*sandbox.Box, error)
	// Secret reports whether the name of a file says that it holds secrets: then it is neither copied nor taken back. Nil: none does.
	Secret func(path string) bool
	// Keep reports whether a copy in which nothing was changed is still needed. Nil: none is.
	Keep func(WorktreeOf) bool
	// Most is how many bytes the files of a copy may have; 0 means defaultMost.
	Most int64

	mu   sync.Mutex
	busy map[string]bool // by id: a sub-agent works there
}

// WorktreeOf is what is recorded of a copy.
type WorktreeOf struct {
	ID      string   `json:"id"`      // of the sub-agent's session
	Session string   `json:"session"` // id of the user's session
	Source  string   `json:"source"`  // absolute path of the workspace that was copied
	Name    string   `json:"name,omitempty"`
	Prefix  string   `json:"prefix,omitempty"` // of the workspace in the repository, with slashes
	Base    string   `json:"base"`             // the tree of git with the files as they were at first
	Reads   []string `json:"reads,omitempty"`  // where the history of the original is
}

// Worktree is one copy.
type Worktree struct {
	WorktreeOf
	trees *Worktrees
	dir   string
}

// The parts of a copy's directory.
const (
	filesDir  = "tree"       // the files, and the sub-agent's own repository
	baseDir   = "base"       // our repository: how the copy began
	aboutFile = "about.json" // written last: a copy without it is not complete
)

// Root is the absolute path of the copy of the workspace.
func (t *Worktree) Root() string {
	return filepath.Join(t.dir, filesDir, filepath.FromSlash(t.Prefix))
}

// Readable are the places that programs in the copy must be able to read for the history.
func (t *Worktree) Readable() []string {
	return append([]string{filepath.Join(t.dir, filesDir), filepath.Join(t.dir, baseDir)}, t.Reads...)
}

// ErrNoWorktree means that there is no such copy.
var ErrNoWorktree = errors.New("no sub-agent with this id or name has a copy of the workspace")

// Find returns the copy of a workspace by the id of the sub-agent, the beginning of it, or its name.
func (t *Worktrees) Find(session, source, name string) (*Worktree, error) {
	var found *Worktree
	for _, id := range t.ids() {
		tree, err := t.read(id)
		if err != nil || tree.Session != session || tree.Source != source {
			continue
		}
		switch {
		case id == name:
			return tree, nil
		case tree.Name != "" && tree.Name == name, len(name) >= 4 && strings.HasPrefix(id, name):
			if found != nil {
				return nil, fmt.Errorf("more than one sub-agent has the name %q: use the id", name)
			}
			found = tree
		}
	}
	if found == nil {
		return nil, ErrNoWorktree
	}
	return found, nil
}

// List returns all complete copies, of all workspaces, in the order of their ids.
func (t *Worktrees) List() (all []*Worktree) {
	for _, id := range t.ids() {
		if tree, err := t.read(id); err == nil {
			all = append(all, tree)
		}
	}
	return all
}

// Made is when the copy was made.
func (t *Worktree) Made() time.Time {
	info, err := os.Stat(filepath.Join(t.dir, aboutFile))
	if err != nil {
		return time.Time{}
	}
	return info.ModTime()
}

func (t *Worktrees) ids() (ids []string) {
	entries, _ := os.ReadDir(t.Dir) // none yet
	for _, e := range entries {
		if e.IsDir() {
			ids = append(ids, e.Name())
		}
	}
	return ids
}

// read returns a complete copy.
func (t *Worktrees) read(id string) (*Worktree, error) {
	if id == "" || !filepath.IsLocal(id) || filepath.Base(id) != id {
		return nil, fmt.Errorf("%q is not the id of a sub-agent", id)
	}
	tree := &Worktree{trees: t, dir: filepath.Join(t.Dir, id)}
	text, err := plainfile.Read(filepath.Join(tree.dir, aboutFile))
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(text, &tree.WorktreeOf); err != nil {
		return nil, err
	}
	tree.ID = id
	return tree, nil
}

// Open returns the copy in which a sub-agent works, and makes it where there is none. view is the sandbox of the session, whose
// programs see the workspace: of a repository nothing is copied that they do not see. Release it when the sub-agent has stopped.
func (t *Worktrees) Open(ctx context.Context, about WorktreeOf, view sandbox.Sandbox) (*Worktree, error) {
	if !filepath.IsAbs(t.Dir) {
		return nil, fmt.Errorf("copies cannot be kept in %q: expected an absolute path", t.Dir)
	}
	tree, err := t.read(about.ID)
	if err == nil && tree.Source != about.Source {
		return nil, fmt.Errorf("the copy of %s is one of another directory, %s", about.ID, tree.Source)
	}
	if errors.Is(err, fs.ErrNotExist) {
		t.sweep(ctx)
		tree, err = t.make(ctx, about, view)
	}
	if err == nil {
		t.work(about.ID, true)
	}
	return tree, err
}

func (t *Worktrees) work(id string, is bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.busy == nil {
		t.busy = map[string]bool{}
	}
	t.busy[id] = is
}

func (t *Worktrees) working(id string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.busy[id]
}

// Release notes that nobody works in the copy any more, and removes it where nothing was changed. It returns the changes.
func (t *Worktree) Release(ctx context.Context) (*WorktreeChanges, error) {
	t.trees.work(t.ID, false)
	changes, err := t.Changes(ctx)
	if err == nil && len(changes.Files)+len(changes.Left) == 0 {
		return changes, t.Remove()
	}
	return changes, err
}

// Remove removes the copy with all that is in it.
func (t *Worktree) Remove() error { return sandbox.RemoveAll(t.dir) }

// sweep removes what nobody needs: copies that were never complete, as after a crash, and unchanged ones of sessions that ended.
func (t *Worktrees) sweep(ctx context.Context) {
	for _, id := range t.ids() {
		tree, err := t.read(id)
		switch {
		case t.working(id):
		case errors.Is(err, fs.ErrNotExist):
			if info, err := os.Stat(filepath.Join(t.Dir, id)); err == nil && old(info) {
				_ = sandbox.RemoveAll(filepath.Join(t.Dir, id)) // the next sweep tries again
			}
		case err != nil, t.Keep != nil && t.Keep(tree.WorktreeOf):
		default:
			if changes, err := tree.Changes(ctx); err == nil && len(changes.Files)+len(changes.Left) == 0 {
				_ = tree.Remove()
			}
		}
	}
}
