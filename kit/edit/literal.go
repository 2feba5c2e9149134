package edit

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// match is a place of the file, and what the model believes is there.
type match struct {
	first, last int      // lines [first,last) of the file
	old         []string // the model's lines
	at          []int    // the file's line for each of old; -1 for a blank line that the file has not
	new         []string // what shall be there
	classes     []string
	frame       bool // the lines are the file's own: nothing was repaired
	ended       bool // new_text ends with a line end that old_text has not
	drift       bool // lines of context differ in a word
}

// literal looks for old as it is. It returns nil, nil if it is not there.
func (d *document) literal(p readingPair) (*match, *Refusal) {
	if len(p.Old) == 0 {
		return nil, nil
	}
	if n := len(p.Old) - 1; n > 0 && p.Old[n] == "" && !p.OldEnded {
		p.Old, p.OldEnded = p.Old[:n], true // as text this is a line end
		if m := len(p.New) - 1; m > 0 && p.New[m] == "" && !p.NewEnded {
			p.New, p.NewEnded = p.New[:m], true
		}
	}
	needle := strings.Join(p.Old, "\n")
	if p.OldEnded {
		needle += "\n"
	}
	hits := d.hits(needle, 2)
	switch len(hits) {
	case 0:
		return nil, nil
	case 1:
		return d.guarded(p, hits[0], hits[0]+len(needle))
	}
	return nil, d.ambiguous(d.hitLines(d.hits(needle, maxPlaces+1)), "")
}

// maxPlaces bounds the places that a refusal lists.
const maxPlaces = 20

// hits are the places of a text in view, overlapping ones too.
func (d *document) hits(needle string, limit int) []int {
	var out []int
	for from := 0; len(out) < limit; {
		i := strings.Index(d.view[from:], needle)
		if i < 0 {
			break
		}
		out = append(out, from+i)
		from += i + 1
	}
	return out
}

func (d *document) hitLines(hits []int) []int {
	out := make([]int, 0, len(hits))
	for _, h := range hits {
		out = append(out, d.lineAt(h)+1)
	}
	return out
}

// guarded turns a literal hit view[a:b] into a match, unless it is one that only looks right.
func (d *document) guarded(p readingPair, a, b int) (*match, *Refusal) {
	first, last := d.lineAt(a), d.lineAt(b-1)
	prefix := d.view[d.lines[first].at:a]
	suffix := ""
	if !p.OldEnded {
		suffix = d.view[b : d.lines[last].at+len(d.text(last))]
	}
	if prefix != "" && len(p.Old) > 1 && p.Old[0] == "" {
		// Old begins with the end of a line: the line itself is not part of it.
		p.Old, first, prefix = p.Old[1:], first+1, ""
		if len(p.New) > 0 && p.New[0] == "" {
			p.New = p.New[1:]
		}
	}
	if r := d.cutInWord(a, b); r != nil {
		return nil, r
	}
	if r := d.commentedOut(p, first, prefix, suffix); r != nil {
		return nil, r
	}
	if prefix == "" && suffix == "" {
		return d.wholeLines(p, first, last), nil
	}
	if isBlankLine(prefix) && isBlankLine(suffix) {
		return d.bareLines(p, first, last), nil
	}
	if twin := d.candidates(p.Old, nil); len(twin) > 0 {
		lines := []int{first + 1}
		for _, t := range twin {
			lines = append(lines, t.first+1)
		}
		return nil, d.ambiguous(lines, "old_text is only a part of one of these lines. ")
	}
	return d.partLines(p, first, last, prefix, suffix)
}

// cutInWord refuses a hit whose end is in the middle of a word.
func (d *document) cutInWord(a, b int) *Refusal {
	before, _ := utf8.DecodeLastRuneInString(d.view[:a])
	head, _ := utf8.DecodeRuneInString(d.view[a:b])
	tail, _ := utf8.DecodeLastRuneInString(d.view[a:b])
	after, _ := utf8.DecodeRuneInString(d.view[b:])
	where := ""
	switch {
	case isWord(before) && isWord(head):
		where = "begins"
	case isWord(tail) && isWord(after):
		where = "ends"
	default:
		return nil
	}
	n := d.lineAt(a)
	if where == "ends" {
		n = d.lineAt(b - 1)
	}
	return &Refusal{Reason: Truncated, Places: []Place{{First: n + 1, Last: n + 1}},
		Text: "old_text " + where + " inside a word of " + lineRange(n+1, n+1) + ": " + quoteLine(d.text(n)),
		Hint: "Send whole words, best whole lines, in old_text and new_text."}
}

