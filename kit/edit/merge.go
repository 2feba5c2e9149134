package edit

import "slices"

// Merge joins two changes of one text: ours and theirs were both made from base. The Result is relative to theirs, which
// is what the file has. Where both changed the same lines, or lines that touch, Merge returns these places in theirs
// and changes nothing. A change that both made alike counts once.
func Merge(base, ours, theirs string) (Result, []Place) {
	b := parse(base, farFuture())
	our, their := wholeHunks(b, ours), wholeHunks(b, theirs)
	t := parse(theirs, farFuture())
	var conflicts []Place
	var changes []Change
	shift, j := 0, 0
	for _, h := range our {
		for j < len(their) && their[j].first+their[j].removed < h.first {
			shift += len(their[j].added) - their[j].removed
			j++
		}
		if j < len(their) && their[j].first <= h.first+h.removed {
			if same := their[j]; same.first == h.first && same.removed == h.removed && slices.Equal(same.added, h.added) {
				continue
			}
			from := min(their[j].first, h.first) + shift
			conflicts = append(conflicts, Place{First: from + 1, Last: max(from+1, from+max(len(their[j].added), h.removed))})
			continue
		}
		changes = append(changes, t.changeAt(h, shift))
	}
	if len(conflicts) > 0 {
		for i := range conflicts {
			conflicts[i].Last = min(conflicts[i].Last, len(t.lines))
		}
		return Result{Text: theirs}, conflicts
	}
	s := &session{origin: theirs, d: t, changes: changes}
	r := Result{Text: s.text()}
	s.report(&r)
	return r, nil
}

// changeAt is a hunk of base, moved to where its lines are in this text.
func (d *document) changeAt(h hunk, shift int) Change {
	first := h.first + shift
	c := Change{Old: [2]int{first + 1, first + h.removed}, start: len(d.raw)}
	if first < len(d.lines) {
		c.start = d.lines[first].start
	}
	c.end = c.start
	if h.removed > 0 {
		c.end = d.lines[first+h.removed-1].next
	}
	for _, l := range h.added {
		c.text += l
	}
	return c
}
