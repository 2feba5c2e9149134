package tui

import (
	"errors"

	tea "charm.land/bubbletea/v2"

	"rein/tui/block"
	"rein/tui/full"
	"rein/tui/session"
	"rein/tui/text"
)

// diff shows what the session changed in files.
func (u *ui) diff(string) tea.Cmd {
	s, ctx := u.session, u.ctx
	return later(func() func(*ui) tea.Cmd {
		all, err := s.Changes(ctx)
		return func(u *ui) tea.Cmd {
			switch {
			case err != nil:
				u.failed(err)
			case len(all) == 0:
				u.hint = "this session changed no files"
			default:
				u.open(full.NewPager("what this session changed: "+text.Count(len(all), "file"), block.Changes(all, u.width-1)))
			}
			return nil
		}
	})
}

// takeBackFiles shows what taking back would do, and does it when the user agrees.
func (u *ui) takeBackFiles(which, title string) tea.Cmd {
	if !u.idle() {
		return nil
	}
	s, ctx := u.session, u.ctx
	return later(func() func(*ui) tea.Cmd {
		plan, err := s.PlanUndo(ctx, session.Undoing{Last: 1, Which: which, Redo: title == "redo"})
		return func(u *ui) tea.Cmd {
			switch {
			case errors.Is(err, session.ErrNothing):
				u.hint = "there is nothing to " + title
			case err != nil:
				u.failed(err)
			default:
				u.open(u.confirmation(title, plan, func(u *ui) tea.Cmd { return u.apply(plan) }))
			}
			return nil
		}
	})
}

// confirmation lets the user see a plan before it is done.
func (u *ui) confirmation(title string, plan *session.Undo, do func(*ui) tea.Cmd) *picker {
	rows := []full.Entry{{Name: "do it", About: text.Count(len(plan.Changes), "file")}, {Name: "leave all as it is"}}
	p := newPicker(title, rows, func(u *ui, e full.Entry) tea.Cmd {
		if e.Name != "do it" {
			return nil
		}
		return do(u)
	})
	p.Preview = func(_ full.Entry, width int) []text.Line { return planLines(plan, width) }
	return p
}

func planLines(plan *session.Undo, width int) []text.Line {
	lines := block.Changes(plan.Changes, width)
	for _, why := range plan.Stays {
		lines = append(lines, text.Of(text.Warn, text.OneLine(why)).Cut(width))
	}
	return lines
}

// apply takes back what a plan says. Files that have changed since stay as they are.
func (u *ui) apply(plan *session.Undo) tea.Cmd {
	ctx := u.ctx
	return later(func() func(*ui) tea.Cmd {
		did, err := plan.Do(ctx)
		return func(u *ui) tea.Cmd {
			if err != nil {
				u.failed(err)
				return nil
			}
			u.note(text.Dim, "- undone in "+text.Count(len(did.Changes), "file"))
			for _, why := range did.Stays {
				u.note(text.Warn, "! "+why)
			}
			return nil
		}
	})
}

// rewindTo asks what goes back to before a message: the conversation, the files, or both. Without changed files only the
// conversation can.
func (u *ui) rewindTo(m session.Message) tea.Cmd {
	s, ctx := u.session, u.ctx
	return later(func() func(*ui) tea.Cmd {
		plan, err := s.PlanUndo(ctx, session.Undoing{Message: m.Seq})
		return func(u *ui) tea.Cmd {
			if err != nil || len(plan.Changes)+len(plan.Stays) == 0 {
				return u.goBack(m)
			}
			rows := []full.Entry{{Name: "conversation and files"}, {Name: "conversation only"}, {Name: "files only"}}
			p := newPicker("go back to before: "+text.OneLine(m.Text), rows, func(u *ui, e full.Entry) tea.Cmd {
				switch e.Name {
				case "files only":
					return u.apply(plan)
				case "conversation only":
					return u.goBack(m)
				}
				return tea.Sequence(u.apply(plan), u.goBack(m))
			})
			p.Preview = func(_ full.Entry, width int) []text.Line { return planLines(plan, width) }
			u.open(p)
			return nil
		}
	})
}
