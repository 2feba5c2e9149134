package approval

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"rein/app/tui/text"
	"rein/guard"
)

// Pause is how long after a question was drawn, and after the last letter that the user typed, no key answers it: the key
// may have been meant for something else.
const Pause = 500 * time.Millisecond

// List holds the questions that wait, the oldest first. With more than one it is shown as a list; one of them may be open.
type List struct {
	questions []*Question
	focus     bool
	one       bool // the question under the cursor is shown separately
	row       int  // of the list
	choice    int  // of the open question, or of the row of actions
	typed     time.Time
}

// Outcome is what a key did.
type Outcome struct {
	Kind      Kind
	Questions []*Question // empty: nothing is to be done
	Answer    guard.Answer
}

// Len returns the number of questions.
func (l *List) Len() int { return len(l.questions) }

// Focused reports whether keys that move go to the questions.
func (l *List) Focused() bool { return l.focus && len(l.questions) > 0 }

// Add adds a question: in the order of the calls, but nothing moves below a user who is choosing.
func (l *List) Add(q *Question) {
	q.Alone = q.Alone || q.Shown.Alone()
	if len(q.Shown.Writes) > 0 {
		q.file = q.Shown.Writes[0]
	}
	at := slices.IndexFunc(l.questions, func(o *Question) bool { return o.Who == q.Who && o.Order > q.Order })
	if at < 0 || l.focus {
		at = len(l.questions)
	}
	l.questions = slices.Insert(l.questions, at, q)
	if len(l.questions) == 1 {
		l.row, l.choice, l.focus = 0, q.first(), false
	} else if !l.focus {
		l.one, l.choice = false, 0
	}
}

// Remove takes a question away.
func (l *List) Remove(id string) *Question {
	i := slices.IndexFunc(l.questions, func(q *Question) bool { return q.ID == id })
	if i < 0 {
		return nil
	}
	q := l.questions[i]
	l.questions = slices.Delete(l.questions, i, i+1)
	if i < l.row || l.row >= len(l.questions) {
		l.row = max(l.row-1, 0)
	}
	l.one, l.choice = false, 0
	if len(l.questions) == 0 {
		l.focus = false
	} else {
		l.reset()
	}
	return q
}

// reset lets what is shown now start again: its first choice, and its pause.
func (l *List) reset() {
	l.choice = 0
	if q := l.open(); q != nil {
		l.choice = q.first()
		q.drawn = time.Time{}
	}
}

// open is the question that is shown separately, or nil.
func (l *List) open() *Question {
	if len(l.questions) == 1 || l.one && l.row < len(l.questions) {
		return l.questions[min(l.row, len(l.questions)-1)]
	}
	return nil
}

// Open returns the question that is shown separately, or the one under the cursor.
func (l *List) Open() *Question {
	if len(l.questions) == 0 {
		return nil
	}
	return l.questions[min(l.row, len(l.questions)-1)]
}

// Typed is called for each key that went elsewhere.
func (l *List) Typed(now time.Time) {
	l.typed = now
	l.focus = false
}

// Focus moves the keys to the questions.
func (l *List) Focus() {
	if len(l.questions) > 0 {
		l.focus = true
	}
}

// Blur moves them back. From an open question of several it goes back to the list first.
func (l *List) Blur() {
	if l.one && len(l.questions) > 1 {
		l.one, l.choice = false, 0
		return
	}
	l.focus = false
}

// Move moves the cursor by rows.
func (l *List) Move(by int) {
	if q := l.open(); q != nil {
		n := len(q.choices())
		l.choice = (l.choice + by + n) % n
		return
	}
	n := len(l.questions)
	l.row = (l.row + by + n) % n
}

// Side moves among the actions of a list.
func (l *List) Side(by int) {
	if l.open() == nil {
		n := len(l.actions())
		l.choice = (l.choice + by + n) % n
	}
}

// Mark marks or unmarks the row of a list. One that must be answered by itself is never marked.
func (l *List) Mark() {
	if l.open() == nil && !l.questions[l.row].Alone {
		l.questions[l.row].marked = !l.questions[l.row].marked
		l.choice = 0
	}
}

// actions of a list of several questions: the first one opens the row under the cursor, the others are for the rows that the user
// has marked.
func (l *List) actions() []Choice {
	all := []Choice{{Kind: Whole, Label: "open this one"}}
	if n := len(l.marked()); n > 0 {
		all = append(all, Choice{Kind: Approve, Label: fmt.Sprintf("approve the %d marked once", n)}, Choice{Kind: Deny, Label: fmt.Sprintf("deny the %d marked", n)})
	}
	return all
}

