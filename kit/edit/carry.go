package edit

import (
	"math"
	"strings"
)

// outLine is a line to write; from is the file's line whose line end it has: its own, or that of the line which it
// replaces; -1 for one that new_text adds.
type outLine struct {
	text string
	from int
}

// carry merges the model's change, old to new, onto the file's own lines: what the model did not change keeps the
// file's bytes, what it changed or added is written in the file's frame, spelling and line ends.
func (d *document) carry(m *match) (string, *Refusal) {
	steps := d.pairLines(m, false)
	reworded := changedPairs(m, steps)
	fr, ok := d.newFrame(m, steps, reworded)
	if !ok {
		return "", unclearIndent(m)
	}
	if fr.likeFile {
		steps = d.pairLines(m, true)
		reworded = changedPairs(m, steps)
	}
	w := &writer{d: d, m: m, frame: &fr, next: m.first, firstFilled: -1}
	for i, l := range m.new {
		if !isBlankLine(l) {
			w.firstFilled = i
			break
		}
	}
	if !m.frame {
		for i, at := range m.at {
			if at >= 0 {
				w.spelling.learn(m.old[i], d.text(at))
			}
		}
	}
	w.walk(joinSteps(steps, reworded))
	if w.lost {
		return "", unclearIndent(m)
	}
	return d.joinLines(w.out, m), nil
}

func unclearIndent(m *match) *Refusal {
	return &Refusal{Reason: Unclear, Places: []Place{{First: m.first + 1, Last: m.last}},
		Text: "old_text is at " + lineRange(m.first+1, m.last) + ", but its indentation differs from the file's, and it is not clear how to indent new_text.",
		Hint: "Send old_text and new_text with the indentation that the file has."}
}

// joinSteps puts the two halves of a reworded line into one step, in the order of the file.
func joinSteps(steps []diffStep, reworded []int) []diffStep {
	var out []diffStep
	for i := 0; i < len(steps); {
		if steps[i].A >= 0 && steps[i].B >= 0 {
			out = append(out, steps[i])
			i++
			continue
		}
		var gone, come []int
		for ; i < len(steps) && (steps[i].A < 0 || steps[i].B < 0); i++ {
			if steps[i].A >= 0 {
				gone = append(gone, steps[i].A)
			} else {
				come = append(come, steps[i].B)
			}
		}
		out = append(out, joinHunkSteps(gone, come, reworded)...)
	}
	return out
}

func joinHunkSteps(gone, come, reworded []int) []diffStep {
	var out []diffStep
	g := 0
	remove := func(before int) {
		for ; g < len(gone) && gone[g] < before; g++ {
			out = append(out, diffStep{A: gone[g], B: -1})
		}
	}
	for i, n := range come {
		next := math.MaxInt
		for _, later := range come[i:] {
			if reworded[later] >= 0 {
				next = reworded[later]
				break
			}
		}
		remove(next)
		out = append(out, diffStep{A: reworded[n], B: n})
		if reworded[n] >= 0 {
			g++
		}
	}
	remove(math.MaxInt)
	return out
}

// writer makes the new lines of one region.
type writer struct {
	d           *document
	m           *match
	frame       *frame
	spelling    spelling
	firstFilled int
	out         []outLine
	next        int   // first line of the file that is not dealt with
	gone        bool  // the line of the file before next was removed
	freed       []int // lines of the file that were removed since the last kept one, and not replaced yet
	lost        bool  // a line's indentation is not known
}

func (w *writer) walk(steps []diffStep) {
	for i, s := range steps {
		switch {
		case s.B < 0:
			if at := w.m.at[s.A]; at >= 0 {
				w.passOver(at, w.gone)
				w.next, w.gone, w.freed = at+1, true, append(w.freed, at)
			}
		case s.A < 0:
			w.add(s.B, steps, i)
		default:
			w.keep(s.A, s.B)
		}
	}
	w.passOver(w.m.last, false)
}

// passOver keeps the lines of the file that old does not mention: blank ones. Between two removed lines they go, too.
func (w *writer) passOver(to int, drop bool) {
	for ; w.next < to; w.next++ {
		if !drop {
			w.out = append(w.out, outLine{w.d.text(w.next), w.next})
		}
	}
}

