package edit

import (
	"strings"
	"unicode/utf8"
)

// maxOldLines bounds old texts that do not stand literally in the file.
const maxOldLines = 3000

// locate finds the one place that the model means, or refuses.
func (d *document) locate(e Edit) (*match, *Refusal) {
	p := clean(d, e.Old, e.New)
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

func (d *document) hopeless(e Edit, p pair) *Refusal {
	empty := true
	for _, l := range p.old {
		empty = empty && blank(l)
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
		// Where old stands with its blanks, they are the file's own, not marks.
		if _, ok := p.withoutDiffMarks(); !ok || strings.Contains(d.view, strings.Join(p.old, "\n")) {
			return diffRefusal()
		}
	case len(d.lines) == 0:
		return refuse(NotFound, "the file is empty.", "Use write_file to give it its text.")
	}
	return nil
}

func diffRefusal() *Refusal {
	return refuse(Unclear, "new_text is written as a diff, with + before its lines, but old_text is not.", "Send both texts without the marks of a diff.")
}

// byReadings tries the readings in order; two that lead to different places refuse each other.
func (d *document) byReadings(p pair) (*match, *Refusal) {
	if len(p.old) > maxOldLines {
		return nil, refuse(TooMuch, "old_text is not in the file character by character, and is too long to search for it in other ways.", "Send fewer lines.")
	}
	var found *match
	for _, q := range p.readings() {
		m, r := d.byReading(q, len(q.classes) > len(p.classes))
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
			// A later reading that lies within the earlier one only explains less of old.
			return nil, d.ambiguous([]int{found.first + 1, m.first + 1}, "")
		}
	}
	if found != nil {
		return found, nil
	}
	return d.fragment(p)
}

func (d *document) byReading(q pair, changed bool) (*match, *Refusal) {
	if filled(q.old) == 0 {
		return nil, nil
	}
	if changed {
		m, r := d.literal(q)
		if r != nil && r.Reason == Ambiguous && d.fresh && q.number > 0 {
			return d.byLines(q) // the number may tell which
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
func (d *document) numbered(q pair, first int) bool {
	return !q.colon || filled(q.old) > 1 || q.number == first+1
}

// byLines finds old line by line under the loosest key.
func (d *document) byLines(p pair) (*match, *Refusal) {
	q := p.withoutEdges()
	if !strings.ContainsFunc(strings.Join(q.old, ""), isWord) {
		return nil, nil
	}
	found := d.candidates(q.old, nil)
	var gap func(int) bool
	if len(found) == 0 {
		q = q.withoutEdgeGaps()
		gap = func(i int) bool { return isPlaceholder(q.old[i]) }
		some := false
		for i := range q.old {
			some = some || gap(i)
		}
		if !some {
			return nil, nil
		}
		found = d.candidates(q.old, gap)
	}
	c, r := d.choose(found)
	if r != nil && d.fresh && q.number > 0 {
		c, r = numberedOne(found, q.number, r)
	}
	if c == nil || r != nil {
		return nil, r
	}
	if d.strayPlus(q) {
		return nil, diffRefusal()
	}
	m := &match{first: c.first, last: c.last, old: q.old, new: q.new, at: c.at, classes: append(append([]string{}, q.classes...), c.damage.names()...)}
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
		if found[i].damage&^(trailing|typography) == 0 {
			close = &found[i]
			n++
		}
	}
	if n == 1 {
		return close, nil
	}
	return nil, d.ambiguous(lines, "")
}

// withoutEdges drops the blank lines around old, and those of new that answer to them.
func (p pair) withoutEdges() pair {
	head, newHead := edge(p.old, p.new, func(l []string, i int) string { return l[i] })
	p.old, p.new = p.old[head:], p.new[newHead:]
	tail, newTail := edge(p.old, p.new, func(l []string, i int) string { return l[len(l)-1-i] })
	p.old, p.new = p.old[:len(p.old)-tail], p.new[:len(p.new)-newTail]
	if head+tail > 0 {
		p = p.with("blank lines")
	}
	return p
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

// edge counts the blank lines to drop at one end of old and of new; at reads lines from that end. Where new leaves
// off old's first lines, and old has a blank line there, one blank line of new is that one.
func edge(old, new []string, at func([]string, int) string) (inOld, inNew int) {
	for inOld < len(old) && blank(at(old, inOld)) {
		inOld++
	}
	for inNew < len(new) && inNew < inOld && blank(at(new, inNew)) {
		inNew++
	}
	if inNew == 0 || inNew == len(new) || inOld == len(old) || blank(at(new, inNew)) {
		return inOld, inNew
	}
	first := key(at(new, inNew))
	for i := inOld; i < len(old); i++ {
		if key(at(old, i)) == first {
			if i > inOld && blank(at(old, i-1)) {
				inNew--
			}
			break
		}
	}
	return inOld, inNew
}

func (dm damage) names() []string {
	var out []string
	for _, n := range damageNames {
		if dm&n.bit != 0 {
			out = append(out, n.name)
		}
	}
	return out
}

var damageNames = [...]struct {
	bit  damage
	name string
}{
	{trailing, "blanks at line ends"}, {typography, "typography"}, {indentation, "indentation"}, {interior, "blanks inside lines"}, {blankLines, "blank lines"},
}
