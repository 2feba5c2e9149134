package tui

import (
	"path/filepath"

	tea "charm.land/bubbletea/v2"

	"rein/app/tui/text"
)

// View draws the live part of the screen, or the full-screen view that is open. Within a burst of keys it is what it was.
func (u *ui) View() tea.View {
	now := drawing{screen: u.screen, asks: u.questions.Len(), leaves: u.leaving || u.asleep}
	if u.pace.keeps && u.pace.of == now {
		return u.pace.kept
	}
	began := u.now()
	u.pace.of, u.pace.kept = now, u.drawView()
	took := u.now().Sub(began) // a long line takes a while
	u.presses.burst.Busy(took)
	u.pace.burst.Busy(took)
	return u.pace.kept
}

func (u *ui) drawView() tea.View {
	var v tea.View
	v.ReportFocus = true
	v.WindowTitle = u.title()
	if u.turn != nil && showsProgress(u.o.Getenv) {
		v.ProgressBar = tea.NewProgressBar(tea.ProgressBarIndeterminate, 0)
		if u.questions.Len() > 0 {
			v.ProgressBar = tea.NewProgressBar(tea.ProgressBarWarning, 100)
		}
	}
	switch {
	case u.drawWhole(&v):
	case u.leaving || u.asleep:
		v.SetContent("")
	default:
		lines, at := u.layout()
		u.draw(&v, lines, at)
	}
	return v
}

// The heights from which on a request has an empty row above and below it.
const lowScreen, lowestScreen = 16, 10

// apart is how many empty rows are around a request.
func (d *display) apart() int {
	if d.height < lowScreen {
		return 0
	}
	return 2
}

// fits is how many rows of a request are on the screen beside rows that are always there.
func (d *display) fits(others int) int {
	fits := max(d.height-1, 3) - others
	if d.height >= lowestScreen {
		fits--
	}
	if d.height >= lowScreen {
		fits--
	}
	return fits
}

// layout puts the live part together, from the bottom: status, what completes the line, the line, the questions, what
// runs, and the end of the answer in what is left.
func (u *ui) layout() (lines []text.Line, at caret) {
	room := u.ceiling(u.questions.Len() > 0)
	status := u.statusLines()
	room -= len(status)
	var popup []text.Line
	if !u.questions.Focused() {
		popup = u.line.popup.Lines(min(8, max(room-4, 1)), min(u.width-1, 100))
	}
	room -= len(popup)
	rows, at := u.line.lines(max(min(room/2, 10), 1), u.width, u.marks.You, u.placeholder())
	room -= len(rows) + 1
	now := u.now()
	questions := u.questions.Lines(u.width, max(room-u.apart(), min(4, u.fits(len(status)+len(popup)+len(rows)))), now)
	room -= len(questions)
	if len(questions) > 0 {
		room--
	}
	var runs []text.Line
	if u.session != nil { // the first frame is drawn before there is one
		runs = u.talk.running(u.session.ID(), u.turn, now)
	}
	queued := u.queuedLines()
	plan := u.talk.planLines()
	if len(questions) > 0 { // calls that wait are in the questions
		plan = nil
		if runs = nil; room > 2 {
			runs = u.talk.folded()
		}
	}
	runs = text.First(runs, max(room-len(queued), 0))
	room -= len(runs) + len(queued)
	plan = text.First(plan, max(room-1, 0))
	room -= len(plan)
	tail := u.talk.tail(max(room-1, 0))

	lines = stacked(tail, plan, append(runs, queued...), questions)
	low := len(questions) > 0 && u.height < lowScreen
	if len(lines) > 0 && !low { // apart from what was printed
		lines = append([]text.Line{nil}, lines...)
	}
	if !low || u.height >= lowestScreen {
		lines = append(lines, nil)
	}
	at.y += len(lines)
	lines = append(append(append(lines, rows...), popup...), status...)
	if over := len(lines) - max(u.height-1, 3); over > 0 {
		lines, at.y = lines[over:], max(at.y-over, 0)
	}
	return lines, at
}

// stacked puts parts below each other, with an empty row between two.
func stacked(parts ...[]text.Line) (lines []text.Line) {
	for _, part := range parts {
		if len(part) > 0 && len(lines) > 0 && len(lines[len(lines)-1]) > 0 {
			lines = append(lines, nil)
		}
		lines = append(lines, part...)
	}
	return lines
}

// queuedLines are the messages that the model has not got.
func (u *ui) queuedLines() (lines []text.Line) {
	if u.turn == nil {
		return nil
	}
	for _, q := range u.session.Queued() {
		when := u.words.Of("next")
		if q.Steer {
			when = u.words.Of("now ")
		}
		lines = append(lines, text.Line{text.In(text.Accent, "  "+when+"  "), text.In(text.Dim, text.OneLine(q.Text))}.Cut(u.width-1))
	}
	for _, m := range u.after {
		lines = append(lines, text.Line{text.In(text.Accent, "  "+u.words.Of("next")+"  "), text.In(text.Dim, text.OneLine(m.text))}.Cut(u.width-1))
	}
	return lines
}

func (u *ui) placeholder() string {
	if u.questions.telling != nil {
		return u.words.Of(u.questions.placeholder())
	}
	if u.turn != nil || u.sent || u.o.Resumed {
		return ""
	}
	return u.words.Of("Ask, or type / for commands, ? for keys")
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
