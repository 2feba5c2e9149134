package edit

import (
	"strings"
)

// maxFragmentLine is the longest line that is searched for a part, in bytes.
const maxFragmentLine = 256 << 10

// fragment finds a single line of old within a line of the file, under the loosest key.
func (d *document) fragment(p readingPair) (*match, *Refusal) {
	q := p.WithoutEdges()
	if len(q.Old) != 1 || len(q.New) != 1 {
		return nil, nil
	}
	want := foldLine(q.Old[0])
	word := longestWord(q.Old[0])
	if len(want) < 4 || word == "" {
		return nil, nil
	}
	var found *match
	var lines []int
	for n := range d.lines {
		l := d.text(n)
		if len(l) > maxFragmentLine || !strings.Contains(l, word) {
			continue
		}
		have := foldLine(l)
		for at := indexUnits(have, want, 0); at >= 0; at = indexUnits(have, want, at+1) {
			lines = append(lines, n+1)
			if m := d.fragmentAt(q, n, have, want, at); m != nil {
				found = m
			}
		}
		if len(lines) > maxPlaces || d.late() {
			break
		}
	}
	switch {
	case len(lines) == 0:
		return nil, nil
	case len(lines) > 1:
		return nil, d.ambiguous(lines, "")
	case found == nil:
		return nil, &Refusal{Reason: Truncated, Places: []Place{{First: lines[0], Last: lines[0]}},
			Text: "old_text is close to a part of " + lineRange(lines[0], lines[0]) + ", but begins or ends inside a word, or differs in the blanks of a string: " + quoteLine(d.text(lines[0]-1)),
			Hint: "Send whole lines in old_text and new_text."}
	}
	return found, nil
}

// fragmentAt makes the match of a hit within line n; nil if it is cut in a word.
func (d *document) fragmentAt(q readingPair, n int, have, want []foldedChar, at int) *match {
	end := at + len(want)
	if at > 0 && isWord(have[at-1].R) && isWord(want[0].R) || end < len(have) && isWord(have[end].R) && isWord(want[len(want)-1].R) {
		return nil
	}
	l := d.text(n)
	from, to := have[at].From, have[end-1].To
	inside := l[from:to]
	if stringBlanksDiffer(q.Old[0], inside) || commentBefore(l[:from]) {
		return nil
	}
	var s spelling
	s.learn(strings.TrimSpace(q.Old[0]), inside)
	s.trims = false
	changed := mergeLine(q.Old[0], q.New[0], inside, &s)
	return &match{first: n, last: n + 1, old: []string{l}, at: []int{n}, new: []string{l[:from] + changed + l[to:]},
		classes: append(append([]string{}, q.Classes...), "part of a line"), frame: true}
}

func commentBefore(prefix string) bool {
	switch strings.TrimSpace(prefix) {
	case "//", "#", "--", ";", "%", "/*", "<!--", "REM":
		return true
	}
	return false
}

func indexUnits(have, want []foldedChar, from int) int {
next:
	for i := from; i+len(want) <= len(have); i++ {
		for j := range want {
			if have[i+j].R != want[j].R {
				continue next
			}
		}
		return i
	}
	return -1
}

// longestWord is the longest ASCII word of a line: what a line that holds it must contain, too.
func longestWord(l string) string {
	best := ""
	for _, t := range strings.FieldsFunc(l, func(r rune) bool { return r >= 0x80 || !isWord(r) }) {
		if len(t) > len(best) {
			best = t
		}
	}
	return best
}

// stringBlanksDiffer means that two lines with the same key have other blanks inside a quoted string.
func stringBlanksDiffer(model, file string) bool {
	mu, fu := foldLine(model), foldLine(file)
	if len(mu) != len(fu) {
		return true
	}
	quote := rune(0)
	for i, u := range fu {
		switch {
		case quote == 0 && (u.R == '"' || u.R == '`' || u.R == '\'') && (i == 0 || !isWord(fu[i-1].R)) && closes(fu[i+1:], u.R):
			quote = u.R
		case quote != 0 && u.R == quote && (i == 0 || fu[i-1].R != '\\'):
			quote = 0
		case quote != 0 && u.R == ' ':
			if respellLine(model[mu[i].From:mu[i].To]) != respellLine(file[u.From:u.To]) {
				return true
			}
		}
	}
	return false
}

func closes(rest []foldedChar, quote rune) bool {
	for i, u := range rest {
		if u.R == quote && (i == 0 || rest[i-1].R != '\\') {
			return true
		}
	}
	return false
}

// blanksInStrings refuses a match whose changed lines differ in the blanks of a string: they are data, and the model
// has other data in mind. A line of mere context may differ so, if another line stands for the place.
func (d *document) blanksInStrings(m *match) *Refusal {
	changed := make([]bool, len(m.old))
	for _, s := range d.pairLines(m, false) {
		if s.A >= 0 && s.B < 0 {
			changed[s.A] = true
		}
	}
	sound, bad := 0, -1
	for i, at := range m.at {
		if at < 0 || isBlankLine(m.old[i]) {
			continue
		}
		if compareLines(m.old[i], d.text(at))&damageInterior == 0 || !stringBlanksDiffer(m.old[i], d.text(at)) {
			sound++
			continue
		}
		if bad < 0 || changed[i] {
			bad = at
		}
		if changed[i] {
			sound = -len(m.old)
		}
	}
	if bad < 0 || sound > 0 {
		return nil
	}
	return &Refusal{Reason: NotFound, Places: []Place{{First: bad + 1, Last: bad + 1}},
		Text: "the closest line differs from old_text in the blanks inside a string, " + lineRange(bad+1, bad+1) + ": " + quoteLine(d.text(bad)),
		Hint: "Copy the line exactly as it is in the file into old_text."}
}
