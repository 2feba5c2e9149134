package harness

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"rein/agent"
	"rein/event"
	"rein/guard"
	"rein/harness/settings"
	"rein/kit/sandbox"
	"rein/kit/tools/files"
	"rein/kit/tools/git"
	"rein/tool"
)

// openCopies prepares the copies of workspaces in which sub-agents work.
func (h *Harness) openCopies() {
	h.copies = &git.Worktrees{Dir: h.dirs.Worktrees, Most: h.settings.Agents.CopyBytes,
		Keep: func(a git.WorktreeOf) bool { return h.store.Holder(a.Session).PID != 0 },
		Box: func(write string, read []string) (*sandbox.Box, error) {
			return sandbox.New(sandbox.Policy{Workspace: write, Readable: read, Mode: sandbox.Mode(h.settings.Sandbox), Only: h.options.Backend,
				Limits: h.settings.Programs.Limits(), Hidden: h.ownDirs()})
		}}
}

// Copies are the copies of workspaces in which sub-agents work, or left changes.
func (h *Harness) Copies() *git.Worktrees { return h.copies }

// beside returns the harness of a copy of the workspace. It has the settings, rules and answers of the workspace.
func (h *Harness) beside(root string) *Harness {
	c := &Harness{options: h.options, dirs: h.dirs, layers: h.layers, settings: h.settings, root: root, project: h.project, folder: h.folder.At(root),
		inbox: h.inbox, store: h.store, mask: h.mask, secrets: h.secrets, log: h.log, suspended: h.suspended, suspend: h.suspend,
		sessions: map[string]*Session{}, copies: h.copies}
	c.options.Dir, c.options.AddDirs = root, nil
	c.options.Private = cmp.Or(c.options.Private, settings.WorkspaceName(h.project))
	return c
}

// root returns the user's session.
func (s *Session) root() *Session {
	for s.above != nil {
		s = s.above
	}
	return s
}

// at returns the part of the session that works in a directory: one in a copy, else the user's session.
func (s *Session) at(dir string) *Session {
	root := s.root()
	root.changing.Lock()
	defer root.changing.Unlock()
	if c := root.inCopies[dir]; c != nil {
		return c
	}
	return root
}

// aboutCopy is what the model of a sub-agent must know of its copy.
const aboutCopy = `You work in a copy of the workspace, at %s. Paths are relative to it. If your task names absolute paths of the original, use the same files in the copy. Nothing that you do changes the original. When you have finished, the agent that gave you the task sees what you changed and can merge it, except files that git ignores. You need not commit.`

// place makes a copy of the workspace of an agent, or finds it, and the part of the session that runs calls there.
func (s *Session) place(ctx context.Context, parent *agent.Agent, id string, sub event.SubAgent) (agent.Place, error) {
	above := s.at(parent.Calls.Root)
	tree, err := s.h.copies.Open(ctx, git.WorktreeOf{ID: id, Session: s.id, Source: above.workspace.Dir(), Name: sub.Name}, above.box)
	if err != nil {
		return agent.Place{}, err
	}
	c, err := above.inCopy(tree)
	if err != nil {
		_, wrong := tree.Release(ctx)
		return agent.Place{}, errors.Join(err, wrong)
	}
	return agent.Place{Calls: c.runner, System: fmt.Sprintf(aboutCopy, c.workspace.Dir()), Done: func(event.Stop) string { return c.leave(tree) }}, nil
}

// inCopy makes the part of the session that runs calls in a copy: with a sandbox, file tools and guards of its own.
func (s *Session) inCopy(tree *git.Worktree) (*Session, error) {
	how := s.How()
	how.Dir, how.AddDirs = tree.Root(), nil
	c := &Session{above: s, readable: tree.Readable(), hooks: s.hooks, reviewer: s.reviewer, skills: s.skills}
	if err := s.h.beside(tree.Root()).assembled(c, tree.ID, how); err != nil {
		return nil, err
	}
	root := s.root()
	root.changing.Lock()
	defer root.changing.Unlock()
	if root.inCopies == nil {
		root.inCopies = map[string]*Session{}
	}
	root.inCopies[c.workspace.Dir()] = c
	return c, nil
}

// leave ends the work in a copy, and says what the parent may take over.
func (s *Session) leave(tree *git.Worktree) string {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	root := s.root()
	root.changing.Lock()
	delete(root.inCopies, s.workspace.Dir())
	root.changing.Unlock()
	err := s.Close(ctx)
	changes, wrong := tree.Release(ctx)
	if err = errors.Join(err, wrong); err != nil {
		return fmt.Sprintf("What it changed in its copy could not be found out: %v. The copy stays at %s.", err, tree.Root())
	}
	if len(changes.Files)+len(changes.Left) == 0 {
		return "It changed no files."
	}
	return fmt.Sprintf("It changed these files in its own copy; the workspace does not have these changes yet. agent_diff with the id %s shows it, agent_apply merges it.\n%s", tree.ID, changes)
}

// closeCopies ends the work in all copies. What was changed there stays.
func (s *Session) closeCopies() (err error) {
	s.changing.Lock()
	all := s.inCopies
	s.inCopies = nil
	s.changing.Unlock()
	for _, c := range all {
		err = errors.Join(err, c.Close(context.Background()))
	}
	return err
}

// copied gives agent_apply what a sub-agent changed in its copy of this workspace.
func (s *Session) copied(name string) (files.Copy, error) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	tree, err := s.h.copies.Find(s.root().id, s.workspace.Dir(), name)
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
	c := files.Copy{Left: changes.Left, Remove: tree.Remove}
	for _, f := range changes.Files {
		c.Files = append(c.Files, files.Copied(f))
	}
	return c, nil
}

// unsaved lists the work that is not committed, in the sandbox of the part of the session that works in a directory.
func (s *Session) unsaved(ctx context.Context, dir string) (changed, untracked []string, err error) {
	return git.Repository{Box: s.at(dir).box, Dir: dir}.Unsaved(ctx)
}

// history makes what the history of git holds of files of secrets known to the mask, in the part of the session that works in a directory.
func (s *Session) history(ctx context.Context, root string, dirs []string) error {
	return s.at(root).secrets.History(ctx, dirs)
}

// asAbove judges calls in a copy by the rules of the original, as if they were made there: rules may name its files by absolute paths.
func (s *Session) asAbove(ctx context.Context, c guard.Case) guard.Verdict {
	original := s.above.workspace.Dir()
	there := func(names []string) []string {
		moved := make([]string, len(names))
		for i, name := range names {
			if rest, in := strings.CutPrefix(filepath.Clean(name), s.workspace.Dir()); in && filepath.IsAbs(name) {
				name = original + rest
			}
			moved[i] = name
		}
		return moved
	}
	c.Root, c.Report = original, nil
	c.Intent.Reads, c.Intent.Writes = there(c.Intent.Reads), there(c.Intent.Writes)
	v := s.above.guards.Rules.Judge(ctx, c)
	if s.above.above != nil {
		v = guard.Stricter(v, s.above.asAbove(ctx, c))
	}
	return v
}
