package harness

import (
	"context"
	"fmt"
	"slices"

	"rein/kit/undo"
	"rein/tool"
)

// ShownUndo is a plan to take changes back, or what was taken back, as people see it.
type ShownUndo struct {
	Changes   []tool.Change
	Stays     []string // files that stay as they are, and why
	Conflicts []string // those of them that can be restored all the same, by their paths
}

// ShowChanges returns what Changes gives, as a result of a tool has it.
func (f *UndoHistory) ShowChanges(ctx context.Context) ([]tool.Change, error) {
	all, err := f.Changes(ctx, undo.Filter{})
	return resultChanges(all), err
}

// ShowPlan returns a plan as people see it: see Plan. do does it, and restores also the conflicts that it gets.
func (f *UndoHistory) ShowPlan(ctx context.Context, sel undo.Selection) (plan ShownUndo, do func(_ context.Context, also ...string) (ShownUndo, error), err error) {
	p, err := f.Plan(ctx, sel)
	if err != nil {
		return plan, nil, err
	}
	do = func(ctx context.Context, also ...string) (ShownUndo, error) {
		out, err := f.Undo(ctx, p, &undo.Answers{Paths: also})
		if err != nil {
			return ShownUndo{}, err
		}
		did := ShownUndo{Changes: resultChanges(out.Changes), Stays: staying(out.Conflicts, nil)}
		for _, failed := range out.Failed {
			did.Stays = append(did.Stays, fmt.Sprintf("%s: %v", failed.Path, failed.Err))
		}
		return did, nil
	}
	plan = ShownUndo{Changes: resultChanges(p.Changes), Stays: append(slices.Clone(p.Running), staying(p.Conflicts, p.Uncovered)...)}
	for _, c := range p.Conflicts {
		if !c.Fixed {
			plan.Conflicts = append(plan.Conflicts, c.Path)
		}
	}
	return plan, do, nil
}

// resultChanges returns changes of files as a result has them.
func resultChanges(all []undo.Change) (out []tool.Change) {
	for _, c := range all {
		out = append(out, tool.Change{Path: c.Path, From: c.From, Created: !c.Before.Exists(), Deleted: !c.After.Exists(), Mode: c.What == undo.Chmod, Added: c.Added, Removed: c.Removed, Diff: c.Diff})
	}
	return out
}

// staying says which files stay as they are, and why.
func staying(conflicts []undo.Conflict, uncovered []undo.Uncovered) (all []string) {
	for _, c := range conflicts {
		all = append(all, c.Path+" stays as it is: "+c.Why)
	}
	for _, c := range uncovered {
		all = append(all, c.String())
	}
	return all
}
