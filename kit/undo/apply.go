package undo

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
)

// Answers say what happens to the conflicts of a plan. The zero value, and nil, leave them as they are.
type Answers struct {
	All   bool     // restore all of them
	Paths []string // restore these
}

// Outcome is what an undo did.
type Outcome struct {
	Step      uint64      `json:"step,omitempty"`      // its own number: taking it back is a redo
	Steps     []Step      `json:"steps,omitempty"`     // that it took back
	Changes   []Change    `json:"changes,omitempty"`   // that it made, with diffs
	Conflicts []Conflict  `json:"conflicts,omitempty"` // that it left
	Uncovered []Uncovered `json:"uncovered,omitempty"` // what it could not restore
	Failed    []Failure   `json:"failed,omitempty"`    // what it could not write
}

// Failure is a path that could not be written.
type Failure struct {
	Path string
	Err  error
}

// ErrGitBusy is the error for a repository in which a git command is at work.
var ErrGitBusy = errors.New("git is running in the repository")

// Apply does what a plan says, in the state in which the files are now: what changed since the plan was made becomes a
// conflict, which is left unless the answers name it. by says who asked for it. An undo is a step of its own, with what
// it replaced, so it can be taken back too.
//
// After a crash in the middle the next call of Plan, Apply or Begin finishes it.
func (s *Store) Apply(ctx context.Context, p *Plan, by Call, answers *Answers) (*Outcome, error) {
	release, err := s.hold(ctx)
	if err != nil {
		return nil, err
	}
	defer release()
	if err := s.finishInterrupted(ctx); err != nil {
		return nil, err
	}
	defer s.log.pin(p.Steps)()
	if err := s.look(ctx, nil); err != nil { // keeps what is there now
		return nil, err
	}
	forced := map[string]bool{}
	if answers != nil {
		for _, name := range answers.Paths {
			forced[name] = true
		}
		if answers.All {
			for _, c := range p.Conflicts {
				forced[c.Path] = true
			}
		}
	}
	steps, only, err := s.still(p)
	if err != nil {
		return nil, err
	}
	now := s.plan(steps, only, forced)
	for i, c := range now.Changes {
		j := slices.IndexFunc(p.Changes, func(o Change) bool { return o.Path == c.Path && o.Before == c.Before && o.After == c.After })
		if j >= 0 {
			now.Changes[i] = p.Changes[j] // with its diff
		}
	}
	return s.apply(ctx, now, by)
}

// still returns the steps of a plan, unless somebody else took one back since.
func (s *Store) still(p *Plan) (steps []Step, only string, err error) {
	for _, st := range s.steps() {
		if slices.ContainsFunc(p.Steps, func(o Step) bool { return o.N == st.N }) {
			if st.Undone {
				return nil, "", fmt.Errorf("%w: %s", ErrUndone, st.Name())
			}
			steps = append(steps, st)
		}
	}
	if len(steps) < len(p.Steps) {
		return nil, "", fmt.Errorf("%w: it was forgotten to make room", ErrNoStep)
	}
	return steps, p.only, nil
}

func (s *Store) apply(ctx context.Context, p *Plan, by Call) (*Outcome, error) {
	out := &Outcome{Steps: p.Steps, Changes: p.Changes, Conflicts: p.Conflicts, Uncovered: p.Uncovered}
	if len(p.actions) == 0 && len(p.Conflicts)+len(p.Uncovered) > 0 {
		return out, nil // nothing was done, so the steps are not taken back
	}
	rec, err := s.announce(p, by)
	if err != nil {
		return nil, err
	}
	out.Step = rec.N
	failed, err := s.perform(ctx, rec, p.actions)
	out.Failed = failed
	out.Changes = slices.DeleteFunc(out.Changes, func(c Change) bool {
		return slices.ContainsFunc(failed, func(f Failure) bool { return f.Path == c.Path })
	})
	return out, err
}

// announce writes down what will be done, before anything is.
func (s *Store) announce(p *Plan, by Call) (*record, error) {
	if err := s.content.Sync(); err != nil { // what merges made
		return nil, err
	}
	name, err := s.ownerName()
	if err != nil {
		return nil, err
	}
	rec := &record{Kind: undoing, Call: &by, Owner: name, Redo: p.redo, Temp: tempPrefix + strings.ToLower(rand.Text()[:12])}
	for _, st := range p.Steps {
		rec.Of = append(rec.Of, st.N)
	}
	for _, a := range p.actions {
		rec.changes = append(rec.changes, treeChange{Path: a.path, Before: a.now, After: a.want})
	}
	err = s.log.add(rec, true)
	s.log.pinned = append(s.log.pinned, rec.N)
	return rec, err
}

// perform makes the changes and records them.
func (s *Store) perform(ctx context.Context, rec *record, actions []action) ([]Failure, error) {
	locks, err := s.lockGit(actions)
	if err != nil {
		return nil, errors.Join(err, s.log.add(&record{Kind: undone, Of: []uint64{rec.N}, Void: true}, true))
	}
	w := &writer{s: s, temp: rec.Temp, roots: map[*root]*os.Root{}, failed: map[string]error{}, locks: locks}
	w.run(actions)
	unlock(locks)
	if w.broken != nil {
		return nil, w.broken
	}
	var failed []Failure
	for _, a := range actions {
		if err := w.failed[a.path]; err != nil {
			failed = append(failed, Failure{a.path, err})
		}
	}
	return failed, s.conclude(ctx, rec, actions, s.notTaken(rec, w.failed))
}