func (l *List) marked() (all []*Question) {
	for _, q := range l.questions {
		if q.marked {
			all = append(all, q)
		}
	}
	return all
}

// Ready reports whether Enter answers now.
func (l *List) Ready(now time.Time) bool {
	if len(l.questions) == 0 || !l.focus || now.Sub(l.typed) < Pause {
		return false
	}
	if q := l.open(); q != nil {
		return !q.drawn.IsZero() && now.Sub(q.drawn) >= Pause
	}
	for _, q := range l.questions {
		if q.drawn.IsZero() || now.Sub(q.drawn) < Pause {
			return false
		}
	}
	return true
}

// Enter does what is under the cursor. again is set while the key is held down: then nothing happens.
func (l *List) Enter(now time.Time, again bool) Outcome {
	if again || !l.Ready(now) {
		return Outcome{}
	}
	if q := l.open(); q != nil {
		return l.choose(q, now)
	}
	action, marked := l.actions()[l.choice], l.marked()
	if action.Kind == Whole {
		l.one = true
		l.reset()
		return Outcome{}
	}
	var unseen []*Question
	for _, q := range marked {
		if !q.inRow && !q.seen.whole() {
			unseen = append(unseen, q)
		}
	}
	if action.Kind == Approve && len(unseen) > 0 {
		return Outcome{Kind: Whole, Questions: unseen}
	}
	return Outcome{Kind: action.Kind, Questions: marked, Answer: answerOf(action)}
}

func (l *List) choose(q *Question, now time.Time) Outcome {
	c := q.choices()[l.choice]
	if (c.Kind == Approve || c.Kind == Keep) && !q.seen.whole() {
		return l.goOn(q, now)
	}
	o := Outcome{Kind: c.Kind, Questions: []*Question{q}, Answer: answerOf(c)}
	if c.Answer != "" {
		o.Answer.Chosen, _ = q.Shown.Questions.Read(c.Answer) // the number of a choice always fits
	}
	return o
}

// Answer returns an answer by a chord: once, or no. The rules of Enter hold, and only a request that is open by itself is answered.
func (l *List) Answer(approve bool, now time.Time, again bool) Outcome {
	q := l.open()
	if q == nil {
		return Outcome{}
	}
	focused := l.focus
	l.focus = true
	if again || !l.Ready(now) {
		l.focus = focused
		return Outcome{}
	}
	for i, c := range q.choices() {
		if approve && c.Kind == Approve || !approve && c.Kind == Deny {
			l.choice = i
			return l.choose(q, now)
		}
	}
	return Outcome{}
}

func answerOf(c Choice) guard.Answer {
	a := guard.Answer{Choice: guard.Denied, By: guard.ByPerson(""), From: "terminal"}
	if c.Kind == Approve {
		a.Choice, a.Scope = guard.Approved, c.Scope
	}
	return a
}

// Lines lays the questions out. The rows are at most height; draw is true when they are really put on the screen.
func (l *List) Lines(width, height int, now time.Time) []text.Line {
	if len(l.questions) == 0 {
		return nil
	}
	if q := l.open(); q != nil {
		if q.drawn.IsZero() {
			q.drawn = now
		}
		return l.single(q, width, height, now)
	}
	for _, q := range l.questions {
		if q.drawn.IsZero() {
			q.drawn = now
		}
	}
	return l.several(width, height, now)
}

// single lays one question out: what it would do, all of it or its start and its end, why, and the choices.
func (l *List) single(q *Question, width, height int, now time.Time) []text.Line {
	inner := max(width-10, 20)
	head := q.headline()
	if n := len(l.questions); n > 1 {
		head = append(head, text.In(text.Dim, fmt.Sprintf("   %d of %d", l.row+1, n)))
	}
	lines := text.Indent(head.Wrap(width-4, text.Of(text.Plain, "  ")), 2)
	content, hidden := q.content(inner)
	below := text.Indent(wrapAll(q.reasons(hidden), inner), 6)
	choices := l.choiceLines(q, width, now)
	room := height - len(lines) - len(below) - len(choices) - 2
	var above text.Line
	if least := min(len(content), 3); room < least { // a low screen shows the choices around the cursor
		above = text.Of(text.Dim, fmt.Sprintf("    %d of %d", l.choice+1, len(choices)))
		shown := max(height-len(lines)-len(below)-least-2, 1)
		from := max(min(l.choice-shown/2, len(choices)-shown), 0)
		choices = choices[from:][:shown]
		room = height - len(lines) - len(below) - len(choices) - 2
	}
	content = q.seen.window(content, room, inner)
	lines = append(append(lines, nil), text.Indent(content, 6)...)
	lines = append(append(lines, below...), above)
	return append(lines, choices...)
}

