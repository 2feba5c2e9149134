package tui

import (
	"context"
	"errors"
	"fmt"

	tea "charm.land/bubbletea/v2"

	"rein/harness"
	"rein/harness/sessions"
	"rein/harness/snapshot"
	"rein/toolkit/detail"
	"rein/tui/block"
	"rein/tui/full"
	"rein/tui/text"
	"rein/undo"
)

// changesOf gives changes of files as a result has them.
func changesOf(all []undo.Change) (out []detail.Change) {
	for _, c := range all {
		out = append(out, detail.Change{Path: c.Path, From: c.From, Created: !c.Before.Exists(), Deleted: !c.After.Exists(), Added: c.Added, Removed: c.Removed, Diff: c.Diff})
	}
	return out
}

// diff shows what the session changed in files.
func (u *ui) diff(string) tea.Cmd {
	s, ctx := u.session, u.ctx
	return later(func() func(*ui) tea.Cmd {
		h, err := s.FileHistory()
		var all []undo.Change
		if err == nil {
			all, err = h.Changes(ctx, undo.Filter{})
		}
		return func(u *ui) tea.Cmd {
			switch {
			case err != nil:
				u.failed(err)
			case len(all) == 0:
				u.hint = "this session changed no files"
			default:
				u.open(full.NewPager("what this session changed: "+block.Count(int64(len(all)), "file"), block.Changes(changesOf(all), u.width-1)))
			}
			return nil
		}
	})
}

func (u *ui) undo(string) tea.Cmd { return u.takeBackFiles(undo.Selection{Last: 1}, "undo") }

func (u *ui) redo(string) tea.Cmd {
	return u.takeBackFiles(undo.Selection{Last: 1, Redo: true}, "redo")
}

// takeBackFiles shows what taking back would do, and does it when the user agrees.
func (u *ui) takeBackFiles(sel undo.Selection, title string) tea.Cmd {
	if !u.idle() {
		return nil
	}
	s, ctx := u.session, u.ctx
	return later(func() func(*ui) tea.Cmd {
		h, plan, err := planned(ctx, s, sel)
		return func(u *ui) tea.Cmd {
			switch {
			case errors.Is(err, undo.ErrNothing):
				u.hint = "there is nothing to " + title
			case err != nil:
				u.failed(err)
			default:
				u.open(u.confirmation(title, plan, func(u *ui) tea.Cmd { return u.apply(h, plan) }))
			}
			return nil
		}
	})
}

func planned(ctx context.Context, s *harness.Session, sel undo.Selection) (*snapshot.History, *undo.Plan, error) {
	h, err := s.FileHistory()
	if err != nil {
		return nil, nil, err
	}
	plan, err := h.Plan(ctx, sel)
	return h, plan, err
}

// confirmation lets the user see a plan before it is done.
func (u *ui) confirmation(title string, plan *undo.Plan, do func(*ui) tea.Cmd) *picker {
	rows := []full.Entry{{Name: "do it", About: block.Count(int64(len(plan.Changes)), "file")}, {Name: "leave all as it is"}}
	p := newPicker(title, rows, func(u *ui, e full.Entry) tea.Cmd {
		if e.Name != "do it" {
			return nil
		}
		return do(u)
	})
	p.Preview = func(_ full.Entry, width int) []text.Line { return planLines(plan, width) }
	return p
}

func planLines(plan *undo.Plan, width int) []text.Line {
	lines := block.Changes(changesOf(plan.Changes), width)
	for _, c := range plan.Conflicts {
		lines = append(lines, text.Of(text.Warn, text.OneLine(c.Path+": stays as it is: "+c.Why)).Cut(width))
	}
	for _, c := range plan.Uncovered {
		lines = append(lines, text.Of(text.Warn, text.OneLine(fmt.Sprint(c))).Cut(width))
	}
	return lines
}

// apply takes back what a plan says. Files that have changed since stay as they are.
func (u *ui) apply(h *snapshot.History, plan *undo.Plan) tea.Cmd {
	ctx := u.ctx
	return later(func() func(*ui) tea.Cmd {
		out, err := h.Undo(ctx, plan, nil)
		return func(u *ui) tea.Cmd {
			if err != nil {
				u.failed(err)
				return nil
			}
			u.tookBack(out)
			return nil
		}
	})
}

func (u *ui) tookBack(out *undo.Outcome) {
	u.note(text.Dim, "- taken back in "+block.Count(int64(len(out.Changes)), "file"))
	for _, c := range out.Conflicts {
		u.note(text.Warn, "! "+c.Path+" stays as it is: "+c.Why)
	}
	for _, f := range out.Failed {
		u.note(text.Error, fmt.Sprintf("! %s: %v", f.Path, f.Err))
	}
}

// rewindTo asks what goes back to before a message: the conversation, the files, or both. Without changed files only the
// conversation can.
func (u *ui) rewindTo(m sessions.Message) tea.Cmd {
	s, ctx := u.session, u.ctx
	return later(func() func(*ui) tea.Cmd {
		h, plan, err := planned(ctx, s, undo.Selection{Filter: undo.Filter{Message: m.Seq}})
		return func(u *ui) tea.Cmd {
			if err != nil || len(plan.Changes)+len(plan.Conflicts) == 0 {
				return u.goBack(m)
			}
			rows := []full.Entry{{Name: "conversation and files"}, {Name: "conversation only"}, {Name: "files only"}}
			p := newPicker("go back to before: "+text.OneLine(m.Text), rows, func(u *ui, e full.Entry) tea.Cmd {
				switch e.Name {
				case "files only":
					return u.apply(h, plan)
				case "conversation only":
					return u.goBack(m)
				}
				return tea.Sequence(u.apply(h, plan), u.goBack(m))
			})
			p.Preview = func(_ full.Entry, width int) []text.Line { return planLines(plan, width) }
			u.open(p)
			return nil
		}
	})
}