// conclude looks at what was done and records it as the work of the undo.
func (s *Store) conclude(ctx context.Context, rec *record, actions []action, left []uint64) error {
	touched := map[string]bool{}
	paths := []string{}
	for _, a := range actions {
		for name := a.path; name != "." && name != "/" && !touched[name]; name = path.Dir(name) {
			touched[name] = true
		}
		paths = append(paths, a.path)
	}
	done := &record{Kind: undone, Of: []uint64{rec.N}, Left: left}
	err := s.lookFor(ctx, paths, func(c treeChange) bool {
		if touched[c.Path] {
			done.changes = append(done.changes, c)
		}
		return touched[c.Path]
	})
	if err != nil {
		return err
	}
	return s.log.add(done, true)
}

// notTaken returns the steps of an undo of which a path failed, and may not fail again: they can be taken back again. A content that
// is damaged stays damaged.
func (s *Store) notTaken(undo *record, failed map[string]error) (left []uint64) {
	for _, r := range s.log.records {
		for _, c := range r.changes {
			if err := failed[c.Path]; err == nil || errors.Is(err, errContentMissing) || errors.Is(err, errObjectDamaged) || r.N == undo.N {
				continue
			}
			for _, n := range r.Of {
				if slices.Contains(undo.Of, n) && !slices.Contains(left, n) {
					left = append(left, n)
				}
			}
		}
	}
	return left
}

// finishInterrupted finishes an undo whose process has gone. A path that is neither as it was nor as it should be is left.
func (s *Store) finishInterrupted(ctx context.Context) error {
	finished := map[uint64]bool{}
	for _, r := range slices.Backward(s.log.records) {
		switch r.Kind {
		case undone:
			finished[r.Of[0]] = true
		case undoing:
			if finished[r.N] || !s.gone(r.Owner) {
				continue
			}
			if err := s.finish(ctx, r); err != nil {
				return fmt.Errorf("finish an interrupted undo: %w", err)
			}
		}
	}
	return nil
}

func (s *Store) finish(ctx context.Context, rec *record) error {
	defer s.log.pin([]Step{{N: rec.N}})()
	s.removeGitLocks(rec)
	mine := map[string]bool{}
	for _, c := range rec.changes {
		mine[c.Path] = true
	}
	var seen []treeChange // what the interrupted undo did already
	if err := s.lookFor(ctx, nil, func(c treeChange) bool {
		if mine[c.Path] {
			seen = append(seen, c)
		}
		return mine[c.Path]
	}); err != nil {
		return err
	}
	var rest []action
	all := filesOf(s.log.records)
	for _, c := range rec.changes {
		now := s.at(c.Path).Bare()
		a := action{path: c.Path, now: now, want: c.After}.relink(all)
		if (between(now, c) || !nodeChanged(now, c.Before)) && (a.relinks || nodeChanged(now, c.After)) {
			rest = append(rest, a)
		}
	}
	w := &writer{s: s, temp: rec.Temp, roots: map[*root]*os.Root{}, failed: map[string]error{}}
	w.removeTemps()
	w.run(rest)
	if w.broken != nil {
		return w.broken
	}
	paths := []string{}
	for name := range mine {
		paths = append(paths, name)
	}
	done := &record{Kind: undone, Of: []uint64{rec.N}, Left: s.notTaken(rec, w.failed), changes: seen}
	if err := s.lookFor(ctx, paths, func(c treeChange) bool {
		done.changes = append(done.changes, c)
		return true
	}); err != nil {
		return err
	}
	done.changes = merged(done.changes)
	return s.log.add(done, true)
}

// between reports whether a path is as an interrupted undo left it: removed before the new one came, or a directory that
// does not have its mode yet.
func between(now *treeNode, c treeChange) bool {
	if now == nil {
		return c.Before != nil && c.After != nil
	}
	return now.Stat.Mode.IsDir() && c.After != nil && c.After.Stat.Mode.IsDir()
}

// lockGit takes the lock of the index of each repository in whose directory something is restored, as git does.
func (s *Store) lockGit(actions []action) (taken []string, err error) {
	for _, a := range actions {
		name, ok := s.gitLock(a.path)
		if !ok || slices.Contains(taken, name) {
			continue
		}
		f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
		switch {
		case errors.Is(err, fs.ErrExist):
			unlock(taken)
			return nil, fmt.Errorf("%w: %w", ErrGitBusy, err)
		case err != nil:
			continue // the repository itself was removed, or belongs to somebody else: then each of its files fails
		}
		f.Close()
		taken = append(taken, name)
	}
	return taken, nil
}

func unlock(locks []string) {
	for _, name := range locks {
		_ = os.Remove(name) // it went with its repository
	}
}

// gitLock returns the lock of the repository, or of the worktree of one, that a path is in.
func (s *Store) gitLock(name string) (lock string, ok bool) {
	r, rel := s.rootOf(name)
	if r == nil {
		return "", false
	}
	dir, in := "", rel
	if !isGitDir(r.tree) {
		i := strings.LastIndex("/"+rel, "/.git/")
		if i < 0 {
			return "", false
		}
		dir, in = rel[:i+len(".git")], rel[i+len(".git/"):]
	}
	if parts := strings.SplitN(in, "/", 3); len(parts) == 3 && parts[0] == "worktrees" {
		dir = joinPath(joinPath(dir, parts[0]), parts[1])
	}
	if r.tree.Find(dir).Child("HEAD") == nil {
		return "", false
	}
	return r.dir + "/" + joinPath(dir, "index.lock"), true
}

// removeGitLocks removes the locks that an interrupted undo left.
func (s *Store) removeGitLocks(rec *record) {
	for _, c := range rec.changes {
		if name, ok := s.gitLock(c.Path); ok {
			if info, err := os.Lstat(name); err == nil && info.Size() == 0 {
				_ = os.Remove(name)
			}
		}
	}
}
