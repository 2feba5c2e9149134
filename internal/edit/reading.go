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
	p.old, p.oldEnded = split(oldText)
	p.new, p.newEnded = split(newText)
	return p
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
	bare := []pair{p}
	if q, ok := p.withoutFence(); ok {
		bare = append(bare, q)
	}
	for _, q := range bare {
		if n, ok := q.withoutNumbers(); ok {
			bare = append(bare, n)
		}
	}
	out = append(out, bare[1:]...)
	for _, q := range bare {
		out = append(out, q.unescaped()...)
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
	q.old = o
	if n, ok := unfence(p.new); ok {
		q.new = n
	}
	return q, true
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
