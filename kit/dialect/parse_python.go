package dialect

import (
	"cmp"
	"strings"
)

// python reads calls with literal keywords: [f(a="x"), g()], or one on each line between tags.
func (p *Parser) python(f *Form, i int) found {
	bracket := len(f.Open) == 0
	if !bracket {
		i = p.s.Skip(i, f.Skip)
		c, _ := p.s.At(i)
		if f.Tags.OrJSON && (c == '{' || c == '[' && p.s.Has(p.s.Blank(i+1), "{")) {
			return p.json(f, i)
		}
		if c == '[' {
			bracket, i = true, i+1
		}
	}
	return p.pyCalls(f, i, bracket)
}

// pyCalls reads calls up to the closing bracket or tag.
func (p *Parser) pyCalls(f *Form, i int, bracket bool) found {
	r := found{next: i}
	if lit := p.s.Any(p.s.Blank(i), f.Close); lit != "" && !bracket {
		return found{next: p.s.Blank(i) + len(lit), ok: true, broken: "a call is empty"}
	}
	for {
		i = p.s.Blank(i)
		if c, _ := p.s.At(i); bracket && c == ']' && len(r.calls) > 0 {
			r.next, r.ok = i+1, true
			break
		}
		if !bracket && len(r.calls) > 0 && p.s.Any(i, f.Close) != "" {
			r.next, r.ok = i, true
			break
		}
		c, next, why := p.pyCall(f, i)
		if why != "" || next < 0 {
			return p.pyFailed(f, r, next, i, why, bracket)
		}
		r.calls = append(r.calls, c)
		i = p.s.Blank(next)
		if b, _ := p.s.At(i); b == ',' || b == ';' {
			i++
		}
	}
	next, closed, ok := p.close(f, r.next)
	if closed {
		r.next = next
	}
	for k := range r.calls {
		r.calls[k].Unclosed = !closed && len(f.Close) > 0
	}
	r.ok = ok
	return r
}

// pyFailed ends a list that does not continue as calls. At the end of the output, whole calls without the bracket count.
func (p *Parser) pyFailed(f *Form, r found, next, i int, why string, bracket bool) found {
	if _, more := p.s.At(i); !more && len(r.calls) > 0 && len(f.Open) > 0 && !bracket && !p.s.Over {
		r.next, r.ok = i, true
		return r
	}
	if next < i {
		next = i
	}
	if len(f.Open) == 0 {
		return found{next: next}
	}
	return found{next: next, broken: cmp.Or(why, "calls must be written as [name(key=value)]")}
}

// pyCall reads name(key=value, …). next is -1 when it is none.
func (p *Parser) pyCall(f *Form, i int) (Call, int, string) {
	from := i
	for {
		c, ok := p.s.At(i)
		if !ok || i-from > longestName {
			return Call{}, i, "a call was cut off"
		}
		if !isNameByte(c) && c != '.' && c != '-' || i == from && c >= '0' && c <= '9' {
			break
		}
		i++
	}
	name := string(p.s.Buf[from:i])
	if c, _ := p.s.At(i); c != '(' || name == "" {
		return Call{}, i, "calls must be written as name(key=value)"
	}
	if f.OnlyKnown && len(p.tools) > 0 && !p.tools.has(name) {
		return Call{}, i, "no tool " + name
	}
	b := newObject(p.tools[name])
	l := &literalReader{In: &p.s, Kwargs: true}
	i = p.s.Blank(i + 1)
	for {
		if c, ok := p.s.At(i); ok && c == ')' {
			return Call{Name: name, Args: b.bytes()}, i + 1, ""
		}
		key, next := p.ident(i)
		if key == "" || !p.s.Has(next, "=") {
			return Call{}, next, "the arguments of " + name + " must be written as key=value"
		}
		value, next, ok := l.Value(p.s.Blank(next+1), 0)
		if !ok {
			return Call{}, next, "the value of " + key + " in the call of " + name + " is not a literal or was cut off"
		}
		b.put(key, value)
		if i = p.s.Blank(next); p.s.Has(i, ",") {
			i = p.s.Blank(i + 1)
		} else if !p.s.Has(i, ")") {
			return Call{}, i, "the call of " + name + " has no closing bracket"
		}
	}
}

// ident reads a keyword and the blanks after it.
func (p *Parser) ident(i int) (string, int) {
	from := i
	for {
		c, ok := p.s.At(i)
		if !ok || !isNameByte(c) && c != '-' || i-from > longestName {
			return string(p.s.Buf[from:i]), p.s.Blank(i)
		}
		i++
	}
}

// pyLiteral returns text as JSON when the whole of it is one Python literal.
func pyLiteral(text string) ([]byte, bool) {
	s := &modelOutput{Buf: []byte(text), EOF: true}
	l := &literalReader{In: s}
	v, end, ok := l.Value(0, 0)
	if !ok || strings.TrimSpace(text[min(end, len(text)):]) != "" {
		return nil, false
	}
	return v, true
}
