package edit

import (
	"fmt"
	"slices"
	"sort"
	"strings"
	"time"
)

// session is the work of one call: the edits that fit so far, as changes of one text.
type session struct {
	origin   string
	d        *document
	opts     *Options
	changes  []Change
	refusals []*Refusal
	classes  []string
	of       int
}

func newSession(file string, opts *Options) *session {
	limit := opts.Limit
	if limit <= 0 {
		limit = time.Second
	}
	s := &session{origin: file, d: parse(file, time.Now().Add(limit)), opts: opts}
	s.d.fresh = opts.Fresh
	return s
}

// add locates one edit and keeps its changes.
func (s *session) add(i int, e Edit) {
	s.of++
	changes, classes, r := s.find(i, e)
	if r != nil && r.Reason == NotFound && len(s.changes) > 0 && len(s.refusals) == 0 {
		if after, ok := s.inOrder(i, e); ok {
			*s = *after
			return
		}
	}
	if r != nil {
		r.Edit = i
		s.refusals = append(s.refusals, r)
		return
	}
	s.changes = append(s.changes, changes...)
	slices.SortStableFunc(s.changes, func(a, b Change) int { return a.start - b.start })
	s.note(classes)
}

// inOrder looks for an edit in the text that the edits before it made.
func (s *session) inOrder(i int, e Edit) (*session, bool) {
	next := *s
	next.d = parse(s.text(), s.d.until)
	next.changes = nil
	changes, classes, r := next.find(i, e)
	if r != nil {
		return nil, false
	}
	next.changes = changes
	next.note(append(classes, "in order"))
	return &next, true
}

func (s *session) note(classes []string) {
	for _, c := range classes {
		if !slices.Contains(s.classes, c) {
			s.classes = append(s.classes, c)
		}
	}
}

// find makes the changes of one edit.
func (s *session) find(i int, e Edit) ([]Change, []string, *Refusal) {
	var matches []*match
	if e.All || e.Expected > 1 {
		all, r := s.d.everywhere(e)
		if r != nil {
			return nil, nil, r
		}
		matches = all
	} else {
		m, r := s.d.locate(e)
		if r != nil {
			return nil, nil, r
		}
		matches = []*match{m}
	}
	var out []Change
	var classes []string
	for _, m := range matches {
		c, r := s.change(i, m)
		if r != nil {
			return nil, nil, r
		}
		out, classes = append(out, c), append(classes, m.classes...)
	}
	return out, classes, nil
}

func (s *session) change(i int, m *match) (Change, *Refusal) {
	d := s.d
	if d.late() {
		return Change{}, refuse(TooMuch, "the edit took too long.", "Send a shorter old_text.")
	}
	text, r := d.carry(m)
	if r != nil {
		return Change{}, r
	}
	c := Change{Edit: i, start: d.lines[m.first].start, end: d.lines[m.last-1].next, text: text}
	if text == d.raw[c.start:c.end] {
		return c, refuse(NoChange, lineRange(m.first+1, m.last)+" would stay as "+theyAre(m)+": nothing in new_text differs from what is there.", "If the change is made already, continue; else send what should be different.")
	}
	// The changes so far are in order and apart, so the first that ends behind this one's start is the one to look at.
	at := sort.Search(len(s.changes), func(i int) bool { return s.changes[i].end > c.start })
	if at > 0 && s.changes[at-1].start == c.start {
		at--
	}
	if at < len(s.changes) && s.changes[at].start < c.end {
		return c, refuse(Overlap, fmt.Sprintf("it changes the same lines as edit %d.", s.changes[at].Edit+1), "Join the two edits into one.")
	}
	return c.shrink(d, m), nil
}

func theyAre(m *match) string {
	if m.last-m.first > 1 {
		return "they are"
	}
	return "it is"
}

// shrink takes the unchanged lines at both ends out of a change, and counts its lines.
func (c Change) shrink(d *document, m *match) Change {
	first, last := m.first, m.last
	for first < last {
		l := d.raw[d.lines[first].start:d.lines[first].next]
		if !strings.HasPrefix(c.text, l) || len(l) == 0 {
			break
		}
		c.text, c.start, first = c.text[len(l):], d.lines[first].next, first+1
	}
	for first < last {
		l := d.raw[d.lines[last-1].start:d.lines[last-1].next]
		if !strings.HasSuffix(c.text, l) || len(l) == 0 || len(c.text) > len(l) && !strings.HasSuffix(c.text[:len(c.text)-len(l)], "\n") && !d.cr {
			break
		}
		c.text, c.end, last = c.text[:len(c.text)-len(l)], d.lines[last-1].start, last-1
	}
	c.Old = [2]int{first + 1, last}
	return c
}

// text is the file with all changes made.
func (s *session) text() string {
	var b strings.Builder
	at := 0
	for _, c := range s.changes {
		b.WriteString(s.d.raw[at:c.start])
		b.WriteString(c.text)
		at = c.end
	}
	b.WriteString(s.d.raw[at:])
	return b.String()
}

func (s *session) result() (Result, error) {
	if len(s.refusals) == 1 && s.of == 1 {
		return Result{Text: s.origin}, s.refusals[0]
	}
	if len(s.refusals) > 0 {
		return Result{Text: s.origin}, &Refusals{Of: s.of, Each: s.refusals}
	}
	r := Result{Text: s.text(), Classes: s.classes}
	if len(r.Classes) == 0 {
		r.Classes = []string{"exact"}
	}
	if s.d.raw == s.origin {
		s.report(&r)
	} else {
		reportWhole(&r, s.origin)
	}
	return r, nil
}
