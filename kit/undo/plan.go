package undo

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"sort"
	"strings"

	"rein/kit/edit"
)

// The errors of a selection.
var (
	ErrNothing = errors.New("there is nothing to undo")
	ErrNoStep  = errors.New("there is no such call, or it changed nothing")
	ErrUndone  = errors.New("this was undone already")
)

// Plan is what taking steps back would do. Nothing is changed yet.
type Plan struct {
	Steps     []Step      `json:"steps,omitempty"`
	Changes   []Change    `json:"changes,omitempty"`   // that it makes, with diffs
	Conflicts []Conflict  `json:"conflicts,omitempty"` // what it leaves, unless it is told to restore them
	Uncovered []Uncovered `json:"uncovered,omitempty"` // what it cannot restore
	Running   []string    `json:"running,omitempty"`   // calls that have not ended, for people: what they change after this stays

	redo    bool
	only    string // the path of the filter; "" is all
	actions []action
}

// Conflict is a path that has changed since the steps. It stays as it is, unless Apply is told to restore it.
type Conflict struct {
	Path   string `json:"path"`
	Why    string `json:"why"`    // one line
	Before State  `json:"before"` // what the undo would restore
	After  State  `json:"after"`  // what the steps left
	Now    State  `json:"now"`
	Diff   string `json:"diff,omitempty"` // from now to before, of a text
	// Fixed means that it cannot be restored, whatever is asked for.
	Fixed bool `json:"fixed,omitempty"`
}

// action is one path of a plan.
type action struct {
	path      string
	now, want *treeNode
	relinks   bool // it is to be another file, one with other names, whatever changes besides
}

// relink notes on an action that the file is to be another one.
func (a action) relink(all files) action {
	a.relinks = all.relinked(a.now, a.want)
	return a
}

// Plan finds out what taking back a selection would do.
func (s *Store) Plan(ctx context.Context, sel Selection) (*Plan, error) {
	release, err := s.hold(ctx)
	if err != nil {
		return nil, err
	}
	defer release()
	if err := s.finishInterrupted(ctx); err != nil {
		return nil, err
	}
	named, _ := s.selected(sel) // where there are none now, there may be some when everything was looked at
	defer s.log.pin(named)()
	if err := s.lookAll(ctx); err != nil {
		return nil, err
	}
	steps, err := s.selected(sel)
	if err != nil {
		return nil, err
	}
	p := s.plan(steps, sel.Path, nil)
	s.withDiffs(p.Changes)
	return p, nil
}

// stillRunning says which steps have not ended.
func stillRunning(steps []Step) (all []string) {
	for _, st := range steps {
		if st.Running {
			all = append(all, fmt.Sprintf("#%d %s still runs: what it changes from now on stays, and no undo takes it back", st.N, cmp.Or(st.Call.Title, st.Call.Tool)))
		}
	}
	return all
}

// span is what steps did to a path without anybody else in between.
type span struct {
	before, after *treeNode
	shared        []uint64 // other steps that may have made it
}

// plan resolves each path. forced are the conflicts that are restored anyway.
func (s *Store) plan(steps []Step, only string, forced map[string]bool) *Plan {
	p := &Plan{Steps: steps, Running: stillRunning(steps), only: only, redo: slices.ContainsFunc(steps, func(st Step) bool { return st.Undo && !st.Redo })}
	spans, order := s.spans(steps)
	all := filesOf(s.log.records)
	for _, name := range order {
		if only != "" && !within(name, only) {
			continue
		}
		s.resolve(p, name, spans[name], forced[name], all)
	}
	for _, st := range steps {
		for _, u := range lostOutside(st) {
			if only == "" || within(u.Path, only) {
				p.Uncovered = append(p.Uncovered, u)
			}
		}
	}
	s.addObjects(p)
	s.checkDirs(p, forced)
	var changes []treeChange
	for _, a := range p.actions {
		changes = append(changes, treeChange{Path: a.path, Before: a.now, After: a.want})
	}
	p.Changes = listed(changes)
	return p
}

