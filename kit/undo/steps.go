package undo

import (
	"context"
	"fmt"
	"path"
	"slices"
	"sort"
	"strings"
	"time"
)

// Step is something that changed files and can be taken back: a call, or an undo.
type Step struct {
	N       uint64    `json:"n"`              // its number in this workspace; later steps have higher ones
	Call    Call      `json:"call"`           // of an undo: the session that asked for it
	Undo    bool      `json:"undo,omitempty"` // it is an undo
	Redo    bool      `json:"redo,omitempty"` // it is an undo of an undo
	Of      []uint64  `json:"of,omitempty"`   // of an undo: the steps that it took back
	Time    time.Time `json:"time"`
	Running bool      `json:"running,omitempty"` // it has not ended
	Undone  bool      `json:"undone,omitempty"`  // it was taken back

	Changes   []Change    `json:"changes,omitempty"` // without diffs; see Store.Changes
	Shared    []uint64    `json:"shared,omitempty"`  // steps that ran at the same time and may have made some of the changes
	Uncovered []Uncovered `json:"uncovered,omitempty"`

	left []uint64 // of an undo: steps of which paths failed, so that they do not count as taken back
}

// Name is what a person may write to select the step: the id of the call, or the number.
func (s Step) Name() string {
	if s.Call.ID != "" && !s.Undo {
		return s.Call.ID
	}
	return fmt.Sprintf("#%d", s.N)
}

// Filter narrows down a list of steps. The zero value lets all pass.
type Filter struct {
	Session  string // id of the user's session
	SubAgent string // id of a sub-agent's session
	Call     string // id of a call, or the number of a step: "#12"
	Message  int64  // only calls that serve this message of the user, or a later one; 0 is all
	Path     string // only steps that changed this path, or one below it
}

func (f Filter) passes(s *Step) bool {
	switch {
	case f.Session != "" && s.Call.Session != f.Session, f.SubAgent != "" && s.Call.SubAgent != f.SubAgent,
		f.Call != "" && s.Call.ID != f.Call && fmt.Sprintf("#%d", s.N) != f.Call, f.Message > 0 && s.Call.Message < f.Message:
		return false
	}
	return f.Path == "" || slices.ContainsFunc(s.Changes, func(c Change) bool { return within(c.Path, f.Path) })
}

// within reports whether a path is another one, or below it. All that is in the workspace is below ".".
func within(name, top string) bool {
	return name == top || strings.HasPrefix(name, top+"/") || top == "." && !path.IsAbs(name)
}

// Steps lists what changed files, the oldest first. What changed while a call runs is part of it after the next walk.
func (s *Store) Steps(ctx context.Context, f Filter) ([]Step, error) {
	release, err := s.hold(ctx)
	if err != nil {
		return nil, err
	}
	defer release()
	all := s.steps()
	return slices.DeleteFunc(all, func(st Step) bool { return !f.passes(&st) }), nil
}

// steps lists everything that changed something.
func (s *Store) steps() []Step {
	var order []uint64
	steps, raw := map[uint64]*Step{}, map[uint64][]treeChange{}
	for _, r := range s.log.records {
		switch r.Kind {
		case began, undoing:
			open := s.open[r.N]
			st := &Step{N: r.N, Time: r.Time, Undo: r.Kind == undoing, Redo: r.Redo, Running: open != nil && !s.gone(open.owner)}
			if r.Call != nil {
				st.Call = *r.Call
			}
			if st.Undo {
				st.Of = r.Of
			}
			steps[r.N] = st
			order = append(order, r.N)
		case changed:
			for _, n := range r.Of {
				raw[n] = append(raw[n], r.changes...)
				if st := steps[n]; st != nil {
					st.Uncovered = append(st.Uncovered, r.Lost...)
				}
				if st := steps[n]; st != nil && len(r.Of) > 1 {
					st.Shared = union(st.Shared, slices.DeleteFunc(slices.Clone(r.Of), func(o uint64) bool { return o == n }))
				}
			}
		case undone:
			for _, n := range r.Of {
				raw[n] = append(raw[n], r.changes...)
				if r.Void {
					delete(steps, n)
				} else if st := steps[n]; st != nil {
					st.left = r.Left
				}
			}
		}
	}
	order = slices.DeleteFunc(order, func(n uint64) bool { return steps[n] == nil })
	var all []Step
	for _, n := range order {
		st := steps[n]
		var covered []treeChange
		for _, c := range merged(raw[n]) {
			if u, lost := uncovered(c); lost {
				st.Uncovered = append(st.Uncovered, u)
				continue
			}
			covered = append(covered, c)
		}
		st.Changes = moves(listed(covered))
		if len(st.Changes)+len(st.Uncovered) > 0 || st.Undo {
			all = append(all, *st)
		}
	}
	markUndone(all)
	return all
}

// markUndone finds which steps are taken back: an undo counts unless it was taken back itself, which only a later one does.
func markUndone(all []Step) {
	taken := map[uint64]bool{}
	for i := range slices.Backward(all) {
		st := &all[i]
		st.Undone = taken[st.N]
		if st.Undo && !st.Undone {
			for _, n := range st.Of {
				taken[n] = !slices.Contains(st.left, n) || taken[n]
			}
		}
	}
}

func union(a, b []uint64) []uint64 {
	for _, n := range b {
		if !slices.Contains(a, n) {
			a = append(a, n)
		}
	}
	return a
}

// Selection says what to take back.
type Selection struct {
	Filter
	Last int  // only the last n of what the filter lets pass; 0 is all
	Redo bool // take back undos instead of calls
}

// selected returns the numbers of the steps of a selection, the oldest first.
func (s *Store) selected(sel Selection) ([]Step, error) {
	var all []Step
	for _, st := range s.steps() {
		named := sel.Call != ""
		switch {
		case !sel.passes(&st):
		case named:
			all = append(all, st)
		case st.Undone:
		case sel.Redo && st.Undo && !st.Redo, !sel.Redo && !st.Undo && len(st.Changes)+len(st.Uncovered) > len(lostOutside(st)):
			all = append(all, st)
		}
	}
	if sel.Call != "" && len(all) == 0 {
		return nil, fmt.Errorf("%w: %s", ErrNoStep, sel.Call)
	}
	if sel.Last > 0 && len(all) > sel.Last {
		all = all[len(all)-sel.Last:]
	}
	if len(all) == 0 {
		return nil, ErrNothing
	}
	for _, st := range all {
		if st.Undone {
			return nil, fmt.Errorf("%w: %s", ErrUndone, st.Name())
		}
	}
	return all, nil
}

// Changes returns what the steps of a filter changed together, from before the first to after the last, with diffs. Files
// that another step or a person changed in between show that change too.
func (s *Store) Changes(ctx context.Context, f Filter) ([]Change, error) {
	release, err := s.hold(ctx)
	if err != nil {
		return nil, err
	}
	defer release()
	wanted := map[uint64]bool{}
	for _, st := range s.steps() {
		if f.passes(&st) {
			wanted[st.N] = true
		}
	}
	var raw []treeChange
	for _, r := range s.log.records {
		if (r.Kind == changed || r.Kind == undone) && slices.ContainsFunc(r.Of, func(n uint64) bool { return wanted[n] }) {
			raw = append(raw, r.changes...)
		}
	}
	all := listed(merged(raw))
	sort.Slice(all, func(i, j int) bool { return all[i].Path < all[j].Path })
	all = moves(all)
	s.withDiffs(all)
	return all, nil
}
