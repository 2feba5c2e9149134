package edit

import (
	"fmt"
	"strings"
)

// fillGaps writes the file's lines for the placeholders of old, and for the same placeholders of new.
func (d *document) fillGaps(m *match, gap func(int) bool) (*match, *Refusal) {
	out := &match{first: m.first, last: m.last, classes: append(m.classes, "left out lines")}
	type filling struct{ from, to int }
	var fills []filling
	var keys []string
	for i, l := range m.old {
		if !gap(i) {
			out.old, out.at = append(out.old, l), append(out.at, m.at[i])
			continue
		}
		f := filling{m.first, m.last}
		for j := i - 1; j >= 0; j-- {
			if m.at[j] >= 0 {
				f.from = m.at[j] + 1
				break
			}
		}
		for j := i + 1; j < len(m.old); j++ {
			if m.at[j] >= 0 {
				f.to = m.at[j]
				break
			}
		}
		fills, keys = append(fills, f), append(keys, foldKey(l))
		for n := f.from; n < f.to; n++ {
			out.old, out.at = append(out.old, d.text(n)), append(out.at, n)
		}
	}
	used := 0
	for _, l := range m.new {
		if used < len(keys) && foldKey(l) == keys[used] {
			for n := fills[used].from; n < fills[used].to; n++ {
				out.new = append(out.new, d.text(n))
			}
			used++
			continue
		}
		out.new = append(out.new, l)
	}
	if used < len(keys) {
		for _, f := range fills[used:] {
			if r := d.dropsUnseen(out, f.from, f.to); r != nil {
				return nil, r
			}
		}
	}
	return out, nil
}

// dropsUnseen refuses a change that would remove lines that old only hinted at.
func (d *document) dropsUnseen(m *match, from, to int) *Refusal {
	for _, s := range d.pairLines(m, false) {
		if s.A < 0 || s.B >= 0 || m.at[s.A] < from || m.at[s.A] >= to || isBlankLine(m.old[s.A]) {
			continue
		}
		return &Refusal{Reason: Placeholder, Places: []Place{{First: from + 1, Last: to}},
			Text: fmt.Sprintf("old_text leaves %s out, and new_text neither has them nor leaves them out in the same way: they would be lost.", lineRange(from+1, to)),
			Hint: "Write the lines in full in old_text, or keep the same placeholder line in new_text."}
	}
	return nil
}

// leavesOut refuses a placeholder that new has more often than old: writing it would put it into the file.
func (d *document) leavesOut(m *match) *Refusal {
	have := map[string]int{}
	for _, l := range m.old {
		have[foldKey(l)]++
	}
	for i, l := range m.new {
		if !isPlaceholder(l) {
			continue
		}
		if k := foldKey(l); have[k] > 0 {
			have[k]--
			continue
		}
		if isBareEllipsis(l) && i > 0 && opens(m.new[i-1]) && d.onlyAdds(m, i) {
			continue
		}
		return &Refusal{Reason: Placeholder, Places: []Place{{First: m.first + 1, Last: m.last}},
			Text: "new_text has a placeholder, " + quoteLine(l) + ", that would be written into the file as it is.",
			Hint: "Write new_text in full; to leave lines as they are, end old_text and new_text before them."}
	}
	return nil
}

// onlyAdds means that line n of new is in a hunk that removes nothing.
func (d *document) onlyAdds(m *match, n int) bool {
	removes, here := false, false
	for _, s := range d.pairLines(m, false) {
		if s.A >= 0 && s.B >= 0 {
			if here {
				return !removes
			}
			removes = false
			continue
		}
		removes = removes || s.B < 0
		here = here || s.B == n
	}
	return here && !removes
}

// doubles refuses a change that only adds lines which are in the file right behind the place already.
func (d *document) doubles(m *match) *Refusal {
	var added []string
	behind := m.first
	for _, s := range d.pairLines(m, false) {
		switch {
		case s.B < 0:
			return nil
		case s.A < 0:
			added = append(added, m.new[s.B])
		case len(added) == 0 && m.at[s.A] >= 0:
			behind = m.at[s.A] + 1
		}
	}
	words := 0
	for _, l := range added {
		for behind < len(d.lines) && isBlankLine(d.text(behind)) && !isBlankLine(l) {
			behind++
		}
		if isBlankLine(l) {
			continue
		}
		if behind >= len(d.lines) || foldKey(d.text(behind)) != foldKey(l) {
			return nil
		}
		if strings.ContainsFunc(l, isWord) {
			words++
		}
		behind++
	}
	if words < 2 {
		return nil
	}
	return &Refusal{Reason: Applied, Places: []Place{{First: m.first + 1, Last: behind}},
		Text: "the lines that new_text adds are already there, right after the place, at " + lineRange(m.first+1, behind) + ".",
		Hint: "If they should be there twice, write the whole region in old_text and new_text."}
}
