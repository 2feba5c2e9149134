package edit

import (
	"fmt"
	"slices"
	"strings"
)

// Hunk is one piece of a patch: lines of the file, and the lines to put there. The hunks of a call are in the order of
// the file.
type Hunk struct {
	Old, New []string // without line ends; Old may be empty where the hunk only adds
	// Scopes are lines before the hunk, the outermost first, as in "@@ func f". Parts of lines are enough.
	Scopes []string
	// Line is the line number that the hunk names, from one; zero means none. It only breaks ties.
	Line int
	// AtEnd means that the hunk ends where the file does.
	AtEnd bool
}

// ApplyHunks makes all hunks in file, or none. Then the error is as in Apply. A hunk must fit once behind the hunk
// before it and behind its scopes; if it fits nowhere there, it must fit once in the file.
func ApplyHunks(file string, hunks []Hunk, opts *Options) (Result, error) {
	if opts == nil {
		opts = &Options{}
	}
	if len(hunks) == 0 {
		return Result{}, refuse(EmptyOld, "the patch changes nothing in this file.", "Send at least one hunk with - or + lines.")
	}
	w := newSession(file, opts)
	cursor := 0
	for i, h := range hunks {
		w.of++
		next, r := w.hunk(i, h, cursor)
		if r != nil {
			r.Edit = i
			w.refusals = append(w.refusals, r)
			continue
		}
		cursor = max(cursor, next)
	}
	return w.result()
}

// hunk locates one hunk and keeps its change; next is the line behind it.
func (s *session) hunk(i int, h Hunk, cursor int) (next int, r *Refusal) {
	m, r := s.d.placeHunk(h, cursor)
	if r != nil {
		return 0, r
	}
	if r := s.d.leavesOut(m); r != nil {
		return 0, r
	}
	if m.first == m.last {
		s.insertAt(i, m)
		return m.first, nil
	}
	c, r := s.change(i, m)
	if r != nil {
		return 0, r
	}
	s.changes = append(s.changes, c)
	slices.SortStableFunc(s.changes, func(a, b Change) int { return a.start - b.start })
	s.note(m.classes)
	return m.last, nil
}

// insertAt adds lines between two lines of the file.
func (s *session) insertAt(i int, m *match) {
	d := s.d
	at, end := len(d.raw), d.eol
	if m.first < len(d.lines) {
		at = d.lines[m.first].start
	}
	if m.first > 0 && d.end(m.first-1) != "" {
		end = d.end(m.first - 1)
	}
	text := strings.Join(m.new, end) + end
	if at == len(d.raw) && at > 0 && len(d.lines) > 0 && d.end(len(d.lines)-1) == "" {
		text = end + strings.TrimSuffix(text, end) // the file keeps having no final line end
	}
	s.changes = append(s.changes, Change{Edit: i, start: at, end: at, text: text, Old: [2]int{m.first + 1, m.first}})
	slices.SortStableFunc(s.changes, func(a, b Change) int { return a.start - b.start })
}

// placeHunk finds the place of a hunk.
func (d *document) placeHunk(h Hunk, cursor int) (*match, *Refusal) {
	scope, r := d.scope(h.Scopes, cursor)
	if countFilled(h.Old) == 0 {
		if r != nil {
			return nil, r
		}
		return d.placeAddition(h, scope)
	}
	p := readingPair{Old: h.Old, New: h.New}
	found := d.candidates(p.WithoutEdges().Old, nil)
	if r != nil && len(found) != 1 {
		return nil, r // a scope that cannot be found does no harm where the lines decide by themselves
	}
	inside := slices.DeleteFunc(slices.Clone(found), func(c candidate) bool { return c.first < scope || h.AtEnd && !d.onlyBlankFrom(c.last) })
	if len(inside) == 0 {
		inside = found
	}
	if len(inside) > 0 {
		return d.chosenHunk(p, h, inside)
	}
	m, r := d.byReadings(p)
	if m == nil && r == nil && d.fresh {
		m, r = d.drifted(p)
	}
	if m == nil && r == nil {
		r = d.notFound(p)
	}
	return m, r
}

func (d *document) onlyBlankFrom(n int) bool {
	for ; n < len(d.lines); n++ {
		if !isBlankLine(d.text(n)) {
			return false
		}
	}
	return true
}

