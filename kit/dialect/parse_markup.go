package dialect

import (
	"html"
	"slices"
	"strings"
)

// markup reads NAME and one tagged value for each argument, after the call's opener.
func (p *Parser) markup(f *Form, i int) found {
	t := &f.Tags
	if c, _ := p.s.At(p.s.Blank(i)); t.OrJSON && (c == '{' || c == '[') {
		return p.json(f, i)
	}
	if lit := p.s.Any(p.s.Blank(i), f.Close); lit != "" {
		return found{next: p.s.Blank(i) + len(lit), ok: true, broken: "a call is empty"}
	}
	name, end, at := p.tagHead(t.HeadEnd, i)
	if end == "" {
		return found{next: at, broken: "a call was cut off before its name ended"}
	}
	if end != t.Param && !slices.Contains(f.Close, end) {
		at += len(end)
	}
	if t.NameAttr != "" {
		if c, _ := p.s.At(p.s.Blank(at)); t.OrJSON && strings.TrimSpace(name) == "" && c == '{' {
			return p.json(f, at)
		}
		name = attr(name, t.NameAttr, t.Escaped)
	}
	if name = p.cleanName(name); name == "" || t.NameAttr == "" && !plausible(name) {
		return found{next: at, broken: "a call has no name"}
	}
	b := newObject(p.tools[name])
	next, closed, why := p.params(f, at, b)
	if why != "" {
		return found{next: next, broken: "the call of " + name + " " + why}
	}
	b.unwrap()
	if t.Strict {
		if why = b.dropUnknown(); !p.tools.takes(name, b) {
			if !p.tools.has(name) {
				return found{next: next, broken: "no tool " + name}
			}
			return found{next: next, broken: "the arguments of " + name + " are not those of the tool"}
		}
	}
	ok := closed || !f.NeedClose || f.OrWhole && p.tools.has(name) && b.complete()
	return found{calls: []Call{{Name: name, Args: b.bytes(), Unclosed: !closed}}, next: next, ok: ok, broken: why, cut: b.cut}
}

// tagHead reads the rest of an opening tag up to one of ends, minding quotes; end is "" when there is none.
func (p *Parser) tagHead(ends []string, i int) (text, end string, at int) {
	from, quote := i, byte(0)
	for ; i-from <= 4*longestName; i++ {
		c, more := p.s.At(i)
		switch {
		case !more:
			return "", "", i
		case quote != 0:
			if c == quote {
				quote = 0
			}
			continue
		case c == '"' && i > from && p.s.Buf[i-1] == '=':
			quote = c
			continue
		}
		if end := p.s.Any(i, ends); end != "" {
			return string(p.s.Buf[from:i]), end, i
		}
	}
	return "", "", i
}

// params reads the arguments and the closer. why explains what is wrong with them.
func (p *Parser) params(f *Form, i int, b *object) (next int, closed bool, why string) {
	t := &f.Tags
	if at := p.s.Blank(i); p.s.Has(at, "{") {
		end, ok := p.s.Value(at)
		if raw := cleanJSON(p.s.Buf[at:min(end, len(p.s.Buf))]); ok && raw != nil {
			b.whole = append([]byte(nil), raw...)
			i = end
		}
	}
	for {
		i = p.s.Skip(i, f.Skip)
		if lit := p.s.Any(i, f.Close); lit != "" {
			return i + len(lit), true, ""
		}
		if b.cut = p.s.Any(i, f.Open) != ""; b.cut || p.s.Any(i, f.Section.Close) != "" {
			return i, true, "" // the closer was forgotten; the next mark replaces it
		}
		if !p.s.Has(i, t.Param) {
			if p.ends(i, f) {
				if len(b.members) == 0 && b.whole == nil {
					return i, false, "was cut off"
				}
				next := p.theEnd(i)
				b.ended = next == i
				return next, !strings.HasPrefix(t.Param, string(p.s.Buf[i:next])), "" // a closer that is cut off itself still shows that the call was whole, if it can be nothing else
			}
			return i, false, "holds something other than its arguments"
		}
		var ok bool
		if i, ok = p.param(f, i+len(t.Param), b); !ok {
			return i, false, "was cut off inside an argument"
		}
	}
}

