package dialect

import (
	"encoding/json"
	"strings"
)

// named reads NAME, a separator, and one JSON object of arguments.
func (p *Parser) named(f *Form, i int) found {
	at := p.s.Skip(i, f.Skip)
	if c, _ := p.s.At(at); f.Tags.OrJSON && (c == '[' || c == '{') {
		if r := p.json(f, i); c == '[' || len(r.calls) > 0 || !r.ok {
			return r
		}
	}
	name, id, next, ok := p.head(f, at)
	if !ok {
		if json := p.announced(at); f.Tags.OrJSON && json >= 0 {
			return p.json(f, json)
		}
		return found{next: next}
	}
	at = next
	c := Call{Name: p.cleanName(name), ID: id}
	if f.Numbered {
		if c.ID = name; !numbered(name) && !p.tools.has(c.Name) {
			return found{next: at, broken: "a call's id must be functions.NAME:NUMBER"}
		}
	}
	return p.namedArgs(f, c, p.s.Skip(at, f.Skip))
}

// namedArgs reads the arguments of a call whose name is known, and its closer.
func (p *Parser) namedArgs(f *Form, c Call, at int) found {
	if b, _ := p.s.At(at); b != '{' {
		next, closed, _ := p.close(f, at)
		if closed && p.tools.has(c.Name) {
			return found{calls: []Call{c}, next: next, ok: true}
		}
		if f.RawArg {
			return p.rawArg(f, c, at)
		}
		return found{next: at, broken: "the call of " + c.Name + " has no JSON object of arguments"}
	}
	end, ok := p.s.Value(at)
	if !ok && f.Loose {
		if c.Args, end, ok = (&literalReader{In: &p.s}).Value(at, 0); ok {
			next, closed, ok := p.close(f, end)
			c.Unclosed, c.Repaired = !closed, true
			return found{calls: []Call{c}, next: next, ok: ok}
		}
	}
	if !ok {
		return found{next: end, broken: "the arguments of " + c.Name + " are not valid JSON or were cut off"}
	}
	if c.Args = cleanJSON(p.s.Buf[at:end]); c.Args == nil {
		return found{next: end, broken: "the arguments of " + c.Name + " are not valid JSON"}
	}
	c.Args = append(json.RawMessage(nil), c.Args...)
	next, closed, ok := p.close(f, end)
	c.Unclosed = !closed && len(f.Close) > 0
	return found{calls: []Call{c}, next: next, ok: ok}
}

// rawArg reads text up to the closer as the one argument of a call.
func (p *Parser) rawArg(f *Form, c Call, at int) found {
	end, lit := p.s.Find(at, f.Close)
	if end < 0 {
		return found{next: len(p.s.Buf), broken: "the call of " + c.Name + " was cut off"}
	}
	b := newObject(p.tools[c.Name])
	b.set(p.tools.main(c.Name), strings.TrimSpace(string(p.s.Buf[at:end])), untyped, false)
	c.Args = b.bytes()
	return found{calls: []Call{c}, next: end + len(lit), ok: true}
}

// announced finds the array of calls on the line after the opener, after a word or two; -1 for none.
func (p *Parser) announced(i int) int {
	for from := i; i-from < longestName; i++ {
		c, ok := p.s.At(i)
		switch {
		case !ok || c == '\n':
			return -1
		case c == '[' && p.s.Has(p.s.Blank(i+1), "{"):
			return i
		}
	}
	return -1
}

// head reads a name, and an id where the form has one, up to the separator.
func (p *Parser) head(f *Form, i int) (name, id string, next int, ok bool) {
	from, inID := i, false
	for ; i-from <= 2*longestName; i++ {
		c, more := p.s.At(i)
		if !more {
			return "", "", i, false
		}
		if f.IDMark != "" && c == f.IDMark[0] && p.s.Has(i, f.IDMark) {
			if f.IDFirst {
				id = strings.TrimSpace(string(p.s.Buf[from:i]))
			} else {
				name, inID = strings.TrimSpace(string(p.s.Buf[from:i])), true
			}
			i += len(f.IDMark) - 1
			from = i + 1
			continue
		}
		if sep := p.s.Any(i, f.Sep); sep != "" || c == '{' && !f.NeedSep {
			rest := strings.TrimSpace(string(p.s.Buf[from:i]))
			if inID {
				id = rest
			} else {
				name = rest
			}
			return name, id, i + len(sep), name == "" || plausible(name) // without a name it is a call of an unknown tool
		}
		if p.s.Any(i, f.Close) != "" {
			name = strings.TrimSpace(string(p.s.Buf[from:i]))
			return name, id, i, plausible(name) && p.tools.has(p.cleanName(name))
		}
		if c == '\n' && i > from && strings.TrimSpace(string(p.s.Buf[from:i])) != "" {
			if next := p.s.Blank(i); next < len(p.s.Buf) && p.s.Buf[next] != '{' && p.s.Any(next, f.Sep) == "" {
				return "", "", i, false
			}
		}
	}
	return "", "", i, false
}

// plausible reports whether s can be a tool's name.
func plausible(s string) bool {
	return s != "" && len(s) <= longestName && !strings.ContainsAny(s, "\n\r\"{}[]<>`|") && !strings.Contains(s, ". ") && strings.Count(s, " ") <= 3
}

// cleanName takes the marks of formats off a name: functions.N:0, N<|channel|>json. It never changes the name itself: a
// name that is offered as written stays.
func (p *Parser) cleanName(name string) string {
	name = strings.Trim(strings.TrimSpace(name), "\"'")
	if p.tools.has(name) {
		return name
	}
	if cut := strings.Index(name, "<|"); cut > 0 {
		name = name[:cut]
	}
	if k := strings.LastIndexByte(name, ':'); k > 0 && digits(name[k+1:]) {
		name = name[:k]
	}
	return strings.TrimPrefix(strings.TrimSpace(name), "functions.")
}

// numbered reports whether a name ends in :N.
func numbered(name string) bool {
	k := strings.LastIndexByte(name, ':')
	return k > 0 && digits(name[k+1:])
}

func digits(s string) bool {
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return s != ""
}
