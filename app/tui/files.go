package tui

import (
	"errors"
	"strings"

	tea "charm.land/bubbletea/v2"

	"rein/app/harness"
	"rein/app/session"
	"rein/app/sessions"
	"rein/app/tui/block"
	"rein/app/tui/full"
	"rein/app/tui/text"
	"rein/tool"
)

// showChanges shows what the session changed in files.
func showChanges(u *ui, _ string) tea.Cmd {
	s, ctx := u.session, u.ctx
	return fetch(func() ([]tool.Change, error) { return s.Changes(ctx) }, func(u *ui, all []tool.Change) tea.Cmd {
		if len(all) == 0 {
			u.hint = "this session changed no files"
		} else {
			u.open(full.NewPager(u.words.Of("what this session changed: %s", u.words.Count(len(all), "change")), u.marks.Changes(all, u.width-1)))
		}
		return nil
	})
}

// takeBackFiles shows what taking back would do, and does it when the user agrees.
func takeBackFiles(u *ui, which, title string) tea.Cmd {
	if !u.idle() {
		return nil
	}
	s, ctx := u.session, u.ctx
	return later(func() func(*ui) tea.Cmd {
		plan, err := s.PlanUndo(ctx, session.Undoing{Last: 1, Which: which, Redo: title == "redo"})
		return func(u *ui) tea.Cmd {
			switch {
			case errors.Is(err, session.ErrNothing):
				u.hint = u.words.Of("there is nothing to %s", title)
			case err != nil:
				u.wrong(err)
			default:
				u.open(confirmation(u.display, title, plan))
			}
			return nil
		}
	})
}

// confirmation lets the user see a plan before it is done.
func confirmation(u *display, title string, plan *session.Undo) *picker {
	rows := []full.Entry{{Name: u.words.Of("do it"), About: u.words.Count(len(plan.Changes), "change"), Value: true}, {Name: u.words.Of("leave all as it is")}}
	if len(plan.Changes) == 0 { // the preview says why
		rows = rows[1:]
	}
	if len(plan.Conflicts) > 0 {
		rows = append(rows, full.Entry{Name: u.words.Of("restore also what you changed since"), About: text.OneLine(strings.Join(plan.Conflicts, ", ")), Value: plan.Conflicts})
	}
	p := newPicker(title, rows, func(u *ui, e full.Entry) tea.Cmd {
		if e.Value == nil {
			return nil
		}
		also, _ := e.Value.([]string)
		return apply(u, plan, title == "redo", also...)
	})
	p.Preview = func(_ full.Entry, width int) []text.Line { return planLines(u.marks, u.words, plan.ShownUndo, width) }
	return p
}

// planLines show what stays as it is, then all files, then the diffs: a preview may have room for the first lines only.
func planLines(marks block.Marks, words text.Words, plan harness.ShownUndo, width int) (lines []text.Line) {
	for _, why := range plan.Stays {
		lines = append(lines, text.Of(text.Warn, text.OneLine(words.Command(why))).Wrap(width, nil)...)
	}
	if len(plan.Changes) > 1 {
		for _, c := range plan.Changes {
			lines = append(lines, marks.ChangeLine(c).Cut(width))
		}
	}
	if len(lines) > 0 {
		lines = append(lines, nil)
	}
	return append(lines, marks.Changes(plan.Changes, width)...)
}

// apply takes back what a plan says, or restores what was taken back. Files that have changed since stay as they are, but those that are
// named.
func apply(u *ui, plan *session.Undo, redo bool, also ...string) tea.Cmd {
	ctx := u.ctx
	return fetch(func() (harness.ShownUndo, error) { return plan.Do(ctx, also...) }, func(u *ui, did harness.ShownUndo) tea.Cmd {
		switch n := u.words.Count(len(did.Changes), "change"); {
		case len(did.Changes) == 0: // what stays says why
		case redo:
			u.note(text.Dim, u.words.Of("- redone: %s", n))
		default:
			u.note(text.Dim, u.words.Of("- undone: %s", n))
		}
		for _, why := range did.Stays {
			u.note(text.Warn, "! "+u.words.Command(why))
		}
		return nil
	})
}

// rewindTo asks what goes back to before a message: the conversation, the files, or both. Without changed files only the
// conversation can.
func rewindTo(u *ui, m sessions.Message) tea.Cmd {
	s, ctx := u.session, u.ctx
	return later(func() func(*ui) tea.Cmd {
		plan, err := s.PlanUndo(ctx, session.Undoing{Message: m.Seq})
		return func(u *ui) tea.Cmd {
			if err != nil || len(plan.Changes)+len(plan.Stays) == 0 {
				return goBack(u, m)
			}
			rows := []full.Entry{{Name: u.words.Of("conversation and files")}, {Name: u.words.Of("conversation only"), Value: "talk"}, {Name: u.words.Of("files only"), Value: "files"}}
			if len(plan.Changes) == 0 { // the preview says why
				rows = rows[1:2]
			}
			p := newPicker(u.words.Of("go back to before: %s", text.OneLine(m.Text)), rows, func(u *ui, e full.Entry) tea.Cmd {
				switch e.Value {
				case "files":
					return apply(u, plan, false)
				case "talk":
					return goBack(u, m)
				}
				return tea.Sequence(apply(u, plan, false), goBack(u, m))
			})
			p.Preview = func(_ full.Entry, width int) []text.Line { return planLines(u.marks, u.words, plan.ShownUndo, width) }
			u.open(p)
			return nil
		}
	})
}
