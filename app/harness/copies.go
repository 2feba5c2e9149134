package harness

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"rein/agent"
	"rein/app/settings"
	"rein/event"
	"rein/guard"
	"rein/kit/sandbox"
	"rein/kit/tools/files"
	"rein/kit/tools/git"
	"rein/tool"
)

// openCopies prepares the copies of workspaces in which sub-agents work.
func (h *Harness) openCopies() {
	h.copies = &git.Worktrees{Dir: h.dirs.Worktrees, Most: h.settings.Agents.CopyBytes, Secret: sandbox.Hides,
		Keep: func(a git.WorktreeOf) bool { return h.store.Holder(a.Session).PID != 0 },
		Box: func(write string, read []string) (*sandbox.Box, error) {
			return sandbox.New(programsOf(h, h.settings.Sandbox, sandbox.Policy{Workspace: write, Readable: read, Hidden: ownDirs(h.dirs)}))
		}}
}

// Copies are the copies of workspaces in which sub-agents work, or left changes.
func (h *Harness) Copies() *git.Worktrees { return h.copies }

// beside returns the harness of a copy of the workspace. It has the settings, rules and answers of the workspace.
func (h *Harness) beside(root string) *Harness {
	c := &Harness{options: h.options, dirs: h.dirs, layers: h.layers, settings: h.settings, root: root, project: h.project, folder: h.folder.At(root),
		inbox: h.inbox, store: h.store, mask: h.mask, secrets: h.secrets, log: h.log, suspended: h.suspended, suspend: h.suspend,
		copies: h.copies, trees: h.trees}
	c.options.Dir, c.options.AddDirs = root, nil
	c.options.Private = cmp.Or(c.options.Private, settings.WorkspaceName(h.project))
	return c
}

// copies are the copies of the workspace of one session in which its sub-agents work now.
type copies struct {
	session string // the user's
	trees   *git.Worktrees

	mu   sync.Mutex
	user *guarded            // what works in the workspace itself
	all  map[string]*guarded // by their directories
}

// at returns what works in a directory: in a copy, else in the workspace itself.
func (c *copies) at(dir string) *guarded {
	c.mu.Lock()
	defer c.mu.Unlock()
	if g := c.all[dir]; g != nil {
		return g
	}
	return c.user
}

// aboutCopy is what the model of a sub-agent must know of its copy.
const aboutCopy = `You work in a copy of the workspace, at %s. Paths are relative to it. If your task names absolute paths of the original, use the same files in the copy. Nothing that you do changes the original. When you have finished, the agent that gave you the task sees what you changed and can merge it, except files that git ignores. You need not commit.`

// place makes a copy of the workspace of an agent, or finds it, and what runs calls there.
func (c *copies) place(ctx context.Context, parent *agent.Agent, id string, sub event.SubAgent) (agent.Place, error) {
	above := c.at(parent.Calls.Root)
	tree, err := c.trees.Open(ctx, git.WorktreeOf{ID: id, Session: c.session, Source: above.workspace.Dir(), Name: sub.Name}, above.box)
	if err != nil {
		return agent.Place{}, err
	}
	g, err := c.enter(above, tree)
	if err != nil {
		_, wrong := tree.Release(ctx)
		return agent.Place{}, errors.Join(err, wrong)
	}
	return agent.Place{Calls: g.runner, System: fmt.Sprintf(aboutCopy, g.workspace.Dir()), Done: func(event.Stop) string { return c.leave(g, tree) }}, nil
}

// enter makes what runs calls in a copy: with a sandbox, file tools and guards of its own.
func (c *copies) enter(above *guarded, tree *git.Worktree) (*guarded, error) {
	terms := above.terms.now()
	terms.Dir, terms.AddDirs = tree.Root(), nil
	o, err := above.h.beside(tree.Root()).openSession(tree.ID, terms, above)
	if err != nil {
		return nil, err
	}
	o.readable = tree.Readable()
	g, err := o.guarded()
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.all == nil {
		c.all = map[string]*guarded{}
	}
	c.all[g.workspace.Dir()] = g
	return g, nil
}