// commentedOut refuses code that is in the file as the body of a comment only.
func (d *document) commentedOut(p readingPair, n int, prefix, suffix string) *Refusal {
	if prefix == "" || !isBlankLine(suffix) || len(p.Old) > 1 {
		return nil
	}
	switch mark := strings.TrimSpace(prefix); mark {
	case "//", "#", "--", ";", "%", "/*", "<!--", "REM":
		return &Refusal{Reason: InComment, Places: []Place{{First: n + 1, Last: n + 1}},
			Text: "old_text is in the file only inside a comment, " + lineRange(n+1, n+1) + ": " + quoteLine(d.text(n)),
			Hint: "If you mean the comment, send its line with the " + mark + " in old_text and new_text."}
	}
	return nil
}

// wholeLines is a hit on complete lines. Blank lines at the ends of old that new has not stay in the file: models are
// careless with them; only if that were the whole change are they meant.
func (d *document) wholeLines(p readingPair, first, last int) *match {
	if q := p.WithoutEdges(); len(q.Old) < len(p.Old) && countFilled(q.New) > 0 && !slices.Equal(q.Old, q.New) {
		for isBlankLine(d.text(first)) {
			first++
		}
		last, p.Old, p.New = first+len(q.Old)-1, q.Old, q.New
	}
	m := &match{first: first, last: last + 1, old: p.Old, new: p.New, classes: p.Classes, frame: true, ended: p.NewEnded && !p.OldEnded}
	for i := range p.Old {
		m.at = append(m.at, first+i)
	}
	if len(p.New) == 1 && p.New[0] == "" && !p.NewEnded {
		m.new = nil
	}
	return m
}

// bareLines is a hit on lines whose first has lost its indentation, or whose last its trailing blanks.
func (d *document) bareLines(p readingPair, first, last int) *match {
	m := d.wholeLines(p, first, last)
	m.frame = false
	return m
}

// partLines is a hit that begins or ends within a line. The rest of these lines is put around both texts.
func (d *document) partLines(p readingPair, first, last int, prefix, suffix string) (*match, *Refusal) {
	m := &match{first: first, last: last + 1, classes: p.Classes, frame: true}
	for i := first; i <= last; i++ {
		m.old = append(m.old, d.text(i))
		m.at = append(m.at, i)
	}
	m.new = append(m.new, p.New...)
	if p.NewEnded && !p.OldEnded {
		m.new = append(m.new, "")
	}
	if len(m.new) == 0 {
		m.new = []string{""}
	}
	if r := d.doubledEnd(p, m.new[len(m.new)-1], prefix, suffix, last); r != nil {
		return nil, r
	}
	if !(isBlankLine(prefix) && prefix != "" && strings.HasPrefix(m.new[0], prefix) && !strings.HasPrefix(p.Old[0], prefix)) {
		m.new[0] = prefix + m.new[0]
	}
	m.new[len(m.new)-1] += suffix
	return m, nil
}

// doubledEnd refuses a line that lost its last characters in old and has them in new: they would be there twice.
func (d *document) doubledEnd(p readingPair, newLast, prefix, suffix string, last int) *Refusal {
	tail := strings.TrimSpace(suffix)
	oldLast := p.Old[len(p.Old)-1]
	if tail == "" || len(p.Old) == 1 && !isBlankLine(prefix) || !strings.HasSuffix(newLast, tail) || strings.HasSuffix(oldLast, tail) {
		return nil
	}
	return &Refusal{Reason: Truncated, Places: []Place{{First: last + 1, Last: last + 1}},
		Text: "the last line of old_text ends before " + quoteLine(tail) + " of " + lineRange(last+1, last+1) + ", and new_text has it: " + quoteLine(d.text(last)),
		Hint: "Send the whole line in old_text."}
}

// quoteLine is a line for a message: cut, in the file's own characters.
func quoteLine(s string) string {
	s = strings.TrimSpace(s)
	if len(s) > 120 {
		s = strings.ToValidUTF8(s[:117], "") + "…"
	}
	return "`" + s + "`"
}
