package dialect

import (
	"slices"
	"strings"
)

// form reads running text from position i to the first mark, and what the mark begins. It returns the position after it,
// and false at the end of the output.
func (p *Parser) text(i int) (int, bool) {
	from := i
	p.s.Held, p.s.Over = i, false
	for {
		set := p.set()
		i = p.s.SkipTo(i, set.one, &set.first)
		if i >= len(p.s.Buf) {
			n := whole(p.s.Buf[from:])
			p.say(p.s.Buf[from : from+n])
			p.s.Rest(from + n)
			i, from = len(p.s.Buf), 0
			if !p.s.More() {
				p.say(p.s.Buf)
				return 0, false
			}
			continue
		}
		if m, waits := p.mark(set, from, i); m != nil {
			return p.enter(m, from, i), true
		} else if waits {
			p.say(p.s.Buf[from:i])
			p.s.Rest(i)
			i, from = 0, 0
			if m, _ := p.mark(set, 0, 0); m != nil {
				return p.enter(m, 0, 0), true
			}
		}
		i++
	}
}

// set returns the marks that count in the present state.
func (p *Parser) set() *markSet {
	switch {
	case p.inert != nil:
		return p.marks.inert[p.inert]
	case p.fence && p.channel == Thinking:
		return &p.marks.fencedThinking
	case p.fence:
		return &p.marks.fenced
	case p.ticks > 0:
		return &p.marks.inline
	case p.channel == Thinking && p.d.Frames == nil:
		return &p.marks.thinking
	}
	return &p.marks.text
}

// mark returns the longest mark at position i, or that it takes more bytes to know.
func (p *Parser) mark(set *markSet, from, i int) (m *mark, waits bool) {
	for k := range set.list {
		m := &set.list[k]
		here := p.s.Buf[i:]
		if here[0] != m.lit[0] {
			continue
		}
		if len(here) < len(m.lit) {
			if strings.HasPrefix(m.lit, string(here)) && from < i {
				return nil, true
			}
			if !p.s.Has(i, m.lit) {
				continue
			}
		} else if string(here[:len(m.lit)]) != m.lit {
			continue
		}
		if p.counts(m, from, i) {
			return m, false
		}
	}
	return nil, false
}

// counts reports whether a mark has its special meaning at position i.
func (p *Parser) counts(m *mark, from, i int) bool {
	switch m.kind {
	case thinkClose:
		return p.channel == Thinking || !p.d.OpensThink && !p.d.isDrop(m.lit) && !p.quoted(from, i) && !p.mentioned(from, i, i+len(m.lit))
	case thinkOpen, inertOpen:
		return p.channel == Thinking || !p.quoted(from, i)
	case formOpen:
		f := m.form
		if f.AfterCall && !p.called || f.AtStart && !(p.start && isBlankText(p.s.Buf[from:i])) || f.LineStart && !p.lineStart(from, i) {
			return false
		}
		return !p.quoted(from, i) || p.marks.quoted[f] != nil
	}
	if m.kind == frameStart || m.kind == frameEnd {
		return before(p, from, i) != '`'
	}
	return true
}

// before returns the byte before position i.
func before(p *Parser, from, i int) byte {
	if i > from {
		return p.s.Buf[i-1]
	}
	return p.last[2]
}

// mentioned reports whether a tag is part of a sentence, between blanks and before a small letter: then it is mentioned.
func (p *Parser) mentioned(from, i, after int) bool {
	if before(p, from, i) != ' ' || !p.s.Has(after, " ") {
		return false
	}
	c, _ := p.s.At(after + 1)
	return c >= 'a' && c <= 'z'
}

// quoted reports whether what is at position i follows an opening quotation mark: then it is mentioned, not used. A mark
// behind a letter closes what was quoted before.
func (p *Parser) quoted(from, i int) bool {
	tail := append(p.last[:len(p.last):len(p.last)], p.s.Buf[max(from, i-3):i]...)
	n := len(tail)
	switch tail[n-1] {
	case '"', '\'':
		before := tail[n-2]
		return before == 0 || isBlank(before) || strings.IndexByte("([{<>=:,-", before) >= 0
	}
	for _, q := range []string{"“", "‘", "«", "「"} {
		if strings.HasSuffix(string(tail), q) {
			return true
		}
	}
	return false
}

// lineStart reports whether only blanks come before position i on its line.
func (p *Parser) lineStart(from, i int) bool {
	for i--; i >= from; i-- {
		if p.s.Buf[i] == '\n' {
			return true
		}
		if !isBlank(p.s.Buf[i]) {
			return false
		}
	}
	return p.blank
}

// enter emits the text before a mark and applies the mark; it returns the position after it.
func (p *Parser) enter(m *mark, from, i int) int {
	p.say(p.s.Buf[from:i])
	after := i + len(m.lit)
	switch m.kind {
	case backtick:
		return p.tick(i)
	case newline:
		p.ticks = 0
		p.say(p.s.Buf[i:after])
	case thinkOpen:
		p.channel, p.ahead = Thinking, true
	case thinkClose:
		return p.endThinking(m, i)
	case inertOpen:
		p.inert, p.hidden = m.span, m.span.Hidden
		p.say(p.s.Buf[i:after])
	case inertClose:
		p.say(p.s.Buf[i:after])
		p.inert, p.hidden = nil, false
	case formOpen:
		if p.ticks > 0 || p.quoted(i, i) {
			p.inert = p.marks.quoted[m.form]
			p.say(p.s.Buf[i:after])
			return after
		}
		p.inert = nil
		return p.form(p.fitting(m, after), i, after)
	case frameStart, frameEnd:
		return p.frame(m, i, after)
	case dropped:
		if slices.Contains(p.refusedClosers, m.lit) {
			p.say(p.s.Buf[i:after])
			p.refusedClosers = nil
		}
	}
	return after
}

// endThinking closes reasoning, or finds out that everything so far was reasoning.
func (p *Parser) endThinking(m *mark, i int) int {
	after := i + len(m.lit)
	if p.channel == Text {
		if p.thought {
			if !p.called || !p.d.CallsInThink {
				p.say(p.s.Buf[i:after])
			}
			return after
		}
		p.add(Event{Kind: Rethought})
		p.spoken, p.answered, p.called = false, false, false
	}
	p.channel, p.thought, p.start, p.ahead, p.blank = Text, true, true, true, true
	p.fence, p.ticks = false, 0
	return after
}

// tick reads a run of backticks: a fence at the start of a line, else inline code to the end of the line.
func (p *Parser) tick(i int) int {
	from, n := i, 0
	for {
		c, ok := p.s.At(i)
		if !ok || c != '`' {
			break
		}
		i, n = i+1, n+1
	}
	switch {
	case p.fence:
		p.fence = !(n >= 3 && p.lineStart(from, from))
	case p.ticks == n:
		p.ticks = 0
	case p.ticks > 0:
	case n >= 3:
		p.fence = p.lineStart(from, from)
	default:
		p.ticks = n
	}
	p.say(p.s.Buf[from:i])
	return i
}

func (d *Dialect) isDrop(lit string) bool {
	return slices.Contains(d.Drop, lit)
}
