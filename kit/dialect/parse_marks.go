package dialect

import "sort"

// mark is a string that means something in running text.
type mark struct {
	lit  string
	kind markKind
	form *Form
	span *Span
}

type markKind int

const (
	thinkOpen markKind = iota
	thinkClose
	dropped
	formOpen
	inertOpen
	inertClose
	frameStart
	frameEnd
	backtick
	newline
)

// markSet finds marks by their first byte.
type markSet struct {
	first [256]bool
	one   byte   // the only first byte, 0 when there are several
	list  []mark // longer ones first
}

// marks are the marks of a dialect in each state of the text.
type marks struct {
	text, thinking, fenced, fencedThinking, inline markSet
	inert                                          map[*Span]*markSet
	sticky                                         map[*Form]*Span
	quoted                                         map[*Form]*Span
	shared                                         map[string]bool // openers of several sections
}

// marks collects them from the row. They are few and small, so that building them for each answer costs less than sharing them.
func (d *Dialect) marks() *marks {
	m := &marks{inert: map[*Span]*markSet{}, sticky: map[*Form]*Span{}, quoted: map[*Form]*Span{}, shared: map[string]bool{}}
	for i := range d.Think {
		span := &d.Think[i]
		for _, lit := range span.Open {
			m.text.add(mark{lit: lit, kind: thinkOpen, span: span})
		}
		for _, lit := range span.Close {
			m.text.add(mark{lit: lit, kind: thinkClose, span: span})
			m.thinking.add(mark{lit: lit, kind: thinkClose, span: span})
			m.fencedThinking.add(mark{lit: lit, kind: thinkClose, span: span})
		}
	}
	seen := map[string]bool{}
	for i := range d.Calls {
		m.form(&d.Calls[i], d.CallsInThink)
		for _, lit := range d.Calls[i].Section.Open {
			m.shared[lit], seen[lit] = seen[lit], true
		}
	}
	for i := range d.Inert {
		for _, lit := range d.Inert[i].Open {
			m.text.add(mark{lit: lit, kind: inertOpen, span: &d.Inert[i]})
		}
		m.keep(&d.Inert[i])
	}
	for _, lit := range d.Drop {
		m.text.add(mark{lit: lit, kind: dropped})
		if d.CallsInThink {
			m.thinking.add(mark{lit: lit, kind: dropped})
		}
	}
	if f := d.Frames; f != nil {
		for _, lit := range f.Start {
			m.text.add(mark{lit: lit, kind: frameStart})
		}
		for _, lit := range f.End {
			m.text.add(mark{lit: lit, kind: frameEnd})
		}
	}
	m.inline.add(mark{lit: "\n", kind: newline})
	for _, set := range []*markSet{&m.text, &m.thinking, &m.fenced, &m.fencedThinking, &m.inline} {
		if d.Frames == nil && (set != &m.thinking || d.CallsInThink) {
			set.add(mark{lit: "`", kind: backtick})
		}
	}
	for _, set := range []*markSet{&m.text, &m.thinking, &m.fenced, &m.fencedThinking, &m.inline} {
		set.finish()
	}
	return m
}

// form adds the openers of a form.
func (m *marks) form(form *Form, inThinking bool) {
	if form.Sticky {
		m.sticky[form] = &Span{Close: form.Close}
		m.keep(m.sticky[form])
	}
	m.quote(form)
	for _, lit := range form.openers() {
		m.text.add(mark{lit: lit, kind: formOpen, form: form})
		if inThinking && !form.OnlyKnown {
			m.thinking.add(mark{lit: lit, kind: formOpen, form: form})
		}
	}
}

// keep builds the set of marks that count inside an inert span: its closers.
func (m *marks) keep(span *Span) {
	set := &markSet{}
	for _, lit := range span.Close {
		set.add(mark{lit: lit, kind: inertClose, span: span})
	}
	set.finish()
	m.inert[span] = set
}

// quote builds the set of marks that count after an opener that is only mentioned: its closer, its opener, a blank line.
func (m *marks) quote(form *Form) {
	openers := form.openers()
	if len(openers[0]) < 2 {
		return // a bracket is no mark that anybody quotes
	}
	span := &Span{Close: append(append([]string{"\n\n"}, form.Close...), form.Section.Close...)}
	m.keep(span)
	for _, lit := range openers {
		m.inert[span].add(mark{lit: lit, kind: formOpen, form: form})
		m.inline.add(mark{lit: lit, kind: formOpen, form: form})
	}
	m.inert[span].finish()
	m.quoted[form] = span
}

// openers returns what begins the form in running text.
func (f *Form) openers() []string {
	switch {
	case len(f.Section.Open) > 0:
		return f.Section.Open
	case len(f.Open) > 0:
		return f.Open
	case f.Syntax == Python:
		return []string{"["}
	case f.OnlyArray:
		return []string{"["}
	}
	return []string{"{"}
}

func (s *markSet) add(m mark) {
	if m.lit == "" {
		return
	}
	s.first[m.lit[0]] = true
	s.list = append(s.list, m)
}

// finish puts longer marks before their own beginnings.
func (s *markSet) finish() {
	sort.SliceStable(s.list, func(i, j int) bool { return len(s.list[i].lit) > len(s.list[j].lit) })
	s.one = 0
	for i, m := range s.list {
		if i == 0 {
			s.one = m.lit[0]
		} else if m.lit[0] != s.one {
			s.one = 0
			return
		}
	}
}