// spans collects what the steps did, by path.
func (s *Store) spans(steps []Step) (map[string][]span, []string) {
	mine := map[uint64]bool{}
	for _, st := range steps {
		mine[st.N] = true
	}
	spans := map[string][]span{}
	var order []string
	for _, r := range s.log.records {
		if r.Kind != changed && r.Kind != undone || !slices.ContainsFunc(r.Of, func(n uint64) bool { return mine[n] }) {
			continue
		}
		var shared []uint64
		for _, n := range r.Of {
			if !mine[n] {
				shared = append(shared, n)
			}
		}
		for _, c := range r.changes {
			list := spans[c.Path]
			if list == nil {
				order = append(order, c.Path)
			}
			if n := len(list); n > 0 && !nodeChanged(list[n-1].after, c.Before) {
				list[n-1].after, list[n-1].shared = c.After, union(list[n-1].shared, shared)
			} else {
				list = append(list, span{c.Before, c.After, shared})
			}
			spans[c.Path] = list
		}
	}
	slices.Sort(order)
	return spans, order
}

// at returns what is at a canonical path now.
func (s *Store) at(name string) *treeNode {
	r, path := s.rootOf(name)
	if r == nil || !r.open || r.tree == nil {
		return nil
	}
	return r.tree.Find(path)
}

// resolve decides what happens to one path, from its last span to its first.
func (s *Store) resolve(p *Plan, name string, spans []span, forced bool, all files) {
	if r, _ := s.rootOf(name); r == nil || !r.open {
		p.Conflicts = append(p.Conflicts, Conflict{Path: name, Why: "its directory is not part of this workspace", Fixed: true})
		return
	}
	now := s.at(name).Bare()
	if gone := spans[0].before; gone.Object() { // only what is missing is put back
		if now == nil {
			p.actions = append(p.actions, action{path: name, want: gone})
		}
		return
	}
	a := action{path: name, now: now, want: now}
	for _, sp := range slices.Backward(spans) {
		if !nodeChanged(sp.before, sp.after) {
			if len(sp.shared) == 0 && relinked(sp.before, sp.after) && !nodeChanged(a.want, sp.after) && !all.relinked(a.want, sp.after) {
				a.want = sp.before
			}
			continue
		}
		if sp.before.Same(a.want) {
			continue
		}
		if u, lost := uncovered(treeChange{Path: name, Before: sp.before, After: sp.after}); lost {
			p.Uncovered = append(p.Uncovered, u)
			return
		}
		if why := s.step(&a, sp); why != "" {
			c := Conflict{Path: name, Why: why, Before: stateOf(spans[0].before), After: stateOf(sp.after), Now: stateOf(now), Fixed: now != nil && now.Left != ""}
			if !forced || c.Fixed {
				c.Diff = s.withDiff(Change{What: Modified, Before: c.Now, After: c.Before}).Diff
				p.Conflicts = append(p.Conflicts, c)
				return
			}
			a.want = sp.before
		}
	}
	if a = a.relink(all); a.relinks || nodeChanged(a.now, a.want) {
		p.actions = append(p.actions, a)
	}
}

// step takes back one span of a path. why is not empty where somebody else changed it.
func (s *Store) step(a *action, sp span) (why string) {
	if len(sp.shared) > 0 {
		return fmt.Sprintf("%s ran at the same time and may have changed it", s.namesOf(sp.shared))
	}
	if !nodeChanged(a.want, sp.after) {
		a.want = sp.before
		return ""
	}
	if a.want == nil {
		return "it was deleted since"
	}
	if sp.after == nil {
		return "it was made again since"
	}
	if sp.before == nil {
		return "it was changed since it was made"
	}
	return s.merge(a, sp)
}

// namesOf names steps for people.
func (s *Store) namesOf(numbers []uint64) string {
	var names []string
	for _, r := range s.log.records {
		if r.Kind == began && slices.Contains(numbers, r.N) {
			names = append(names, strings.TrimSpace(r.Call.Tool+" "+r.Call.ID))
		}
	}
	return strings.Join(names, " and ")
}

// merge joins what the undo would do with what others did since.
func (s *Store) merge(a *action, sp span) (why string) {
	before, after, now := sp.before, sp.after, a.want
	if !before.Stat.Mode.IsRegular() || !after.Stat.Mode.IsRegular() || !now.Stat.Mode.IsRegular() {
		return "it was changed since"
	}
	if now.Left != "" {
		return "it was changed since, and its content now is not kept: " + string(now.Left)
	}
	if s.gitPath(a.path) {
		return "git changed it since"
	}
	want := *now
	mode, ok := single(before.Stat.Mode, after.Stat.Mode, now.Stat.Mode)
	if !ok {
		return "its mode was changed since"
	}
	attrs, ok := single(before.Attrs, after.Attrs, now.Attrs)
	if !ok {
		return "its attributes were changed since"
	}
	want.Stat.Mode, want.Attrs = mode, attrs
	if sum, ok := single(before.Sum, after.Sum, now.Sum); ok {
		want.Sum, want.Stat.Size = sum, now.Stat.Size
		if sum == before.Sum {
			want.Stat.Size = before.Stat.Size
		}
		a.want = &want
		return ""
	}
	data, why := s.mergeText(before, after, now)
	if why != "" {
		return why
	}
	sum, err := s.keepData(data)
	if err != nil {
		return err.Error()
	}
	want.Sum, want.Stat.Size = sum, int64(len(data))
	a.want = &want
	return ""
}

