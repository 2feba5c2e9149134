package dialect

import (
	"bytes"
	"slices"
)

// found is the result of reading a form.
type found struct {
	calls  []Call
	next   int    // the position after what was read
	ok     bool   // it was the form, even when no call in it can run
	broken string // what was wrong with a call in it, for the model
	cut    bool   // the next call began where its closer should be
}

// form reads what follows an opener and returns the position after it. What turns out to be no call is text.
func (p *Parser) form(f *Form, i, after int) int {
	p.s.Held, p.s.Over = i, false
	if len(f.Section.Open) > 0 {
		return p.section(f, i, after)
	}
	begun := inSentence(p, i)
	r := p.one(f, after)
	if begun && r.ok && p.sentenceGoesOn(r.next) {
		p.refuse(f, i, r.next, "")
		return r.next
	}
	if r.ok && !p.s.Over && p.known(f, r.calls) && (!f.Offered || len(p.tools) > 0) {
		p.emit(r)
	} else {
		p.explain(f, &r, i)
		p.refuse(f, i, max(r.next, after), p.repeated(f, &r))
	}
	p.s.Over = false
	return max(r.next, after)
}

// inSentence reports whether text of the same line is before position i, apart from it by a blank or a bracket.
func inSentence(p *Parser, i int) bool {
	return (p.last[2] == ' ' || p.last[2] == '(' || p.last[2] == '>') && !p.lineStart(i, i)
}

// sentenceGoesOn reports whether the line continues at position i: with a small letter, or with a mark that ends a part of a sentence.
func (p *Parser) sentenceGoesOn(i int) bool {
	if c, _ := p.s.At(i); c == ',' || c == ';' || c == ')' || c == '.' {
		return true
	}
	for {
		switch c, _ := p.s.At(i); {
		case c == ' ':
			i++
		case c == '<': // the end of what is around the call
			next, lit := p.s.Find(i, []string{">"})
			if second, _ := p.s.At(i + 1); second != '/' || lit == "" {
				return false
			}
			i = next + 1
		default:
			return c >= 'a' && c <= 'z'
		}
	}
}

// fitting returns the form whose section a mark opens: where several begin alike, the one whose call comes first in it.
func (p *Parser) fitting(m *mark, after int) *Form {
	if len(m.form.Section.Open) == 0 || !p.marks.shared[m.lit] {
		return m.form
	}
	for i := range p.d.Calls {
		f := &p.d.Calls[i]
		if slices.Contains(f.Section.Open, m.lit) && p.s.Any(p.s.Skip(after, f.Skip), f.Open) != "" {
			return f
		}
	}
	return m.form
}

// explain reports what is wrong with a block that is no call but was meant as one: a call without its closer was,
// bare JSON that names no tool was not.
func (p *Parser) explain(f *Form, r *found, i int) {
	switch {
	case r.broken == "" && len(r.calls) > 0 && len(f.Open) > 0 && !r.ok:
		r.broken = "the call of " + r.calls[0].Name + " was not closed: end it with " + f.Close[0]
	case r.broken == "" && r.ok && len(f.Open) > 0 && !p.known(f, r.calls):
		r.broken = "no tool " + r.calls[0].Name
	case len(f.Open) == 0 && r.broken != "" && !p.namesTool(p.s.Buf[i:min(max(r.next, i), len(p.s.Buf))]):
		r.broken = ""
	}
}

// namesTool reports whether a text holds the name of a tool in quotation marks.
func (p *Parser) namesTool(text []byte) bool {
	for name := range p.tools {
		if bytes.Contains(text, quoteJSON(name)) {
			return true
		}
	}
	return len(p.tools) == 0
}

// repeated returns why a call that was read does not count: it is outside of its tags, after one that was inside.
func (p *Parser) repeated(f *Form, r *found) string {
	if r.ok && f.Offered && p.called {
		return "a call outside of its tags was left out"
	}
	return r.broken
}

