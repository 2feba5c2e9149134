package block

import (
	"fmt"
	"strings"

	"rein/app/tui/text"
)

// Row is one line of a diff.
type Row struct {
	Sign     byte // ' ', '+', '-', or '@' between two hunks
	Old, New int  // line numbers; 0: the line is not on that side
	Text     string
	words    []word // what changed within the line; nil: all of it, or nothing
}

// word is a range of bytes of a line that changed.
type word struct{ start, end int }

// Parse reads a unified diff of one file. A line that does not fit is taken as it is.
func Parse(unified string) []Row {
	var rows []Row
	before, after := 0, 0
	for line := range strings.Lines(strings.TrimRight(unified, "\n") + "\n") {
		line = strings.TrimRight(line, "\r\n")
		var a, b int
		switch {
		case strings.HasPrefix(line, "@@"):
			if _, err := fmt.Sscanf(line, "@@ -%d", &a); err == nil {
				before = a
			}
			if at := strings.Index(line, "+"); at > 0 {
				if _, err := fmt.Sscanf(line[at:], "+%d", &b); err == nil {
					after = b
				}
			}
			if len(rows) > 0 {
				rows = append(rows, Row{Sign: '@'})
			}
			continue
		case line == "", line[0] == '\\':
			continue
		}
		r := Row{Sign: line[0], Text: text.Shown(line[1:])}
		switch r.Sign {
		case '+':
			r.New = after
			after++
		case '-':
			r.Old = before
			before++
		default:
			r.Sign, r.Old, r.New = ' ', before, after
			before, after = before+1, after+1
		}
		rows = append(rows, r)
	}
	markWords(rows)
	return rows
}

// markWords finds what changed within the lines that replace others: the first removed line of a group belongs to the
// first added one, and so on.
func markWords(rows []Row) {
	for i := 0; i < len(rows); i++ {
		if rows[i].Sign != '-' {
			continue
		}
		first := i
		for i < len(rows) && rows[i].Sign == '-' {
			i++
		}
		added := i
		for i < len(rows) && rows[i].Sign == '+' {
			i++
		}
		for n := 0; first+n < added && added+n < i; n++ {
			markChanged(&rows[first+n], &rows[added+n])
		}
		i--
	}
}

// markChanged marks the part between the common start and the common end of two lines, in whole words. Lines that have little
// in common are not marked.
func markChanged(old, now *Row) {
	a, b := old.Text, now.Text
	head := 0
	for head < len(a) && head < len(b) && a[head] == b[head] {
		head++
	}
	for head > 0 && (inWord(a, head) || inWord(b, head)) {
		head--
	}
	tail := 0
	for tail < len(a)-head && tail < len(b)-head && a[len(a)-1-tail] == b[len(b)-1-tail] {
		tail++
	}
	for tail > 0 && (inWord(a, len(a)-tail) || inWord(b, len(b)-tail)) {
		tail--
	}
	if common := strings.TrimSpace(a[:head]) + strings.TrimSpace(a[len(a)-tail:]); 2*len(common) < min(len(strings.TrimSpace(a)), len(strings.TrimSpace(b))) {
		return
	}
	if head < len(a)-tail {
		old.words = []word{{head, len(a) - tail}}
	}
	if head < len(b)-tail {
		now.words = []word{{head, len(b) - tail}}
	}
}

// inWord reports whether a place is within a word or a character.
func inWord(s string, at int) bool {
	return at > 0 && at < len(s) && isWord(s[at-1]) && isWord(s[at])
}

