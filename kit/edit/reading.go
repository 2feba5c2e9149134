package edit

// A reading is one way to understand the two texts of an edit. It undoes what models add to the texts that they copy:
// marks of a diff, a code fence, line numbers, escapes. It applies to both texts.

import (
	"strings"
)

// readingPair is the model's old and new text under one reading: as lines, without the damage that the reading undoes.
type readingPair struct {
	Old, New           []string
	OldEnded, NewEnded bool     // the text ended with a line end
	Classes            []string // what the reading undid
	Number             int      // line number that the first line of old carried; zero for none
	Colon              bool     // the line numbers were written in a way that other text may have, too
}

func (p readingPair) with(class string) readingPair {
	p.Classes = append(append([]string{}, p.Classes...), class)
	return p
}

// bom is the byte order mark.
const bom = "\ufeff"

// firstReading makes the first reading: without the byte order mark, other line ends, and invisible characters that the file
// does not have. view is the file; cr means that its lines end in CR.
func firstReading(view string, cr bool, oldText, newText string) readingPair {
	var p readingPair
	undo := func(class string, f func(string) string) {
		o, n := f(oldText), f(newText)
		if o != oldText {
			p = p.with(class)
		}
		oldText, newText = o, n
	}
	undo("bom", func(s string) string { return strings.TrimPrefix(s, bom) })
	undo("line ends", func(s string) string {
		s = strings.ReplaceAll(s, "\r\n", "\n")
		if cr {
			s = strings.ReplaceAll(s, "\r", "\n")
		}
		return s
	})
	for _, inv := range invisible {
		if strings.ContainsAny(oldText, inv.chars) && !strings.ContainsAny(view, inv.chars) {
			undo(inv.class, func(s string) string { return replaceAny(s, inv.chars, inv.by) })
		}
	}
	return p.settle(oldText, newText)
}

// settle cuts the two texts into lines. A line end that only new has at its end is a blank line if old has one behind
// the same line: then new leaves off what follows it.
func (p readingPair) settle(oldText, newText string) readingPair {
	p.Old, p.OldEnded = splitLines(strings.ReplaceAll(oldText, "\r\n", "\n"))
	p.New, p.NewEnded = splitLines(strings.ReplaceAll(newText, "\r\n", "\n"))
	return p.settled()
}

func (p readingPair) settled() readingPair {
	if p.NewEnded && !p.OldEnded && p.leavesOffAtBlank() {
		p.New, p.NewEnded = append(p.New, ""), false
	}
	return p
}

// leavesOffAtBlank means that old has a blank line behind the last line that new keeps.
func (p readingPair) leavesOffAtBlank() bool {
	kept := map[string]bool{}
	for _, l := range p.New {
		kept[foldKey(l)] = true
	}
	for i := len(p.Old) - 1; i >= 0; i-- {
		if isBlankLine(p.Old[i]) {
			return true
		}
		if kept[foldKey(p.Old[i])] {
			return false
		}
	}
	return false
}

var invisible = [...]struct{ chars, by, class string }{
	{"\u200b\u200c\u200d\u2060\ufeff\u00ad", "", "zero width"},
	{"\u00a0\u202f", " ", "no-break blanks"},
}

func replaceAny(s, chars, by string) string {
	for _, c := range chars {
		s = strings.ReplaceAll(s, string(c), by)
	}
	return s
}

// Readings returns the ways to understand the model's texts, to try when the texts as written are not in the file. A
// reading always applies to both texts.
func (p readingPair) Readings() []readingPair {
	var out []readingPair
	if q, ok := p.WithoutDiffMarks(); ok {
		out = append(out, q)
	}
	out = append(out, p)
	unmarked := p.unmarked()
	out = append(out, unmarked...)
	for _, q := range append([]readingPair{p}, unmarked...) {
		out = append(out, q.unescaped()...)
	}
	for _, q := range p.unescaped() {
		out = append(out, q.unmarked()...)
	}
	return append(out, p.reescaped()...)
}

// unmarked are the readings without what a listing or a chat puts around text: fences, line numbers, both.
func (p readingPair) unmarked() []readingPair {
	var out []readingPair
	bare := []readingPair{p}
	if q, ok := p.withoutFence(); ok {
		bare = append(bare, q)
		out = append(out, q)
	}
	for _, q := range bare {
		if n, ok := q.withoutNumbers(); ok {
			out = append(out, n)
		}
	}
	return out
}

// WithoutDiffMarks undoes the marks of a unified diff: each line of old begins with a blank or a minus, each of new
// with a blank or a plus, and at least one is not a blank.
func (p readingPair) WithoutDiffMarks() (readingPair, bool) {
	some := false
	strip := func(lines []string, mark byte) ([]string, bool) {
		out := make([]string, len(lines))
		for i, l := range lines {
			switch {
			case l == "":
			case l[0] == mark:
				some = true
				out[i] = l[1:]
			case l[0] == ' ':
				out[i] = l[1:]
			default:
				return nil, false
			}
		}
		return out, true
	}
	o, okOld := strip(p.Old, '-')
	n, okNew := strip(p.New, '+')
	if !okOld || !okNew || !some {
		return p, false
	}
	q := p.with("diff marks")
	q.Old, q.New = o, n
	return q, true
}

// withoutFence undoes a Markdown fence around the text.
func (p readingPair) withoutFence() (readingPair, bool) {
	o, ok := unfence(p.Old)
	if !ok {
		return p, false
	}
	q := p.with("fence")
	q.Old, q.OldEnded = o, false
	if n, ok := unfence(p.New); ok {
		q.New = n
	}
	return q.settled(), true
}

func unfence(lines []string) ([]string, bool) {
	a, b := 0, len(lines)
	for a < b && isBlankLine(lines[a]) {
		a++
	}
	for b > a && isBlankLine(lines[b-1]) {
		b--
	}
	if b-a < 3 {
		return nil, false
	}
	open, end := strings.TrimSpace(lines[a]), strings.TrimSpace(lines[b-1])
	mark := strings.TrimRight(open, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+#-_.:= ")
	if len(mark) < 3 || strings.Trim(mark, "`") != "" && strings.Trim(mark, "~") != "" || end != mark {
		return nil, false
	}
	return lines[a+1 : b-1], true
}

// texts are the lines as texts again.
func (p readingPair) texts() (oldText, newText string) {
	end := func(lines []string, ended bool) string {
		s := strings.Join(lines, "\n")
		if ended {
			s += "\n"
		}
		return s
	}
	return end(p.Old, p.OldEnded), end(p.New, p.NewEnded)
}

// splitLines cuts a model's text into lines; ended means that its last line had a line end.
func splitLines(s string) (lines []string, ended bool) {
	if s == "" {
		return nil, false
	}
	if s, ended = strings.CutSuffix(s, "\n"); s == "" {
		return []string{""}, ended
	}
	return strings.Split(s, "\n"), ended
}