// section reads a list of calls.
func (p *Parser) section(f *Form, i, after int) int {
	pos, good := after, false
	why := ""
	begun := inSentence(p, i)
	var held []found // in a line with text, until it is clear that the sentence does not go on
	for !p.s.Over {
		pos = p.s.Skip(pos, f.Skip)
		if lit := p.s.Any(pos, f.Section.Close); lit != "" {
			pos += len(lit)
			break
		}
		lit := p.s.Any(pos, f.Open)
		if lit == "" && f.Noise {
			if at := p.sibling(f, pos); at >= 0 {
				pos = at
				continue
			}
			pos = len(p.s.Buf)
		}
		if lit == "" {
			if !good {
				return p.refused(f, i, pos, why)
			}
			break
		}
		r := p.one(f, pos+len(lit))
		pos = max(r.next, pos+len(lit))
		switch {
		case p.s.Over:
		case r.ok && p.known(f, r.calls) && begun:
			held, good = append(held, r), true
		case r.ok && p.known(f, r.calls):
			p.emit(r)
			good, p.s.Held = true, pos
		case why == "":
			why = r.broken
			if pos = p.sibling(f, pos); pos < 0 {
				pos = len(p.s.Buf)
			}
		}
	}
	if !good && why != "" || p.s.Over && !good || len(held) > 0 && p.sentenceGoesOn(pos) {
		return p.refused(f, i, pos, why)
	}
	for _, r := range held {
		p.emit(r)
	}
	if why != "" {
		p.broken(why)
	}
	p.s.Over = false
	return pos
}

// sibling finds the next call of a section after a broken one, or the section's end.
func (p *Parser) sibling(f *Form, pos int) int {
	next, _ := p.s.Find(pos, append(append([]string{}, f.Open...), f.Section.Close...))
	return next
}

// refused refuses a region and returns its end.
func (p *Parser) refused(f *Form, i, next int, why string) int {
	p.refuse(f, i, next, why)
	p.s.Over = false
	return next
}

// one reads one call, or one value that holds calls, from position i on.
func (p *Parser) one(f *Form, i int) found {
	switch f.Syntax {
	case Named:
		return p.named(f, i)
	case Markup:
		return p.markup(f, i)
	case Elements:
		return p.elements(f, i)
	case Python:
		return p.python(f, i)
	case Braces:
		return p.braces(f, i)
	case Lenient:
		return p.lenient(f, i)
	}
	return p.json(f, i)
}

// known reports whether a form that is only for known tools names none but these.
func (p *Parser) known(f *Form, calls []Call) bool {
	if !f.OnlyKnown || len(p.tools) == 0 {
		return true
	}
	for _, c := range calls {
		if _, ok := p.tools[c.Name]; !ok {
			return false
		}
	}
	return true
}

// emit reports what was found.
func (p *Parser) emit(r found) {
	if p.channel == Thinking && len(r.calls) > 0 {
		p.channel, p.thought = Text, true
	}
	for _, c := range r.calls {
		if b := p.begun; b == nil || b.Name != c.Name || !bytes.Equal(b.Args, c.Args) {
			p.call(c)
		}
		p.begun = nil
		if r.cut {
			p.begun = &c
		}
	}
	if r.broken != "" {
		p.broken(r.broken)
	}
}

// refuse keeps a region as text, and reports why when it looked like a call.
func (p *Parser) refuse(f *Form, i, next int, why string) {
	if why != "" {
		p.broken(why)
	}
	if p.s.Over {
		p.broken("the call is too long to be read: send less at once")
	}
	p.inert, p.refusedClosers = p.marks.sticky[f], f.Close
	_, more := p.s.At(next)
	if (f.Hide || f.Offered) && why != "" || f.HideCut && !more && !p.s.Over && !f.holdsArgument(p.s.Buf[i:next]) {
		p.remember(p.s.Buf[i:next])
		return
	}
	if f.HideMark {
		i += len(p.s.Any(i, f.openers()))
	}
	p.say(p.s.Buf[i:next])
}

// holdsArgument reports whether a block that was cut has a whole argument: then it is more than a marker, and shows.
func (f *Form) holdsArgument(block []byte) bool {
	for _, lit := range f.Tags.ParamClose {
		if bytes.Contains(block, []byte(lit)) {
			return true
		}
	}
	return false
}

// close reads the closer of a form from position i on; ok is false when there must be one and is none.
func (p *Parser) close(f *Form, i int) (next int, closed, ok bool) {
	at := p.s.Skip(i, f.Skip)
	if lit := p.s.Any(at, f.Close); lit != "" {
		return at + len(lit), true, true
	}
	return i, false, len(f.Close) == 0 || !f.NeedClose
}