func (w *writer) keep(o, n int) {
	at := w.m.at[o]
	if at < 0 {
		return // a blank line that only the model has
	}
	w.passOver(at, false)
	w.next, w.gone, w.freed = at+1, false, nil
	w.out = append(w.out, outLine{w.kept(o, n, w.d.text(at)), at})
}

func (w *writer) kept(o, n int, file string) string {
	oldLine, newLine := w.m.old[o], w.m.new[n]
	if oldLine == newLine || newLine == file || isBlankLine(newLine) && isBlankLine(file) {
		return file
	}
	if w.m.frame {
		return newLine
	}
	in := indentOf(newLine)
	switch {
	case w.frame.likeFile:
	case in == indentOf(oldLine), in == indentOf(file), w.frame.fixFirst && n == w.firstFilled && in == w.frame.firstOld:
		in = indentOf(file)
	default:
		placed, ok := w.frame.place(in, n == w.firstFilled)
		w.lost = w.lost || !ok
		in = placed
	}
	return in + mergeLine(oldLine, newLine, file, &w.spelling)
}

// add writes a line that only new has. Of blank lines that old does not mention it comes after, as a comment does
// before what it is for; not if it closes what is before.
func (w *writer) add(n int, steps []diffStep, i int) {
	l := w.m.new[n]
	if to := w.covered(steps, i); to > w.next {
		switch {
		case isBlankLine(l):
			w.passOver(w.next+1, false) // the file has this blank line already
			return
		case !w.gone && !strings.ContainsAny(l[len(indentOf(l)):][:1], ")]}"):
			w.passOver(to, false)
		}
	}
	if !w.m.frame {
		l = w.placed(n, l, steps, i)
	}
	from := -1
	if len(w.freed) > 0 {
		from, w.freed = w.freed[0], w.freed[1:]
	}
	w.out = append(w.out, outLine{l, from})
}

// covered is the line of the file that old names next.
func (w *writer) covered(steps []diffStep, i int) int {
	for _, s := range steps[i:] {
		if s.A >= 0 && w.m.at[s.A] >= 0 {
			return w.m.at[s.A]
		}
	}
	return w.m.last
}

func (w *writer) placed(n int, l string, steps []diffStep, i int) string {
	if isBlankLine(l) {
		return ""
	}
	in, ok := w.frame.place(indentOf(l), n == w.firstFilled)
	if !ok {
		if in, ok = w.besideNeighbours(indentOf(l), steps, i); !ok {
			w.lost = true
		}
	}
	return in + w.spelling.apply(l[len(indentOf(l)):])
}

// besideNeighbours places an added line for which there is no rule: if the lines before and after it are indented
// like it by the model, and the file indents both alike, then so.
func (w *writer) besideNeighbours(in string, steps []diffStep, i int) (string, bool) {
	before, okBefore := w.neighbour(in, steps, i, -1)
	after, okAfter := w.neighbour(in, steps, i, 1)
	if okBefore && okAfter {
		return before, before == after
	}
	return "", false
}

func (w *writer) neighbour(in string, steps []diffStep, i, by int) (string, bool) {
	for i += by; i >= 0 && i < len(steps); i += by {
		s := steps[i]
		if s.A < 0 || s.B < 0 || w.m.at[s.A] < 0 || isBlankLine(w.m.old[s.A]) {
			continue
		}
		return indentOf(w.d.text(w.m.at[s.A])), indentOf(w.m.new[s.B]) == in
	}
	return "", false
}

// joinLines gives every line its end: its own, for an added one that of its neighbour, and none at the end of a
// file that has none.
func (d *document) joinLines(out []outLine, m *match) string {
	atEnd := m.last == len(d.lines)
	bare := atEnd && m.last > 0 && d.end(m.last-1) == "" && !m.ended
	var b strings.Builder
	for i, l := range out {
		b.WriteString(l.text)
		if i == len(out)-1 && bare {
			break
		}
		b.WriteString(d.endFor(out, i, m))
	}
	return b.String()
}

func (d *document) endFor(out []outLine, i int, m *match) string {
	for j := i; j >= 0; j-- {
		if out[j].from >= 0 && d.end(out[j].from) != "" {
			return d.end(out[j].from)
		}
	}
	for j := i; j < len(out); j++ {
		if out[j].from >= 0 && d.end(out[j].from) != "" {
			return d.end(out[j].from)
		}
	}
	if m.first < len(d.lines) && d.end(m.first) != "" {
		return d.end(m.first)
	}
	return d.eol
}
