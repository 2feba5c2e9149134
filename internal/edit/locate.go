package edit

import "strings"

// maxOldLines bounds old texts that do not stand literally in the file.
const maxOldLines = 3000

// locate finds the one place that the model means, or refuses.
func (d *document) locate(e Edit, fresh bool) (*match, *Refusal) {
	p := clean(d, e.Old, e.New)
	if r := d.hopeless(e, p); r != nil {
		return nil, r
	}
	m, r := d.literal(p)
	if m == nil && r == nil {
		m, r = d.byReadings(p)
	}
	if m == nil && r == nil && fresh {
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
	return m, nil
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
	case e.Old == e.New:
		return refuse(NoChange, "old_text and new_text are the same: nothing would change.", "Send the text that shall stand there as new_text.")
	case len(d.lines) == 0:
		return refuse(NotFound, "the file is empty.", "Use write_file to give it its text.")
	}
	return nil
}

// byReadings tries the readings in order; two that lead to different places refuse each other.
func (d *document) byReadings(p pair) (*match, *Refusal) {
	if len(p.old) > maxOldLines {
		return nil, refuse(TooMuch, "old_text does not stand literally in the file and is too long to be searched for in other ways.", "Send fewer lines.")
	}
	var found *match
	for i, q := range p.readings() {
		m, r := d.byReading(q, len(q.classes) > len(p.classes))
		if r != nil {
			if found == nil && (i == 0 || r.Reason != NotFound) {
				return nil, r
			}
			continue
		}
		if m == nil {
			continue
		}
		if found == nil {
			found = m
		} else if found.first != m.first || found.last != m.last {
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
		if m, r := d.literal(q); m != nil || r != nil {
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
	if c == nil || r != nil {
		return nil, r
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

// withoutEdges drops the blank lines around old, and as many around new.
func (p pair) withoutEdges() pair {
	cut := func(lines []string, most int) int {
		n := 0
		for n < len(lines) && n < most && blank(lines[n]) {
			n++
		}
		return n
	}
	o := cut(p.old, len(p.old))
	n := cut(p.new, o)
	p.old, p.new = p.old[o:], p.new[n:]
	cutEnd := func(lines []string, most int) int {
		n := 0
		for n < len(lines) && n < most && blank(lines[len(lines)-1-n]) {
			n++
		}
		return n
	}
	o = cutEnd(p.old, len(p.old))
	n = cutEnd(p.new, o)
	p.old, p.new = p.old[:len(p.old)-o], p.new[:len(p.new)-n]
	if o > 0 || len(p.old) == 0 {
		p = p.with("blank lines")
	}
	return p
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
