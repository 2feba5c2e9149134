package dialect

import (
	"bytes"
	"cmp"
)

// json reads calls written as JSON values.
func (p *Parser) json(f *Form, i int) found {
	if len(f.Open) == 0 {
		i-- // the bracket is the opener
	}
	r := found{next: i}
	for first := true; ; first = first && !r.ok {
		at := p.s.Skip(i, f.Skip)
		if len(f.Close) == 0 && r.ok && i > r.next {
			at = p.s.Skip(at+len(p.s.Any(at, f.Open)), f.Skip) // the opener again, behind a separator
		}
		c, _ := p.s.At(at)
		if c != '{' && (c != '[' || !first) || f.OnlyArray && c != '[' && first || f.OnlyObject && c == '[' {
			if first {
				return p.unread(f, at)
			}
			break
		}
		if len(f.Open) == 0 && !p.looksLikeCall(at, f) {
			r.next = at + 1
			return r
		}
		end, ok := p.s.Value(at)
		if !ok && f.Partial && c == '[' {
			return p.partial(f, at)
		}
		if !ok && first && p.begunTwice(f, at, end) {
			i = end
			continue
		}
		if !ok {
			if r, done := p.damaged(f, at, first); done {
				return r
			}
		}
		if !ok {
			if !first && !f.OneLine {
				break
			}
			if !p.nextLine(f, &r, &end) {
				if f.Hide {
					end = p.bracketEnd(at, end)
				}
				return found{next: end, broken: r.broken}
			}
			i = end
			continue
		}
		if f.OneLine && bytes.IndexByte(p.s.Buf[at:end], '\n') >= 0 {
			r.broken = "each call must be on one line"
		} else {
			calls, why := p.callsOf(f, p.s.Buf[at:end])
			r.calls = append(r.calls, calls...)
			r.broken = cmp.Or(r.broken, why)
		}
		i, r.next, r.ok = end, end, true
		i = p.separator(f, i)
	}
	return p.closeJSON(f, r)
}

// begunTwice reports whether bare JSON breaks off where the same text begins again: then the first copy is ignored.
func (p *Parser) begunTwice(f *Form, at, end int) bool {
	return len(f.Open) == 0 && end-at >= len(`{"name":`) && end < len(p.s.Buf) && p.s.Has(end, string(p.s.Buf[at:end]))
}

// closeJSON reads the closer after the values.
func (p *Parser) closeJSON(f *Form, r found) found {
	if len(f.Open) == 0 && !f.NeedClose {
		r.ok = r.ok && len(r.calls) > 0
		return r
	}
	at := p.s.Blank(r.next)
	for c, ok := p.s.At(at); ok && len(f.Close) > 0 && (c == '}' || c == ']'); c, ok = p.s.At(at) {
		at = p.s.Blank(at + 1) // one bracket too many, as small models write
	}
	if at > p.s.Blank(r.next) && p.s.Any(at, f.Close) == "" {
		at = r.next
	}
	next, closed, ok := p.close(f, at)
	if closed {
		r.next = next
	}
	if f.Exact && !closed {
		at = p.s.Blank(r.next)
		if _, more := p.s.At(at); more {
			return found{next: at}
		}
	}
	if f.Exact && (len(r.calls) != 1 || r.broken != "") {
		return found{next: r.next}
	}
	r.ok = ok
	for k := range r.calls {
		r.calls[k].Unclosed = !closed && len(f.Close) > 0
	}
	return r
}

// loose reads one value as a literal and continues after it.
func (p *Parser) loose(f *Form, at int) (found, bool) {
	lit := literalReader{In: &p.s}
	v, end, ok := lit.Value(at, 0)
	if !ok {
		return found{}, false
	}
	calls, why := p.callsOf(f, v)
	if why != "" {
		return found{}, false
	}
	for k := range calls {
		if !p.tools.allOf(calls[k].Name, lit.Doubtful) {
			return found{}, false
		}
		calls[k].Repaired = true
	}
	return p.closeJSON(f, found{calls: calls, next: end, ok: true}), true
}

// partial reads the whole calls of an array that the end of the output cut off.
func (p *Parser) partial(f *Form, at int) found {
	r := found{}
	for {
		at = p.s.Blank(at + 1)
		end, ok := p.s.Value(at)
		if !ok {
			at = end
			break
		}
		calls, why := p.callsOf(f, p.s.Buf[at:end])
		r.calls, r.broken = append(r.calls, calls...), cmp.Or(r.broken, why)
		if at = p.s.Blank(end); !p.s.Has(at, ",") {
			break
		}
	}
	for k := range r.calls {
		r.calls[k].Unclosed = true
	}
	_, more := p.s.At(at)
	r.next, r.ok = at, len(r.calls) > 0 && !more
	return r
}

// nextLine continues with the line after one that is no JSON, where each line is a value of its own; false where none does.
func (p *Parser) nextLine(f *Form, r *found, end *int) bool {
	r.broken = cmp.Or(r.broken, noJSON)
	if !f.OneLine {
		return false
	}
	at, _ := p.s.Find(*end, append([]string{"\n"}, f.Close...))
	if at < 0 {
		*end = len(p.s.Buf)
		return false
	}
	*end, r.next, r.ok = at, at, true
	return true
}

// bracketEnd returns the position after the bracket that closes the one at position i, or end where none does so soon: what
// was meant as a call and does not show must not show by half.
func (p *Parser) bracketEnd(i, end int) int {
	depth, inside := 0, false
	for from := i; i-from <= 4*longestName; i++ {
		c, more := p.s.At(i)
		switch {
		case !more:
			return end
		case c == '"':
			inside = !inside
		case inside:
		case c == '[' || c == '{':
			depth++
		case c == ']' || c == '}':
			if depth--; depth == 0 {
				return max(i+1, end)
			}
		}
	}
	return end
}

// separator skips what may come between two values.
func (p *Parser) separator(f *Form, i int) int {
	at := p.s.Blank(i)
	if c, _ := p.s.At(at); c == ';' || c == ',' && len(f.Open) > 0 {
		if next := p.s.Blank(at + 1); next < len(p.s.Buf) || p.s.More() {
			return next
		}
	}
	return i
}

// looksLikeCall reports early whether a bare object or array can be a call, so that other JSON streams on as text.
func (p *Parser) looksLikeCall(at int, f *Form) bool {
	if c, _ := p.s.At(at); c == '[' {
		at = p.s.Blank(at + 1)
		if c, _ := p.s.At(at); c != '{' {
			return false
		}
	}
	at = p.s.Blank(at + 1)
	keys := append([]string{"tool_calls", "type", "function", "id"}, f.keys()...)
	if f.Envelope {
		keys = append(keys, "role", "content", "index", "finish_reason")
	}
	for _, key := range keys {
		if p.s.Has(at, `"`+key+`"`) {
			return true
		}
	}
	return false
}

func (f *Form) keys() []string {
	return append(append([]string{}, f.nameKeys()...), f.argKeys()...)
}

func (f *Form) nameKeys() []string { return orUsual(f.NameKeys, "name") }

func (f *Form) argKeys() []string { return orUsual(f.ArgKeys, "arguments", "parameters") }

func orUsual(keys []string, usual ...string) []string {
	if len(keys) > 0 {
		return keys
	}
	return usual
}