// single merges three values that have no parts.
func single[T comparable](before, after, now T) (T, bool) {
	switch {
	case now == after:
		return before, true
	case before == after || now == before:
		return now, true
	}
	return now, false
}

// mergeText merges the lines of three texts.
func (s *Store) mergeText(before, after, now *treeNode) (data []byte, why string) {
	var texts [3]string
	for i, n := range []*treeNode{before, after, now} {
		raw, err := s.content.Read(n.Sum)
		if err != nil {
			return nil, err.Error()
		}
		text, set, err := decoded(raw)
		if err != nil {
			return nil, "it was changed since, and it is not text"
		}
		texts[i] = text
		if i < 2 {
			continue
		}
		result, places := edit.Merge(texts[1], texts[0], texts[2])
		if len(places) > 0 {
			return nil, fmt.Sprintf("the same lines were changed since: %s", linesText(places))
		}
		if data, err = set.Encode(result.Text); err != nil {
			return nil, err.Error()
		}
	}
	return data, ""
}

func linesText(places []edit.Place) string {
	var b strings.Builder
	for i, p := range places {
		if i > 0 {
			b.WriteString(", ")
		}
		if fmt.Fprint(&b, p.First); p.Last != p.First {
			fmt.Fprintf(&b, "–%d", p.Last)
		}
	}
	return b.String()
}

// checkDirs finds what stands in the way: a directory that is not empty, a parent that is no directory.
func (s *Store) checkDirs(p *Plan, forced map[string]bool) {
	addPlaceholders(s, p)
	goes, comes := map[string]bool{}, map[string]bool{}
	for _, a := range p.actions {
		goes[a.path] = a.want == nil || !a.want.Stat.Mode.IsDir()
		comes[a.path] = a.want != nil && a.want.Stat.Mode.IsDir()
	}
	sort.Slice(p.actions, func(i, j int) bool { return p.actions[i].path > p.actions[j].path }) // what is deep first
	var kept []action
	for _, a := range p.actions {
		if why := s.inTheWay(a, goes); why != "" {
			goes[a.path] = false
			p.Conflicts = append(p.Conflicts, Conflict{Path: a.path, Why: why, Before: stateOf(a.want), Now: stateOf(a.now), Fixed: true})
			continue
		}
		kept = append(kept, a)
	}
	slices.Reverse(kept)
	p.actions = nil
	for _, a := range kept {
		dir := path.Dir(a.path)
		parent := s.at(dir)
		isDir := dir == "." || comes[dir] || parent != nil && parent.Stat.Mode.IsDir() && !goes[dir]
		if r, rel := s.rootOf(a.path); a.want == nil || isDir || forced[a.path] || r != nil && !strings.Contains(rel, "/") {
			p.actions = append(p.actions, a)
			continue
		}
		comes[a.path] = false
		p.Conflicts = append(p.Conflicts, Conflict{Path: a.path, Why: "its directory has gone since", Before: stateOf(a.want), Now: stateOf(a.now), Fixed: true})
	}
}

// inTheWay says what keeps a directory from being removed.
func (s *Store) inTheWay(a action, goes map[string]bool) string {
	if a.now == nil || !a.now.Stat.Mode.IsDir() || a.want != nil && a.want.Stat.Mode.IsDir() {
		return ""
	}
	full := s.at(a.path)
	if full.Left != "" && !full.Object() {
		return "what is in it is not kept: " + string(full.Left)
	}
	for _, k := range full.Kids {
		if !goes[joinPath(a.path, k.Name)] {
			return fmt.Sprintf("%s is in it, which the undo does not remove", k.Name)
		}
	}
	return ""
}

// gitPath reports whether a path is in a git directory.
func (s *Store) gitPath(name string) bool {
	r, _ := s.rootOf(name)
	return strings.HasPrefix(name, ".git/") || strings.Contains(name, "/.git/") || r != nil && isGitDir(r.tree)
}
