package undo

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"
)

// look walks the roots, or only the paths, and records what changed. Contents are on disk before the log names them.
func (s *Store) look(ctx context.Context, paths []string) error {
	return s.lookFor(ctx, paths, nil)
}

// lookFor does what look does, but does not record the changes that mine takes: those of the work that has just been done. Nil takes none.
func (s *Store) lookFor(ctx context.Context, paths []string, mine func(treeChange) bool) error {
	filters := s.filters(paths)
	began := time.Now()
	jumped := s.clock.Jumped(began)
	watch, dirs := s.toLook(paths, jumped)
	if dirs != nil && len(dirs) == 0 {
		return nil // nothing has happened
	}
	writers := s.writers()
	free, err := s.room()
	if err != nil {
		return err
	}
	var changes []treeChange
	first := !s.known()
	held, unknown := s.heldFiles()
	var unsure []fileID
	for _, r := range s.roots {
		only, wanted := filters[r]
		if !r.open || !wanted {
			continue
		}
		w := s.newWalk(r)
		w.Began, w.Room, w.Held, w.Full, w.Watch, w.Heard = began, free, held, jumped, watch, dirs
		w.Outside = len(s.open) == 0 || unknown
		w.Limits.Made = mine != nil
		w.way = wayOf(ctx, s.mu.asked)
		now, err := w.Run(ctx, r.tree, only)
		if err != nil {
			return fmt.Errorf("%s: %w", r.dir, err)
		}
		s.compare(r, now, func(c treeChange) {
			if mine == nil || !mine(c) {
				changes = append(changes, c)
			}
		})
		if r.tree != now {
			s.added++
		}
		r.tree = now
		free -= w.Stored()
		unsure = append(unsure, w.Unsure()...)
	}
	if watch != nil && !jumped && held == nil && !unknown {
		s.watched(unsure)
	}
	if err := s.content.Sync(); err != nil {
		return errors.Join(err, s.loadAgain())
	}
	if err := s.recordChanges(changes, writers); err != nil {
		return errors.Join(err, s.loadAgain())
	}
	if s.added += len(changes); first || s.added > maxAdded {
		return s.saveTrees()
	}
	return nil
}

// compare gives what differs between what is known of a root and what a walk found. That git added objects is never taken back, and what
// the sandbox makes in a repository is nobody's change.
func (s *Store) compare(r *root, now *treeNode, see func(treeChange)) {
	if r.tree == nil {
		return
	}
	diffTrees("", r.tree, now, func(c treeChange) {
		if c.After.Object() || c.Before.Object() && c.After != nil {
			return
		}
		name := s.canonical(r, c.Path)
		if c.Before == nil && isPlaceholder(s, name, c.After) || c.After == nil && isPlaceholder(s, name, c.Before) {
			return
		}
		see(treeChange{Path: name, Before: c.Before.Bare(), After: c.After.Bare()})
	})
}

// maxAdded is how many changes may come before the file of the trees is written again.
const maxAdded = 2000

// loadAgain drops what is in memory and could not be recorded, so that the next walk finds it again.
func (s *Store) loadAgain() error {
	s.watch.known = false
	s.log.close()
	return s.refresh()
}

// filters says what to look at in each root.
func (s *Store) filters(paths []string) map[*root]treeFilter {
	all := map[*root]treeFilter{}
	if paths == nil {
		for _, r := range s.roots {
			all[r] = nil
		}
		return all
	}
	for _, r := range s.roots {
		if r.tree == nil {
			all[r] = nil // the first walk is of everything
		}
	}
	for _, p := range paths {
		r, path := s.rootOf(p)
		if r == nil {
			continue // outside: not covered
		}
		only, known := all[r]
		if path == "" || known && only == nil {
			all[r] = nil
			continue
		}
		if only == nil {
			only = treeFilter{}
			all[r] = only
		}
		only.Add(path)
	}
	return all
}

// newWalk makes the walk of a root.
func (s *Store) newWalk(r *root) *treeWalk {
	w := &treeWalk{Root: r.dir, Content: s.content, Objects: s.objects, Skip: map[string]bool{s.dir: true},
		Limits: walkLimits{MaxFile: s.options.MaxFile, MaxIgnored: s.options.MaxIgnored, Ignored: s.options.Ignored, MaxEntries: s.options.MaxEntries}}
	for _, dir := range s.options.Skip {
		w.Skip[dir] = true
	}
	return w
}

// writers gives, for a change, the calls that may have made it, in order. What changed after the process of a call had gone is not of the
// call: only of what is deleted nobody knows when.
func (s *Store) writers() func(treeChange) []uint64 {
	last := map[uint64]time.Time{}
	for n, c := range s.open {
		last[n] = lastWrite(s, c.owner)
	}
	return func(ch treeChange) (all []uint64) {
		path := ch.Path
		for n, c := range s.open {
			if at := last[n]; !at.IsZero() && ch.After != nil && ch.After.Stat.at().After(at) {
				continue
			}
			if c.paths == nil || slices.ContainsFunc(c.paths, func(p string) bool { return p == path || below(p, path) || below(path, p) }) {
				all = append(all, n)
			}
		}
		slices.Sort(all)
		return all
	}
}

// recordChanges writes the changes to the log, one record for each set of calls that may have made them.
func (s *Store) recordChanges(changes []treeChange, writers func(treeChange) []uint64) error {
	var order []string
	groups := map[string]*record{}
	for _, c := range changes {
		of := writers(c)
		key := fmt.Sprint(of)
		if groups[key] == nil {
			groups[key] = &record{Kind: changed, Of: of}
			order = append(order, key)
		}
		groups[key].changes = append(groups[key].changes, c)
	}
	for i, key := range order {
		if err := s.log.add(groups[key], i == len(order)-1); err != nil {
			return err
		}
	}
	return nil
}
