package edit

import (
	"strings"
)

// frame reports how a line of new is indented in the file.
type frame struct {
	same     bool              // as the model wrote it
	likeFile bool              // old is not indented as the file is, new is
	first    string            // the first line of new, if it is indented as firstOld: its indentation in the file
	firstOld string            // "" is a value: fixFirst means that there is one
	fixFirst bool              // only the first line of old has another indentation than the file
	known    map[string]string // old's indentation → the file's, where there is one answer
	torn     bool              // old's indentation has several answers
	moves    []move            // the ways that fit all lines
	unit     string            // the file's unit
	step     string            // the model's unit
}

// evidence is a line that is in old and in the file, and in new if the model kept or reworded it.
type evidence struct {
	old, file, new string // indentations
	has            bool   // there is a new
	kept           bool   // new has the line's key
	lineOfNew      int
}

// newFrame reads the frame from the aligned lines; ok is false if the evidence contradicts itself.
func (d *document) newFrame(m *match, steps []diffStep, reworded []int) (frame, bool) {
	ev := d.gather(m, steps, reworded)
	var off []evidence
	for _, e := range ev {
		if e.old != e.file {
			off = append(off, e)
		}
	}
	if m.frame || len(off) == 0 {
		return frame{same: true}, true
	}
	if fr, ok := firstOnly(m, ev, off); ok {
		return fr, true
	}
	own, theirs := vote(off)
	switch {
	case own > 0 && theirs == 0:
		return frame{same: true, likeFile: true}, true
	case own > 0 && theirs > 0 && own < 3*theirs && theirs < 3*own:
		return frame{}, false
	case own > theirs:
		return frame{same: true, likeFile: true}, true
	}
	fr := d.moved(m, ev)
	if theirs > 0 {
		return fr, true
	}
	return d.byDepth(m, ev, fr)
}

// gather lists the aligned lines that are not blank, in the order of old.
func (d *document) gather(m *match, steps []diffStep, reworded []int) []evidence {
	newOf := make(map[int]int, len(m.old))
	kept := make(map[int]bool, len(m.old))
	for n, o := range reworded {
		if o >= 0 {
			newOf[o] = n
		}
	}
	for _, s := range steps {
		if s.A >= 0 && s.B >= 0 {
			newOf[s.A], kept[s.A] = s.B, true
		}
	}
	var out []evidence
	for i, at := range m.at {
		if at < 0 || isBlankLine(m.old[i]) {
			continue
		}
		e := evidence{old: indentOf(m.old[i]), file: indentOf(d.text(at)), lineOfNew: -1}
		if n, ok := newOf[i]; ok {
			e.new, e.has, e.kept, e.lineOfNew = indentOf(m.new[n]), true, kept[i], n
		}
		out = append(out, e)
	}
	return out
}

// vote counts, over the lines whose indentation in old is not the file's, how many are in new as in the file (own)
// and how many as in old (theirs). Reworded lines count only if there is no kept line.
func vote(off []evidence) (own, theirs int) {
	for _, kept := range []bool{true, false} {
		for _, e := range off {
			if e.has && e.kept == kept {
				if e.new == e.file {
					own++
				} else if e.new == e.old {
					theirs++
				}
			}
		}
		if own+theirs > 0 {
			return own, theirs
		}
	}
	return 0, 0
}

// firstOnly recognises that only the first line of old lost its indentation, as when a model begins its text at
// the first letter. Then the first line of new may have lost it, too; all other lines are right.
func firstOnly(m *match, ev, off []evidence) (frame, bool) {
	e := ev[0]
	if len(off) != 1 || e.old != "" || e.file == "" {
		return frame{}, false
	}
	if len(ev) == 1 && !(e.has && e.new == e.file) && !restInFile(m, e) {
		return frame{}, false
	}
	return frame{fixFirst: true, firstOld: e.old, first: e.file, same: true}, true
}

// restInFile decides how the lines of new behind the first are indented when a single line of old lost its
// indentation: as in the file (only the first lost it) or as in old (all lost it).
func restInFile(m *match, e evidence) bool {
	rest, first, deep := m.new, "", true
	for len(rest) > 0 && isBlankLine(rest[0]) {
		rest = rest[1:]
	}
	if len(rest) > 0 {
		first, rest = rest[0], rest[1:]
	}
	some := false
	for _, l := range rest {
		if !isBlankLine(l) {
			some = true
			deep = deep && len(indentOf(l)) >= len(e.file)
		}
	}
	if !some || !deep || indentOf(first) != e.old {
		return false
	}
	return !opens(first) || strings.HasPrefix(nextIndent(rest), e.file) && len(nextIndent(rest)) > len(e.file)
}

func nextIndent(lines []string) string {
	for _, l := range lines {
		if !isBlankLine(l) {
			return indentOf(l)
		}
	}
	return ""
}

// opens means that the line after this one is deeper.
func opens(l string) bool {
	l = strings.TrimRight(l, " \t")
	return l != "" && strings.ContainsRune(":{([", rune(l[len(l)-1]))
}

// moved is the frame in which new is indented as old is, away from the file.
func (d *document) moved(m *match, ev []evidence) frame {
	fr := frame{known: map[string]string{}, unit: d.unit(), step: stepOf(m.old, m.new)}
	for _, e := range ev {
		if was, ok := fr.known[e.old]; ok && was != e.file {
			fr.torn = true
		}
		fr.known[e.old] = e.file
	}
	if !fr.torn {
		fr.moves = fittingMoves(ev, fr.step, fr.unit)
	}
	return fr
}

// byDepth decides without a line that decides for one side: new is in the file's frame if its least indentation is the
// file's, in old's frame if it is old's.
func (d *document) byDepth(m *match, ev []evidence, fr frame) (frame, bool) {
	leastOld, leastFile := ev[0].old, ev[0].file
	for _, e := range ev {
		if len(e.old) < len(leastOld) {
			leastOld, leastFile = e.old, e.file
		}
	}
	least, some := "", false
	for _, l := range m.new {
		if !isBlankLine(l) && (!some || len(indentOf(l)) < len(least)) {
			least, some = indentOf(l), true
		}
	}
	switch {
	case !some || least == leastOld:
		return fr, true
	case least == leastFile && !keptElsewhere(ev):
		return frame{same: true, likeFile: true}, true
	}
	return frame{}, false
}

// keptElsewhere means that a kept line is indented neither as in old nor as in the file.
func keptElsewhere(ev []evidence) bool {
	for _, e := range ev {
		if e.has && e.kept && e.new != e.old && e.new != e.file {
			return true
		}
	}
	return false
}

// place is the indentation in the file of a line of new; ok is false if it is not certain.
func (fr *frame) place(in string, firstFilled bool) (string, bool) {
	if fr.fixFirst && firstFilled && in == fr.firstOld {
		return fr.first, true
	}
	if fr.fixFirst && firstFilled && in != fr.first && strings.HasPrefix(fr.first, in) {
		return "", false
	}
	if fr.same {
		return in, true
	}
	if fr.torn {
		return "", false
	}
	if f, ok := fr.known[in]; ok {
		return f, true
	}
	return fr.byMoves(in)
}
