package tui

import (
	"cmp"
	"slices"
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

// single lays one question out: what it would do, all of it or its start and its end, why, and the choices. Where there is no room for that,
// each reason has one row; where there is still none, the choices stand behind each other, each in a word or two.
func (l *requestList) single(q *request, width, height int, now time.Time) []text.Line {
	inner := max(width-10, 20)
	head := q.headline()
	if n := len(l.questions); n > 1 {
		head = append(head, text.In(text.Dim, "   "+l.Words.Of("%d of %d", l.row+1, n)))
	}
	if left := q.left(now); left > 0 {
		head = append(head, text.In(text.Warn, "   "+l.Words.Of("%d s left", int(left.Seconds()+0.999))))
	}
	content, hidden := q.content(inner)
	reasons := q.reasons(hidden)
	p := requestParts{height: height, head: text.Indent(head.Wrap(width-4, text.Of(text.Plain, "  ")), 2), reasons: text.Indent(wrapAll(reasons, inner), 6), choices: l.choiceLines(q, width, now)}
	least := 3
	if q.single() { // its text, a plan for example, is what the user decides on: it comes before the choices that are not chosen
		least = max(height-len(p.head)-len(p.reasons)-4, 3)
	}
	least = min(len(content), least)
	whole := p.reasons
	if p.room() < least {
		p.reasons = nil
		for _, r := range reasons {
			p.reasons = append(p.reasons, text.Indent([]text.Line{r.Cut(inner)}, 6)...)
		}
	}
	if l.inShort = p.room() < least; l.inShort {
		p.choices = l.choicesInShort(q, width, p.choices[l.choice], max(height-2-min(least, 2), 1))
		if p.room()+len(p.reasons)-len(whole) >= least {
			p.reasons = whole
		}
		p.squeeze(min(least, 3), width-2)
	}
	return p.around(text.Indent(q.seen.window(content, p.room(), inner, l.Words), 6))
}

// requestParts are the rows of a question, of which there are at most height, around its content.
type requestParts struct {
	height                 int
	head, reasons, choices []text.Line
	dense                  bool // no empty rows
}

// squeeze makes room for rows of the content, as far as it can: it leaves out the empty rows, then the end of what would be done, then why it is
// asked. All of it is in the full screen.
func (p *requestParts) squeeze(rows, width int) {
	p.dense = p.room() < rows
	for n := len(p.head); p.room() < rows && n > 1; n-- {
		p.head = append(p.head[:n-2], append(p.head[n-2], text.In(text.Plain, strings.Repeat(" ", width))).Cut(width))
	}
	for p.room() < rows && len(p.reasons) > 0 {
		p.reasons = p.reasons[:len(p.reasons)-1]
	}
}

// room is how many rows the content may have.
func (p *requestParts) room() int {
	room := p.height - len(p.head) - len(p.reasons) - len(p.choices)
	if !p.dense {
		room -= 2
	}
	return room
}

func (p *requestParts) around(content []text.Line) []text.Line {
	var empty []text.Line
	if !p.dense {
		empty = []text.Line{nil}
	}
	return slices.Concat(p.head, empty, content, p.reasons, empty, p.choices)
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
			note := c.note(l.Words, width-1-text.Width(mark)-label-2)
			line = append(line, text.In(text.Dim, strings.Repeat(" ", label-text.Width(c.Label)+2)+note))
		}
		if line = line.Cut(width - 1); chosen {
			line = line.Pad(min(width-1, 100), text.Style{}).On(text.Chosen)
		}
		out = append(out, line)
	}
	return out
}

// choicesInShort is the choice under the cursor, and below it all of them, each in a word or two, in at most most rows around that one.
func (l *requestList) choicesInShort(q *request, width int, chosen text.Line, most int) []text.Line {
	rows, at, used := []text.Line{text.Of(text.Plain, "  ")}, 0, 2
	all := q.choices()
	for i, c := range all {
		name := text.Of(text.Plain, cmp.Or(c.Word, c.Label)).Cut(width - 6).String()
		label := text.Of(text.Dim, " "+name+" ")
		if i == l.choice {
			label = text.Line{text.Bold(text.Plain, "["+name+"]")}
		}
		if used += label.Width(); used > width-1 {
			rows, used = append(rows, text.Of(text.Plain, "  ")), 2+label.Width()
		}
		if rows[len(rows)-1] = append(rows[len(rows)-1], label...); i == l.choice {
			at = len(rows) - 1
		}
	}
	if len(rows) > most {
		chosen = text.Spread(chosen.Cut(width-12), text.Of(text.Dim, l.Words.Of("%d of %d", l.choice+1, len(all))), width-1)
		from := max(min(at-most/2, len(rows)-most), 0)
		rows = rows[from:][:most]
	}
	return append([]text.Line{chosen}, rows...)
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
	line := text.Line{text.In(text.Accent, mark), text.In(text.Warn, box), text.In(text.Accent, q.who()+strings.Repeat(" ", who-text.Width(q.who())+2)), text.Bold(text.Plain, q.tool()), text.In(text.Plain, " "+about)}
	left := line.String()
	if does := text.Of(text.Dim, text.OneLine(q.does())); width >= medium {
		line = text.Spread(line, does.Cut(width/2), min(width-1, 100))
	} else if about == "" {
		line = append(line, does...).Cut(width - 1)
	} else { // what runs counts more than what it does
		line = line.Cut(width - 1)
	}
	q.inRow = whole && strings.HasPrefix(line.String(), left)
	if i == l.row && l.focus {
		line = line.On(text.Chosen)
	}
	return line
}