func wrapAll(lines []text.Line, width int) (out []text.Line) {
	for _, l := range lines {
		out = append(out, l.Wrap(width, nil)...)
	}
	return out
}

func (l *List) choiceLines(q *Question, width int, now time.Time) (out []text.Line) {
	label := 0
	for _, c := range q.choices() {
		label = max(label, len(c.Label))
	}
	ready := l.Ready(now)
	for i, c := range q.choices() {
		chosen := i == l.choice && l.focus
		mark := "    "
		if i == l.choice {
			mark = "  › "
		}
		role := text.Plain
		if !ready && l.focus {
			role = text.Dim
		}
		line := text.Line{text.In(text.Accent, mark), {Text: c.Label, Style: text.Style{Role: role, Bold: chosen}}}
		if c.Note != "" && width >= 60 {
			line = append(line, text.In(text.Dim, strings.Repeat(" ", label-len(c.Label)+2)+c.Note))
		}
		if line = line.Cut(width - 1); chosen {
			line = line.Pad(min(width-1, 100), text.Style{}).On(text.Chosen)
		}
		out = append(out, line)
	}
	return out
}

// several lays the questions out as a list.
func (l *List) several(width, height int, now time.Time) []text.Line {
	head := text.Line{text.Bold(text.Warn, "  ! "), text.Bold(text.Plain, fmt.Sprintf("%d wait", len(l.questions)))}
	lines := []text.Line{text.Spread(head, text.Of(text.Dim, "Enter opens  Space marks"), min(width-1, 100))}
	room := max(height-4, 3)
	first := 0
	if l.row >= room {
		first = l.row - room + 1
	}
	who := 0
	for _, q := range l.questions {
		who = max(who, text.Width(q.who()))
	}
	for i := first; i < len(l.questions) && i < first+room; i++ {
		lines = append(lines, l.listRow(i, who, width))
	}
	row := text.Line{text.In(text.Dim, "    Enter: ")}
	ready := l.Ready(now)
	for i, a := range l.actions() {
		s := text.In(text.Dim, "  "+a.Label)
		if i == l.choice {
			s = text.Bold(text.Plain, "› "+a.Label)
			if l.focus && ready {
				s.Ground = text.Chosen
			}
		}
		row = append(row, s, text.In(text.Plain, "  "))
	}
	return append(lines, row.Cut(width-1))
}

func (q *Question) who() string {
	if q.Who == "" {
		return "main"
	}
	return q.Who
}

// about is the call in one line; whole is false where that is not all of it.
func (q *Question) about() (line string, whole bool) {
	lines := []string{q.Shown.Command}
	if q.Shown.Command == "" {
		lines = q.body()
	}
	_, hidden := text.Safe(strings.Join(lines, ""))
	whole = len(lines) == 1 && !strings.Contains(lines[0], "\n") && hidden == 0 && len(q.Shown.Diff) == 0
	if len(q.Shown.Writes) > 0 && q.Shown.Command == "" {
		lines = []string{strings.Join(q.Shown.Writes, ", ")}
	}
	return text.OneLine(strings.Join(lines, " ")), whole
}

func (l *List) listRow(i, who, width int) text.Line {
	q := l.questions[i]
	mark, box := "    ", "▫ "
	if i == l.row {
		mark = "  › "
	}
	if q.marked {
		box = "▪ "
	}
	if q.Alone {
		box = "! "
	}
	about, whole := q.about()
	line := text.Line{text.In(text.Accent, mark), text.In(text.Warn, box), text.In(text.Accent, fmt.Sprintf("%-*s  ", who, q.who())), text.Bold(text.Plain, text.Shown(q.Shown.Tool)), text.In(text.Plain, " "+about)}
	left := line.String()
	line = text.Spread(line, text.Of(text.Dim, text.OneLine(strings.TrimPrefix(q.Would(), "would "))).Cut(width/2), min(width-1, 100))
	q.inRow = whole && strings.HasPrefix(line.String(), left)
	if i == l.row && l.focus {
		line = line.On(text.Chosen)
	}
	return line
}
