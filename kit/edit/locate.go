package edit

import (
	"strings"
	"unicode/utf8"
)

// maxOldLines bounds old texts that are not in the file to the byte.
const maxOldLines = 3000

// locate finds the one place that the model means, or refuses.
func (d *document) locate(e Edit) (*match, *Refusal) {
	p := firstReading(d.view, d.cr, e.Old, e.New)
	if r := d.hopeless(e, p); r != nil {
		return nil, r
	}
	m, r := d.literal(p)
	if m == nil && r == nil {
		m, r = d.byReadings(p)
	}
	if m == nil && r == nil && d.fresh {
		m, r = d.drifted(p)
	}
	if r != nil {
		return nil, r
	}
	if m == nil {
		return nil, d.notFound(p)
	}
	if r := d.leavesOut(m); r != nil {
		return nil, r
	}
	return m, d.doubles(m)
}

func (d *document) hopeless(e Edit, p readingPair) *Refusal {
	empty := true
	for _, l := range p.Old {
		empty = empty && isBlankLine(l)
	}
	switch {
	case empty:
		return refuse(EmptyOld, "old_text is empty: there is nothing to find.",
			"Put the lines to be replaced into old_text. To write a whole file use write_file, to add lines use insert.")
	case !utf8.ValidString(e.Old+e.New) && utf8.ValidString(d.raw):
		return refuse(NotFound, "old_text or new_text is not UTF-8, the file is.", "Send both texts in UTF-8.")
	case e.Old == e.New:
		return refuse(NoChange, "old_text and new_text are the same: nothing would change.", "Send the text that should be there as new_text.")
	case d.looksLikeDiff(p):
		// Where old is in the file with its blanks, they are the file's own, not marks.
		if _, ok := p.WithoutDiffMarks(); !ok || strings.Contains(d.view, strings.Join(p.Old, "\n")) {
			return diffRefusal()
		}
	case len(d.lines) == 0:
		return refuse(NotFound, "the file is empty.", "Use write_file to write its content.")
	}
	return nil
}

func diffRefusal() *Refusal {
	return refuse(Unclear, "new_text is written as a diff, with + before its lines, but old_text is not.", "Send both texts without the marks of a diff.")
}

// byReadings tries the readings in order; two that lead to different places refuse each other.
func (d *document) byReadings(p readingPair) (*match, *Refusal) {
	if len(p.Old) > maxOldLines {
		return nil, refuse(TooMuch, "old_text is not in the file character by character, and is too long to search for it in other ways.", "Send fewer lines.")
	}
	var found *match
	for _, q := range p.Readings() {
		m, r := d.byReading(q, len(q.Classes) > len(p.Classes))
		if r != nil {
			if found == nil {
				return nil, r
			}
			continue
		}
		if m == nil {
			continue
		}
		if found == nil {
			found = m
		} else if m.first < found.first || m.last > found.last {
			// A later reading that is within the earlier one only explains less of old.
			return nil, d.ambiguous([]int{found.first + 1, m.first + 1}, "")
		}
	}
	if found != nil {
		return found, nil
	}
	return d.fragment(p)
}

func (d *document) byReading(q readingPair, changed bool) (*match, *Refusal) {
	if countFilled(q.Old) == 0 {
		return nil, nil
	}
	if changed {
		m, r := d.literal(q)
		if r != nil && r.Reason == Ambiguous && d.fresh && q.Number > 0 {
			return d.byLines(q) // the number may decide which
		}
		if m != nil || r != nil {
			if m != nil && !d.numbered(q, m.first) {
				return nil, nil
			}
			return m, r
		}
	}
	m, r := d.byLines(q)
	if m != nil && !d.numbered(q, m.first) {
		return nil, nil
	}
	return m, r
}

// numbered checks, for a single line after a number in a style that is no proof, that the number is the file's.
func (d *document) numbered(q readingPair, first int) bool {
	return !q.Colon || countFilled(q.Old) > 1 || q.Number == first+1
}

// byLines finds old line by line under the loosest key.
func (d *document) byLines(p readingPair) (*match, *Refusal) {
	q := p.WithoutEdges()
	if !strings.ContainsFunc(strings.Join(q.Old, ""), isWord) {
		return nil, nil
	}
	found := d.candidates(q.Old, nil)
	var gap func(int) bool
	if len(found) == 0 {
		q = q.WithoutEdgeGaps()
		gap = func(i int) bool { return isPlaceholder(q.Old[i]) }
		some := false
		for i := range q.Old {
			some = some || gap(i)
		}
		if !some {
			return nil, nil
		}
		found = d.candidates(q.Old, gap)
	}
	c, r := d.choose(found)
	if r != nil && d.fresh && q.Number > 0 {
		c, r = numberedOne(found, q.Number, r)
	}
	if c == nil || r != nil {
		return nil, r
	}
	if d.strayPlus(q) {
		return nil, diffRefusal()
	}
	m := &match{first: c.first, last: c.last, old: q.Old, new: q.New, at: c.at, classes: append(append([]string{}, q.Classes...), c.damage.Names()...)}
	if gap != nil {
		return d.fillGaps(m, gap)
	}
	return m, d.blanksInStrings(m)
}

// choose takes the only candidate; of several, the only one that differs in nothing but typography and blanks at line ends.
func (d *document) choose(found []candidate) (*candidate, *Refusal) {
	switch len(found) {
	case 0:
		return nil, nil
	case 1:
		return &found[0], nil
	}
	var close *candidate
	lines := make([]int, len(found))
	n := 0
	for i := range found {
		lines[i] = found[i].first + 1
		if found[i].damage&^(damageTrailing|damageTypography) == 0 {
			close = &found[i]
			n++
		}
	}
	if n == 1 {
		return close, nil
	}
	return nil, d.ambiguous(lines, "")
}

// numberedOne takes, of several candidates, the one at the line number that the model copied from a listing of this very text.
func numberedOne(found []candidate, number int, r *Refusal) (*candidate, *Refusal) {
	for i := range found {
		if found[i].first == number-1 {
			return &found[i], nil
		}
	}
	return nil, r
}

// looksLikeDiff means that new was written as a diff although old was not: pluses would come into the file.
func (d *document) looksLikeDiff(p readingPair) bool {
	plus := false
	for _, l := range p.New {
		if l != "" && l[0] != '+' && l[0] != ' ' {
			return false
		}
		plus = plus || strings.HasPrefix(l, "+")
	}
	return plus && !d.hasPlusLines(p)
}

// hasPlusLines means that lines which begin with a plus are at home in the file or in old.
func (d *document) hasPlusLines(p readingPair) bool {
	if strings.HasPrefix(d.view, "+") || strings.Contains(d.view, "\n+") {
		return true
	}
	for _, l := range p.Old {
		if strings.HasPrefix(l, "+") {
			return true
		}
	}
	return false
}

// strayPlus means that new has a line which begins like an added line of a diff, and nothing else in sight does.
func (d *document) strayPlus(p readingPair) bool {
	for _, l := range p.New {
		if strings.HasPrefix(l, "+") && !strings.HasPrefix(l, "+-") {
			return !d.hasPlusLines(p)
		}
	}
	return false
}
