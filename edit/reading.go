package edit

import "strings"

// pair is the model's old and new text under one reading: as lines, without the damage that the reading undoes.
type pair struct {
	old, new           []string
	oldEnded, newEnded bool     // the text ended with a line end
	classes            []string // what the reading undid
	number             int      // line number that the first line of old carried; zero for none
	colon              bool     // the line numbers were written in a way that other text may have, too
}

func (p pair) with(class string) pair {
	p.classes = append(append([]string{}, p.classes...), class)
	return p
}

// clean makes the first reading: line ends, BOM, and invisible characters that the file has not.
func clean(d *document, oldText, newText string) pair {
	var p pair
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
		if d.cr {
			s = strings.ReplaceAll(s, "\r", "\n")
		}
		return s
	})
	for _, inv := range invisible {
		if strings.ContainsAny(oldText, inv.chars) && !strings.ContainsAny(d.view, inv.chars) {
			undo(inv.class, func(s string) string { return replaceAny(s, inv.chars, inv.by) })
		}
	}
	return p.settle(oldText, newText)
}

// settle cuts the two texts into lines. A line end that only new has at its end is a blank line if old has one behind
// the same line: then new leaves off what follows it.
func (p pair) settle(oldText, newText string) pair {
	p.old, p.oldEnded = split(strings.ReplaceAll(oldText, "\r\n", "\n"))
	p.new, p.newEnded = split(strings.ReplaceAll(newText, "\r\n", "\n"))
	return p.settled()
}

func (p pair) settled() pair {
	if p.newEnded && !p.oldEnded && p.leavesOffAtBlank() {
		p.new, p.newEnded = append(p.new, ""), false
	}
	return p
}

// leavesOffAtBlank means that old has a blank line behind the last line that new keeps.
func (p pair) leavesOffAtBlank() bool {
	kept := map[string]bool{}
	for _, l := range p.new {
		kept[key(l)] = true
	}
	for i := len(p.old) - 1; i >= 0; i-- {
		if blank(p.old[i]) {
			return true
		}
		if kept[key(p.old[i])] {
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

// readings are the ways to understand the model's texts that are tried when they do not stand literally in the
// file. A reading is always applied to both texts.
func (p pair) readings() []pair {
	var out []pair
	if q, ok := p.withoutDiffMarks(); ok {
		out = append(out, q)
	}
	out = append(out, p)
	unmarked := p.unmarked()
	out = append(out, unmarked...)
	for _, q := range append([]pair{p}, unmarked...) {
		out = append(out, q.unescaped()...)
	}
	for _, q := range p.unescaped() {
		out = append(out, q.unmarked()...)
	}
	return append(out, p.reescaped()...)
}

// unmarked are the readings without what a listing or a chat puts around text: fences, line numbers, both.
func (p pair) unmarked() []pair {
	var out []pair
	bare := []pair{p}
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

// withoutDiffMarks undoes the marks of a unified diff: each line of old begins with a blank or a minus, each of new
// with a blank or a plus, and at least one is not a blank.
func (p pair) withoutDiffMarks() (pair, bool) {
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
	o, okOld := strip(p.old, '-')
	n, okNew := strip(p.new, '+')
	if !okOld || !okNew || !some {
		return p, false
	}
	q := p.with("diff marks")
	q.old, q.new = o, n
	return q, true
}

// withoutFence undoes a Markdown fence around the text.
func (p pair) withoutFence() (pair, bool) {
	o, ok := unfence(p.old)
	if !ok {
		return p, false
	}
	q := p.with("fence")
	q.old, q.oldEnded = o, false
	if n, ok := unfence(p.new); ok {
		q.new = n
	}
	return q.settled(), true
}

func unfence(lines []string) ([]string, bool) {
	a, b := 0, len(lines)
	for a < b && blank(lines[a]) {
		a++
	}
	for b > a && blank(lines[b-1]) {
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
func (p pair) texts() (oldText, newText string) {
	end := func(lines []string, ended bool) string {
		s := strings.Join(lines, "\n")
		if ended {
			s += "\n"
		}
		return s
	}
	return end(p.old, p.oldEnded), end(p.new, p.newEnded)
}

// looksLikeDiff means that new was written as a diff although old was not: pluses would come into the file.
func (d *document) looksLikeDiff(p pair) bool {
	plus := false
	for _, l := range p.new {
		if l != "" && l[0] != '+' && l[0] != ' ' {
			return false
		}
		plus = plus || strings.HasPrefix(l, "+")
	}
	return plus && !d.hasPlusLines(p)
}

// hasPlusLines means that lines which begin with a plus are at home in the file or in old.
func (d *document) hasPlusLines(p pair) bool {
	if strings.HasPrefix(d.view, "+") || strings.Contains(d.view, "\n+") {
		return true
	}
	for _, l := range p.old {
		if strings.HasPrefix(l, "+") {
			return true
		}
	}
	return false
}

// strayPlus means that new has a line which begins like an added line of a diff, and nothing else in sight does.
func (d *document) strayPlus(p pair) bool {
	for _, l := range p.new {
		if strings.HasPrefix(l, "+") && !strings.HasPrefix(l, "+-") {
			return !d.hasPlusLines(p)
		}
	}
	return false
}