// leave ends the work in a copy, and says what the parent may take over.
func (c *copies) leave(g *guarded, tree *git.Worktree) string {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	c.mu.Lock()
	delete(c.all, g.workspace.Dir())
	c.mu.Unlock()
	err := g.end()
	changes, wrong := tree.Release(ctx)
	if err = errors.Join(err, wrong); err != nil {
		return fmt.Sprintf("What it changed in its copy could not be found out: %v. The copy stays at %s.", err, tree.Root())
	}
	if len(changes.Files)+len(changes.Left) == 0 {
		return "It changed no files."
	}
	return fmt.Sprintf("It changed these files in its own copy; the workspace does not have these changes yet. agent_diff with the id %s shows it, agent_apply merges it.\n%s", tree.ID, changes)
}

// end ends the work in all copies. What was changed there stays.
func (c *copies) end() (err error) {
	c.mu.Lock()
	all := c.all
	c.all = nil
	c.mu.Unlock()
	for _, g := range all {
		err = errors.Join(err, g.end())
	}
	return err
}

// copied gives agent_apply what a sub-agent changed in its copy of a directory.
func (c *copies) copied(dir, name string) (files.Copy, error) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	tree, err := c.trees.Find(c.session, dir, name)
	if errors.Is(err, git.ErrNoWorktree) {
		err = &tool.Error{Kind: tool.NotFound, Text: "The sub-agent " + name + " has no copy of the workspace.", Hint: "Its changes were merged already, or it had none; agent_list names the sub-agents."}
	}
	if err != nil {
		return files.Copy{}, err
	}
	changes, err := tree.Changes(ctx)
	if errors.Is(err, git.ErrWorktreeBusy) {
		err = &tool.Error{Kind: tool.Unsupported, Text: "The sub-agent " + name + " is still working in its copy.", Hint: "agent_wait waits for it."}
	}
	if err != nil {
		return files.Copy{}, err
	}
	made := files.Copy{Left: changes.Left, Remove: tree.Remove}
	for _, f := range changes.Files {
		made.Files = append(made.Files, files.Copied(f))
	}
	return made, nil
}

// unsaved lists the work that is not committed, in the sandbox of what works in a directory.
func (c *copies) unsaved(ctx context.Context, dir string) (changed, untracked []string, err error) {
	return git.Repository{Box: c.at(dir).box, Dir: dir}.Unsaved(ctx)
}

// history makes what the history of git holds of files of secrets known to the mask, in what works in a directory.
func (c *copies) history(ctx context.Context, root string, dirs []string) error {
	return c.at(root).secrets.History(ctx, dirs)
}

// open says what commands may show although it is hidden, in what works in a directory.
func (c *copies) open(ctx context.Context, root string, dirs []string) string {
	return c.at(root).secrets.Open(ctx, dirs)
}

// leftOpen lists the files of secrets that programs can open, in what works in a directory.
func (c *copies) leftOpen(ctx context.Context, root string) []string {
	g := c.at(root)
	return g.box.LeftOpen(ctx, g.secrets.Files)
}

// asAbove judges calls in a copy by the rules of the original, as if they were made there: rules may name its files by absolute paths.
func (g *guarded) asAbove(ctx context.Context, c guard.Case) guard.Verdict {
	original := g.above.workspace.Dir()
	there := func(names []string) []string {
		moved := make([]string, len(names))
		for i, name := range names {
			if rest, in := strings.CutPrefix(filepath.Clean(name), g.workspace.Dir()); in && filepath.IsAbs(name) {
				name = original + rest
			}
			moved[i] = name
		}
		return moved
	}
	c.Root, c.Report = original, nil
	c.Intent.Reads, c.Intent.Writes = there(c.Intent.Reads), there(c.Intent.Writes)
	v := guard.Stricter(g.above.guards.Rules.Judge(ctx, c), g.above.kept.Judge(ctx, c))
	if g.above.above != nil {
		v = guard.Stricter(v, g.above.asAbove(ctx, c))
	}
	return v
}
