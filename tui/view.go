package tui

import (
	"path/filepath"
	"strings"

	tea "charm.land/bubbletea/v2"

	"rein/tui/block"
	"rein/tui/notify"
	"rein/tui/text"
)

// View draws the live part of the screen, or the full-screen view that is open.
func (u *ui) View() tea.View {
	var v tea.View
	v.ReportFocus = true
	v.WindowTitle = u.title()
	if u.turn != nil && notify.Progress(u.o.Getenv) {
		v.ProgressBar = tea.NewProgressBar(tea.ProgressBarIndeterminate, 0)
		if u.questions.Len() > 0 {
			v.ProgressBar = tea.NewProgressBar(tea.ProgressBarWarning, 100)
		}
	}
	switch {
	case u.screen != nil:
		v.AltScreen = true
		lines, at := u.screen.Lines(u.width, u.height)
		v.SetContent(u.rendered(lines))
		if at != nil {
			v.Cursor = tea.NewCursor(at.X, at.Y)
		}
		return v
	case u.resize.active:
		v.SetContent(" ")
		return v
	case u.leaving:
		v.SetContent("")
		return v
	}
	lines, at := u.layout()
	u.lastView, u.lastCaret = lines, at
	v.SetContent(u.rendered(lines))
	v.Cursor = tea.NewCursor(min(at.x, u.width-1), at.y)
	v.Cursor.Blink = false
	return v
}

func (u *ui) rendered(lines []text.Line) string {
	var b strings.Builder
	for i, l := range lines {
		if i > 0 {
			b.WriteByte('\n')
		}
		u.theme.Append(&b, l.Cut(u.width))
	}
	return b.String()
}

// layout puts the live part together, from the bottom: status, what completes the line, the line, the questions, what
// runs, and the end of the answer in what is left.
func (u *ui) layout() (lines []text.Line, at caret) {
	room := u.ceiling()
	status := u.statusLines()
	room -= len(status)
	popup := u.popupLines(min(8, max(room-4, 1)))
	room -= len(popup)
	rows, at := u.inputLines(max(min(room/2, 10), 1))
	room -= len(rows) + 1
	now := u.now()
	questions := u.questions.Lines(u.width, max(room-2, 4), now)
	room -= len(questions)
	if len(questions) > 0 {
		room--
	}
	runs := u.live()
	queued := u.queuedLines()
	plan := u.planLines()
	if len(questions) > 0 { // calls that wait are in the questions
		plan = nil
		if runs = nil; room > 2 {
			runs = u.folded()
		}
	}
	runs = text.First(runs, max(room-len(queued), 0))
	room -= len(runs) + len(queued)
	plan = text.First(plan, max(room-1, 0))
	room -= len(plan)
	tail := u.tailLines(max(room-1, 0))

	for _, part := range [][]text.Line{tail, plan, append(runs, queued...), questions} {
		if len(part) == 0 {
			continue
		}
		if len(lines) > 0 && len(lines[len(lines)-1]) > 0 {
			lines = append(lines, nil)
		}
		lines = append(lines, part...)
	}
	if len(lines) > 0 { // apart from what was printed
		lines = append([]text.Line{nil}, lines...)
	}
	lines = append(lines, nil)
	at.y += len(lines)
	lines = append(append(append(lines, rows...), popup...), status...)
	if over := len(lines) - max(u.height-1, 3); over > 0 {
		lines, at.y = lines[over:], max(at.y-over, 0)
	}
	return lines, at
}

// tailLines is the end of the answer that has not left for the scrollback.
func (u *ui) tailLines(most int) []text.Line {
	if u.talk.stream == nil || most <= 0 {
		return nil
	}
	lines := u.talk.stream.Tail()
	for len(lines) > 0 && len(lines[0]) == 0 {
		lines = lines[1:]
	}
	return text.Indent(lines[max(len(lines)-most, 0):], 2)
}

// folded is what runs, on one line, while a question is open.
func (u *ui) folded() []text.Line {
	running := u.talk.live.Running("")
	if running == 0 {
		return nil
	}
	return []text.Line{text.Line{text.In(text.Accent, "  "+u.marks.State[block.Running]+" "), text.In(text.Dim, text.Count(running, "call")+" running")}}
}

// planLines is the plan, while the user wants to see it.
func (u *ui) planLines() []text.Line {
	if !u.showPlan || u.talk.plan == nil {
		return nil
	}
	return text.Indent(block.Plan(u.talk.plan, u.marks, u.textWidth()-4), 4)
}

// queuedLines are the messages that the model has not got.
func (u *ui) queuedLines() (lines []text.Line) {
	if u.turn == nil {
		return nil
	}
	for _, q := range u.session.Queued() {
		when := "next"
		if q.Steer {
			when = "now "
		}
		lines = append(lines, text.Line{text.In(text.Accent, "  "+when+"  "), text.In(text.Dim, text.OneLine(q.Text))}.Cut(u.width-1))
	}
	for _, m := range u.talk.after {
		lines = append(lines, text.Line{text.In(text.Accent, "  next  "), text.In(text.Dim, text.OneLine(m))}.Cut(u.width-1))
	}
	return lines
}

// inputLines is the line in which the user writes, at most most rows of it around the cursor.
func (u *ui) inputLines(most int) ([]text.Line, caret) {
	rows, y, x := u.editor.Rows(max(u.width-4, 8))
	first := 0
	if len(rows) > most {
		first = min(max(y-most/2, 0), len(rows)-most)
		rows = rows[first : first+most]
	}
	lines := make([]text.Line, len(rows))
	for i, r := range rows {
		mark := text.In(text.Plain, "  ")
		if i+first == 0 {
			mark = text.Bold(text.Accent, u.marks.You+" ")
		}
		lines[i] = append(text.Line{mark}, r...)
	}
	if u.editor.Empty() {
		lines[0] = append(lines[0], text.In(text.Dim, u.placeholder())).Cut(u.width - 1)
	}
	return lines, caret{x + 2, y - first}
}

func (u *ui) placeholder() string {
	switch {
	case u.telling != nil && u.telling.Shown.Questions != nil:
		return "your answer"
	case u.keeping != "":
		return "the rule as you want it"
	case u.changing:
		return "the call as you want it"
	case u.telling != nil:
		return "why not? The model reads it"
	case u.turn != nil:
		return ""
	case u.sent || u.o.Resumed:
		return ""
	}
	return "Ask, or type / for commands, ? for keys"
}

// title of the window: a question mark while a request waits.
func (u *ui) title() string {
	name := text.OneLine(filepath.Base(u.root()))
	switch {
	case u.questions.Len() > 0:
		return "? rein " + name
	case u.turn != nil:
		return "* rein " + name
	}
	return "rein " + name
}
