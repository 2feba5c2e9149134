package edit

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// everywhere finds all places of an edit that replaces all: literal ones if there are any, else lines that all
// show the same damage.
func (d *document) everywhere(e Edit) ([]*match, *Refusal) {
	p := firstReading(d.view, d.cr, e.Old, e.New)
	if r := d.hopeless(e, p); r != nil {
		return nil, r
	}
	matches, count, r := d.everyLiteral(p)
	if r == nil && count == 0 {
		matches, r = d.everyLine(p)
		count = len(matches)
	}
	if r != nil {
		return nil, r
	}
	if count == 0 {
		return nil, d.notFound(p)
	}
	if e.Expected > 0 && count != e.Expected {
		return nil, refuse(WrongCount, fmt.Sprintf("old_text was found %d times, not %d times as expected.", count, e.Expected), "Send the right number, or a longer old_text that matches fewer places.")
	}
	for _, m := range matches {
		if r := d.leavesOut(m); r != nil {
			return nil, r
		}
	}
	return matches, nil
}

func (d *document) everyLiteral(p readingPair) ([]*match, int, *Refusal) {
	needle := strings.Join(p.Old, "\n")
	by := strings.Join(p.New, "\n")
	if p.OldEnded {
		needle += "\n"
		if by != "" {
			by += "\n"
		}
	} else if p.NewEnded {
		by += "\n"
	}
	var hits []int
	whole, cut := 0, 0
	for from := 0; ; {
		i := strings.Index(d.view[from:], needle)
		if i < 0 {
			break
		}
		i += from
		hits = append(hits, i)
		if d.cutsWord(i, i+len(needle)) {
			cut++
		} else {
			whole++
		}
		from = i + len(needle)
	}
	if whole > 0 && cut > 0 {
		return nil, 0, &Refusal{Reason: Ambiguous, Text: fmt.Sprintf("old_text is in the file %d times as a whole and %d times inside a longer word.", whole, cut),
			Hint: "Make old_text longer, so that it matches only the places you mean."}
	}
	return d.spliced(hits, len(needle), by), len(hits), nil
}

func (d *document) cutsWord(a, b int) bool {
	before, _ := utf8.DecodeLastRuneInString(d.view[:a])
	head, _ := utf8.DecodeRuneInString(d.view[a:])
	tail, _ := utf8.DecodeLastRuneInString(d.view[:b])
	after, _ := utf8.DecodeRuneInString(d.view[b:])
	return isWord(before) && isWord(head) || isWord(tail) && isWord(after)
}

// spliced makes one match of all hits that share lines.
func (d *document) spliced(hits []int, size int, by string) []*match {
	var out []*match
	for i := 0; i < len(hits); {
		first := d.lineAt(hits[i])
		last := d.lineAt(hits[i] + size - 1)
		var b strings.Builder
		at := d.lines[first].at
		for ; i < len(hits) && d.lineAt(hits[i]) <= last; i++ {
			b.WriteString(d.view[at:hits[i]])
			b.WriteString(by)
			at = hits[i] + size
			last = d.lineAt(at - 1)
		}
		end := d.lines[last].at + len(d.text(last))
		m := &match{first: first, last: last + 1, frame: true}
		if at <= end {
			b.WriteString(d.view[at:end])
		}
		for n := first; n <= last; n++ {
			m.old, m.at = append(m.old, d.text(n)), append(m.at, n)
		}
		m.new, _ = splitLines(b.String())
		out = append(out, m)
	}
	return out
}

func (d *document) everyLine(p readingPair) ([]*match, *Refusal) {
	for _, p := range p.Readings() {
		q := p.WithoutEdges()
		found := d.candidates(q.Old, nil)
		if len(found) == 0 {
			continue
		}
		var out []*match
		for i, c := range found {
			if c.damage != found[0].damage {
				return nil, d.ambiguous([]int{found[0].first + 1, c.first + 1}, "The places differ from old_text in different ways. ")
			}
			if i > 0 && c.first < found[i-1].last {
				return nil, d.ambiguous([]int{found[i-1].first + 1, c.first + 1}, "The places overlap. ")
			}
			m := &match{first: c.first, last: c.last, old: q.Old, new: q.New, at: c.at, classes: append(append([]string{}, q.Classes...), c.damage.Names()...)}
			if r := d.blanksInStrings(m); r != nil {
				return nil, r
			}
			out = append(out, m)
		}
		if len(found) > maxPlaces {
			return nil, refuse(TooMuch, fmt.Sprintf("more than %d places match approximately, none exactly.", maxPlaces), "Send old_text exactly as it is in the file.")
		}
		return out, nil
	}
	return nil, nil
}