// param reads one argument after its opener.
func (p *Parser) param(f *Form, i int, b *object) (int, bool) {
	t := &f.Tags
	attrs, keyEnd, at := p.tagHead([]string{t.KeyEnd}, i)
	if keyEnd == "" {
		return at, false
	}
	key := t.key(attrs)
	at += len(keyEnd)
	if t.Value != "" {
		at = p.s.Skip(at, f.Skip)
		if lit := p.s.Any(at, t.Type.Open); lit != "" {
			end, lit := p.s.Find(at, t.Type.Close)
			if end < 0 {
				return len(p.s.Buf), false
			}
			at = p.s.Skip(end+len(lit), f.Skip)
		}
		if !p.s.Has(at, t.Value) {
			return at, false
		}
		at += len(t.Value)
	}
	if t.CDATA && p.s.Has(p.s.Blank(at), "<![CDATA[") {
		return p.cdata(f, key, p.s.Blank(at)+len("<![CDATA["), b)
	}
	end, next, ok := p.valueEnd(f, at, b.shape)
	if !ok {
		return end, false
	}
	raw := string(p.s.Buf[at:end])
	if t.Newlines {
		raw = cutNewlines(raw, t.Snug)
	}
	if t.Trim {
		raw = strings.TrimSpace(raw)
	}
	b.set(key, raw, certainty(t.TypeAttr, attrs), p.d.NullText)
	return next, true
}

// cdata reads a value in <![CDATA[…]]>.
func (p *Parser) cdata(f *Form, key string, at int, b *object) (int, bool) {
	end, lit := p.s.Find(at, []string{"]]>"})
	if end < 0 {
		return len(p.s.Buf), false
	}
	b.set(key, string(p.s.Buf[at:end]), untyped, p.d.NullText)
	next := p.s.Blank(end + len(lit))
	if lit := p.s.Any(next, f.Tags.ParamClose); lit != "" {
		next += len(lit)
	}
	return next, true
}

// valueEnd finds where a value ends. Values are not escaped, so a closing tag counts only when what follows continues with
// the markup; a forgotten closing tag is stood for by the next argument that the tool knows, or by the call's closer.
func (p *Parser) valueEnd(f *Form, at int, shape *valueShape) (end, next int, ok bool) {
	t := &f.Tags
	stops := append(append([]string{t.Param}, t.ParamClose...), f.Close...)
	inside := -1 // up to here a call's closer is part of the value
	for i := at; ; i++ {
		var lit string
		if i, lit = p.s.Find(i, stops); i < 0 {
			return len(p.s.Buf), 0, false
		}
		after := i + len(lit)
		switch {
		case slices.Contains(t.ParamClose, lit):
			if p.goesOn(f, after) {
				return i, after, true
			}
		case lit == t.Param:
			if !t.Closed && p.knownParam(t, after, shape) {
				return i, i, true
			}
		case !t.Closed && i > inside && p.endsHere(f, after):
			if inside = p.closedLater(f, after); inside < 0 {
				return i, i, true
			}
		}
	}
}

// closedLater returns the position of the closing tag that a value still has after what looks like its call's end, so that
// no call runs with half a value; -1 when another argument or call begins first, or none.
func (p *Parser) closedLater(f *Form, i int) int {
	t := &f.Tags
	marks := append(append([]string{t.Param}, t.ParamClose...), f.Open...)
	at, lit := p.s.Find(i, append(marks, f.Section.Open...))
	if at < 0 || !slices.Contains(t.ParamClose, lit) {
		return -1
	}
	return at
}