// chosenHunk makes the match of the only candidate, of the only one without damage, or of the one at the line that the hunk names.
func (d *document) chosenHunk(p readingPair, h Hunk, found []candidate) (*match, *Refusal) {
	exact := slices.DeleteFunc(slices.Clone(found), func(c candidate) bool { return c.damage != 0 })
	if len(exact) > 0 {
		found = exact
	}
	if len(found) > 1 && h.Line > 0 {
		q := p.WithoutEdges()
		skipped := 0
		for skipped < len(p.Old) && isBlankLine(p.Old[skipped]) && len(q.Old) < len(p.Old) {
			skipped++
		}
		if at := slices.IndexFunc(found, func(c candidate) bool { return c.first == h.Line-1+skipped }); at >= 0 {
			found = found[at : at+1]
		}
	}
	if len(found) > 1 {
		lines := make([]int, len(found))
		for i, c := range found {
			lines[i] = c.first + 1
		}
		r := d.ambiguous(lines, "")
		r.Hint = "Add context lines to the hunk, or an @@ line with the function or class that it is in."
		return nil, r
	}
	return d.hunkMatch(p, found[0])
}

// hunkMatch takes blank context lines at the ends as the file has them.
func (d *document) hunkMatch(p readingPair, c candidate) (*match, *Refusal) {
	q := p.WithoutEdges()
	m := &match{first: c.first, last: c.last, old: q.Old, new: q.New, at: c.at, frame: c.damage == 0}
	head := 0
	for head < len(p.Old) && isBlankLine(p.Old[head]) {
		head++
	}
	tail := len(p.Old) - len(q.Old) - head
	if head == 0 && tail == 0 {
		m.classes = append(m.classes, c.damage.Names()...)
		return m, d.blanksInStrings(m)
	}
	if !d.blankRun(c.first-head, c.first) || !d.blankRun(c.last, c.last+tail) {
		m.classes = append(append(m.classes, "blank lines"), c.damage.Names()...)
		return m, d.blanksInStrings(m)
	}
	m.first, m.last, m.old, m.new = c.first-head, c.last+tail, p.Old, p.New
	m.at = nil
	for n := m.first; n < c.first; n++ {
		m.at = append(m.at, n)
	}
	m.at = append(m.at, c.at...)
	for n := c.last; n < m.last; n++ {
		m.at = append(m.at, n)
	}
	m.classes = append(m.classes, c.damage.Names()...)
	return m, d.blanksInStrings(m)
}

func (d *document) blankRun(from, to int) bool {
	if from < 0 || to > len(d.lines) {
		return false
	}
	for n := from; n < to; n++ {
		if !isBlankLine(d.text(n)) {
			return false
		}
	}
	return true
}

// placeAddition puts a hunk without lines of the file: behind its scope, at its line, or at the end of the file.
func (d *document) placeAddition(h Hunk, scope int) (*match, *Refusal) {
	m := &match{new: h.New}
	if countFilled(h.New) == 0 && len(h.New) == len(h.Old) {
		return nil, refuse(NoChange, "the hunk changes nothing.", "Leave it out.")
	}
	switch {
	case len(h.Scopes) > 0:
		m.first = scope
	case h.Line > 0:
		m.first = min(h.Line-1, len(d.lines))
	case len(h.Old) > 0:
		return nil, refuse(EmptyOld, "the hunk has only blank lines as context.", "Add context lines that are not blank, or an @@ line.")
	default:
		m.first = len(d.lines)
	}
	m.last = m.first
	return m, nil
}

// scope is the line behind the last of the scope lines, each looked for once after the one before.
func (d *document) scope(scopes []string, cursor int) (int, *Refusal) {
	at := cursor
	for _, s := range scopes {
		want := foldKey(s)
		if want == "" {
			continue
		}
		lines := d.scopeLines(want, at)
		if len(lines) == 0 {
			lines = d.scopeLines(want, 0)
		}
		switch len(lines) {
		case 0:
			return 0, refuse(NotFound, "the line of @@ "+quoteLine(s)+" is not in the file.", "Use a line that is in the file, or leave the @@ line bare and add context lines.")
		case 1:
			at = lines[0] + 1
		default:
			r := d.ambiguous([]int{lines[0] + 1, lines[1] + 1}, fmt.Sprintf("@@ %s: ", s))
			r.Hint = "Name the outer line first, in an @@ line of its own."
			return 0, r
		}
	}
	return at, nil
}

// scopeLines are the lines with a key from a line on; if there are none, those whose key begins with it.
func (d *document) scopeLines(want string, from int) []int {
	var whole, begin []int
	h, word := foldHash(want), longestWord(want)
	for n := from; n < len(d.lines); n++ {
		l := d.text(n)
		switch {
		case foldHash(l) == h:
			whole = append(whole, n)
		case strings.Contains(l, word) && strings.HasPrefix(foldKey(l), want):
			begin = append(begin, n)
		}
	}
	if len(whole) > 0 {
		return whole
	}
	return begin
}
