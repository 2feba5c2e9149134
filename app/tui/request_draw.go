package tui

import (
	"strings"
	"time"

	"rein/app/tui/text"
)

// Lines lays the questions out. The rows are at most height; draw is true when they are really put on the screen.
func (l *requestList) Lines(width, height int, now time.Time) []text.Line {
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
func (l *requestList) single(q *request, width, height int, now time.Time) []text.Line {
	inner := max(width-10, 20)
	head := q.headline()
	if n := len(l.questions); n > 1 {
		head = append(head, text.In(text.Dim, "   "+l.Words.Of("%d of %d", l.row+1, n)))
	}
	lines := text.Indent(head.Wrap(width-4, text.Of(text.Plain, "  ")), 2)
	content, hidden := q.content(inner)
	below := text.Indent(wrapAll(q.reasons(hidden), inner), 6)
	choices := l.choiceLines(q, width, now)
	room := height - len(lines) - len(below) - len(choices) - 2
	var above text.Line
	least := 3
	if q.single() { // its text, a plan for example, is what the user decides on: it comes before the choices that are not chosen
		least = max(height-len(lines)-len(below)-4, 3)
	}
	if least = min(len(content), least); room < least { // a low screen shows the choices around the cursor
		above = text.Of(text.Dim, "    "+l.Words.Of("%d of %d", l.choice+1, len(choices)))
		shown := max(height-len(lines)-len(below)-least-2, 1)
		from := max(min(l.choice-shown/2, len(choices)-shown), 0)
		choices = choices[from:][:shown]
		room = height - len(lines) - len(below) - len(choices) - 2
	}
	content = q.seen.window(content, room, inner, l.Words)
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

func (l *requestList) choiceLines(q *request, width int, now time.Time) (out []text.Line) {
	label := 0
	for _, c := range q.choices() {
		label = max(label, text.Width(c.Label))
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
			line = append(line, text.In(text.Dim, strings.Repeat(" ", label-text.Width(c.Label)+2)+c.Note))
		}
		if line = line.Cut(width - 1); chosen {
			line = line.Pad(min(width-1, 100), text.Style{}).On(text.Chosen)
		}
		out = append(out, line)
	}
	return out
}

// several lays the questions out as a list.
func (l *requestList) several(width, height int, now time.Time) []text.Line {
	head := text.Line{text.Bold(text.Warn, "  ! "), text.Bold(text.Plain, l.Words.Of("%d wait", len(l.questions)))}
	keys := l.Words.Of("Enter opens  Space marks")
	if l.questions[l.row].Alone {
		keys = l.Words.Of("Enter opens  ! is answered alone")
	}
	lines := []text.Line{text.Spread(head, text.Of(text.Dim, keys), min(width-1, 100))}
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
	row := text.Line{text.In(text.Dim, "    "+l.Words.Of("Enter: "))}
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

func (q *request) who() string {
	if q.Who == "" {
		return q.words.Of("main")
	}
	return q.Who
}

// about is the call in one line; whole is false where that is not all of it.
func (q *request) about() (line string, whole bool) {
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

func (l *requestList) listRow(i, who, width int) text.Line {
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
	line := text.Line{text.In(text.Accent, mark), text.In(text.Warn, box), text.In(text.Accent, q.who()+strings.Repeat(" ", who-text.Width(q.who())+2)), text.Bold(text.Plain, text.Shown(q.Shown.Tool)), text.In(text.Plain, " "+about)}
	left := line.String()
	line = text.Spread(line, text.Of(text.Dim, text.OneLine(q.does())).Cut(width/2), min(width-1, 100))
	q.inRow = whole && strings.HasPrefix(line.String(), left)
	if i == l.row && l.focus {
		line = line.On(text.Chosen)
	}
	return line
}