func isWord(c byte) bool {
	return c == '_' || c >= 0x80 || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

// sideBySide is the least width in which both sides are shown next to each other.
const sideBySide = 110

// Lines lays rows out. file names the language. most limits the rows; 0 is no limit. left is how many rows did not fit.
func Lines(rows []Row, file string, width, most int) (lines []text.Line, left int) {
	if width >= sideBySide && changesLines(rows) {
		return rowsBeside(rows, file, width, most)
	}
	digits := numberWidth(rows)
	old, now := newHighlighter(file), newHighlighter(file)
	for i, r := range rows {
		if most > 0 && len(lines) >= most {
			return lines, len(rows) - i
		}
		lines = append(lines, rowLines(r, colourRow(r, old, now), r.number(), digits, width)...)
	}
	return lines, 0
}

// changesLines reports whether lines are both removed and added: only then two sides show more than one.
func changesLines(rows []Row) bool {
	signs := map[byte]bool{}
	for _, r := range rows {
		signs[r.Sign] = true
	}
	return signs['+'] && signs['-']
}

func (r Row) number() int {
	if r.Sign == '-' {
		return r.Old
	}
	return r.New
}

func numberWidth(rows []Row) int {
	most := 0
	for _, r := range rows {
		most = max(most, r.Old, r.New)
	}
	return max(len(fmt.Sprint(most)), 2)
}

// colourRow gives a row the colours of its language and marks the words that changed.
func colourRow(r Row, old, now *Highlighter) text.Line {
	var line text.Line
	switch r.Sign {
	case '-':
		line = old.Line(r.Text)
	case '+':
		line = now.Line(r.Text)
	case ' ':
		old.Line(r.Text)
		line = now.Line(r.Text)
	}
	ground, strong := text.Added, text.AddedWord
	if r.Sign == '-' {
		ground, strong = text.Removed, text.RemovedWord
	} else if r.Sign != '+' {
		return line
	}
	var out text.Line
	at := 0
	for _, s := range line {
		for s.Text != "" {
			n, g := len(s.Text), ground
			for _, w := range r.words {
				switch {
				case at < w.start:
					n = min(n, w.start-at)
				case at < w.end:
					n, g = min(n, w.end-at), strong
				}
			}
			piece := text.Span{Text: s.Text[:n], Style: s.Style}
			piece.Ground = g
			out = append(out, piece)
			s.Text, at = s.Text[n:], at+n
		}
	}
	return out
}

// rowLines lays one row out: number, sign, text, on its ground up to the right edge.
func rowLines(r Row, line text.Line, number, digits, width int) (out []text.Line) {
	if r.Sign == '@' {
		return []text.Line{text.Of(text.Dim, strings.Repeat(" ", digits)+"  ...")}
	}
	ground := map[byte]text.Ground{'+': text.Added, '-': text.Removed}[r.Sign]
	sign := text.Style{Ground: ground, Role: map[byte]text.Role{'+': text.OK, '-': text.Error}[r.Sign]}
	margin := digits + 4
	for i, piece := range line.Chop(max(width-margin, 8)) {
		head := text.Line{{Text: strings.Repeat(" ", digits+1), Style: text.Style{Ground: ground}}, {Text: "   ", Style: text.Style{Ground: ground}}}
		if i == 0 {
			head = text.Line{{Text: fmt.Sprintf("%*d ", digits, number), Style: text.Style{Role: text.Dim, Ground: ground}}, {Text: " " + string(r.Sign) + " ", Style: sign}}
		}
		l := append(head, piece...)
		if ground != text.NoGround {
			l = l.Pad(width, text.Style{Ground: ground})
		}
		out = append(out, l)
	}
	return out
}

// rowsBeside lays rows out in two columns.
func rowsBeside(rows []Row, file string, width, most int) (lines []text.Line, left int) {
	half := (width - 2) / 2
	digits := numberWidth(rows)
	old, now := newHighlighter(file), newHighlighter(file)
	for i := 0; i < len(rows); {
		if most > 0 && len(lines) >= most {
			return lines, len(rows) - i
		}
		if rows[i].Sign == '@' {
			lines = append(lines, rowLines(rows[i], nil, 0, digits, half)...)
			i++
			continue
		}
		var a, b []text.Line
		if rows[i].Sign == ' ' {
			line := colourRow(rows[i], old, now)
			a, b = rowLines(rows[i], line, rows[i].Old, digits, half), rowLines(rows[i], line, rows[i].New, digits, half)
			i++
		} else {
			for ; i < len(rows) && rows[i].Sign == '-'; i++ {
				a = append(a, rowLines(rows[i], colourRow(rows[i], old, now), rows[i].Old, digits, half)...)
			}
			for ; i < len(rows) && rows[i].Sign == '+'; i++ {
				b = append(b, rowLines(rows[i], colourRow(rows[i], old, now), rows[i].New, digits, half)...)
			}
		}
		for y := range max(len(a), len(b)) {
			var l, r text.Line
			if y < len(a) {
				l = a[y]
			}
			if y < len(b) {
				r = b[y]
			}
			lines = append(lines, text.Join(l.Pad(half+2, text.Style{}), r))
		}
	}
	return lines, 0
}