// goesOn reports whether markup follows at position i, or nothing.
func (p *Parser) goesOn(f *Form, i int) bool {
	i = p.s.Skip(i, f.Skip)
	if p.ends(i, f) {
		return true
	}
	return p.s.Has(i, f.Tags.Param) || p.s.Any(i, f.Close) != "" || p.s.Any(i, f.Section.Close) != "" || p.s.Any(i, f.Open) != ""
}

// ends reports whether the output ends at position i, or inside a closer that begins there.
func (p *Parser) ends(i int, f *Form) bool {
	for _, list := range [][]string{f.Close, f.Section.Close} {
		for _, lit := range list {
			n := 0
			for n < len(lit) && p.s.Has(i+n, lit[n:n+1]) {
				n++
			}
			if _, more := p.s.At(i + n); !more && n < len(lit) {
				return true
			}
		}
	}
	return false
}

// theEnd returns the end of the output, which is near.
func (p *Parser) theEnd(i int) int {
	for {
		if _, more := p.s.At(i); !more {
			return i
		}
		i++
	}
}

// endsHere reports whether a call's closer at a value's place is meant: the next call, the section's end or nothing follows.
func (p *Parser) endsHere(f *Form, i int) bool {
	i = p.s.Skip(i, f.Skip)
	if _, more := p.s.At(i); !more {
		return true
	}
	return p.s.Any(i, f.Section.Close) != "" || p.s.Any(i, f.Open) != ""
}

// knownParam reports whether an argument's opener at a value's place names an argument of the tool.
func (p *Parser) knownParam(t *Tags, i int, shape *valueShape) bool {
	attrs, keyEnd, _ := p.tagHead([]string{t.KeyEnd}, i)
	if keyEnd == "" {
		return false
	}
	key := t.key(attrs)
	if shape == nil || len(shape.Members) == 0 {
		return plausible(key)
	}
	_, ok := shape.Members[key]
	return ok
}

// key returns an argument's key from the text of its opening tag.
func (t *Tags) key(text string) string {
	if t.KeyAttr != "" {
		text = attr(text, t.KeyAttr, t.Escaped)
	}
	text = strings.TrimSpace(text)
	if n := len(text); n > 2 && t.KeyAttr == "" && (text[0] == '"' || text[0] == '\'') && text[n-1] == text[0] {
		text = text[1 : n-1]
	}
	return text
}

// attr returns an attribute's value from the text of a tag.
func attr(attrs, name string, escaped bool) string {
	for rest := attrs; ; {
		k := strings.Index(rest, name)
		if k < 0 {
			return ""
		}
		value := strings.TrimLeft(rest[k+len(name):], " ")
		if (k == 0 || isBlank(rest[k-1]) || strings.HasSuffix(rest[:k], "Ġ")) && strings.HasPrefix(value, "=") {
			value = strings.TrimLeft(value[1:], " ")
			text := value
			if value != "" && (value[0] == '"' || value[0] == '\'') {
				text = value[1:]
				if end := strings.IndexByte(text, value[0]); end >= 0 {
					text = text[:end]
				}
			} else if end := strings.IndexAny(value, " \t\n"); end >= 0 {
				text = value[:end]
			}
			if escaped {
				text = html.UnescapeString(text)
			}
			return text
		}
		rest = rest[k+len(name):]
	}
}

// cutNewlines takes away the one line break at each end that belongs to the markup; with paired, only where both are there.
func cutNewlines(s string, paired bool) string {
	if paired && !(len(s) > 1 && (s[0] == '\n' || strings.HasPrefix(s, "\r\n")) && strings.HasSuffix(s, "\n")) {
		return s
	}
	if cut, ok := strings.CutPrefix(s, "\r\n"); ok {
		return strings.TrimSuffix(strings.TrimSuffix(cut, "\n"), "\r")
	}
	return strings.TrimSuffix(strings.TrimPrefix(s, "\n"), "\n")
}
