package dialect

import (
	"bytes"
	"cmp"
)

const noJSON = "a call is not valid JSON: send {\"name\": …, \"arguments\": {…}}"

// damaged reads a value that is no valid JSON, where it has one meaning all the same; done is false where it has not.
func (p *Parser) damaged(f *Form, at int, first bool) (r found, done bool) {
	if f.Loose {
		if r, done = p.loose(f, at); done {
			return r, true
		}
	}
	if len(f.Open) == 0 || !first {
		return r, false
	}
	if c, _ := p.s.At(at); c == '[' {
		return p.items(f, at)
	}
	return p.unbracketed(f, at)
}

// items reads an array in which a comma is missing or too many, or some items cannot be read. These are reported, and the
// others count.
func (p *Parser) items(f *Form, at int) (r found, done bool) {
	for i := p.s.Blank(at + 1); ; i = p.s.Blank(i) {
		switch c, _ := p.s.At(i); c {
		case ',':
			i++
			continue
		case ']':
			r.next, r.ok = i+1, len(r.calls) > 0
			return p.closeJSON(f, r), r.ok
		case '{':
		default:
			return r, false
		}
		end, ok := p.s.Value(i)
		if !ok {
			if end = p.itemEnd(i); end < 0 {
				return r, false
			}
		}
		calls, why := p.callsOf(f, p.s.Buf[i:end])
		r.calls, r.broken = append(r.calls, calls...), cmp.Or(r.broken, why)
		i = end
	}
}

// itemEnd returns the position after an object that is no JSON. It is -1 where its brackets and quotation marks do not agree
// on the end: what follows might be text of a string.
func (p *Parser) itemEnd(i int) int {
	outside, all, inside := 0, 0, false
	for {
		c, more := p.s.At(i)
		if !more {
			return -1
		}
		step := 0
		switch c {
		case '\\':
			i++
		case '"':
			inside = !inside
		case '{', '[':
			step = 1
		case '}', ']':
			step = -1
		}
		all += step
		if !inside {
			outside += step
		}
		i++
		if all == 0 || outside == 0 {
			if all == 0 && outside == 0 && !inside {
				return i
			}
			return -1
		}
	}
}

// unbracketed reads one call of a known tool whose outer brackets are missing. The brackets of its arguments are there.
func (p *Parser) unbracketed(f *Form, at int) (r found, done bool) {
	if len(f.Close) == 0 {
		return r, false
	}
	stop, _ := p.s.Find(at, f.Close)
	if stop < 0 {
		return r, false
	}
	body := bytes.TrimSpace(p.s.Buf[at:stop])
	if bytes.HasPrefix(body, []byte(`"`)) {
		body = append([]byte("{"), body...)
	}
	for _, end := range []string{"", "}"} {
		calls, why := p.callsOf(f, append(body[:len(body):len(body)], end...))
		if why == "" && len(calls) == 1 && p.tools.has(calls[0].Name) {
			calls[0].Repaired = true
			return p.closeJSON(f, found{calls: calls, next: stop, ok: true}), true
		}
	}
	return r, false
}

// unread returns what is in the place of a call's JSON: nothing (then the form is empty), a call of a known tool in another
// syntax, or prose.
func (p *Parser) unread(f *Form, at int) found {
	if lit := p.s.Any(at, f.Close); lit != "" {
		return found{next: at + len(lit), ok: true}
	}
	c, _ := p.s.At(at)
	switch {
	case !f.Loose || len(f.Open) == 0:
	case c == '"':
		if r, done := p.unbracketed(f, at); done {
			return r
		}
	case isNameByte(c):
		r := p.pyCalls(&Form{Open: f.Open, Close: f.Close, NeedClose: true}, at, false)
		if r.ok && r.broken == "" && p.known(&Form{OnlyKnown: true}, r.calls) && len(p.tools) > 0 {
			return r
		}
	}
	return found{next: at}
}
