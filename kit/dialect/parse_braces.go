package dialect

import (
	"bytes"
	"strings"
)

// braces reads NAME{key:<|"|>text<|"|>,n:1}: keys bare, strings between the form's quotes, nothing escaped.
func (p *Parser) braces(f *Form, i int) found {
	at := p.s.Skip(i, f.Skip)
	from := at
	for {
		c, ok := p.s.At(at)
		if !ok || at-from > longestName || c == '<' || c == '\n' {
			return found{next: at, broken: "a call must be written as call:name{key:value}"}
		}
		if c == '{' {
			break
		}
		at++
	}
	name := p.cleanName(string(p.s.Buf[from:at]))
	if !plausible(name) {
		return found{next: at, broken: "a call has no name"}
	}
	r := &braceReader{p: p, quote: f.Quote, shape: p.tools[name]}
	args, next, ok := r.object(at, r.shape, 0)
	if !ok {
		return found{next: next, broken: "the arguments of " + name + " were cut off or cannot be read"}
	}
	next, closed, ok := p.close(f, next)
	return found{calls: []Call{{Name: name, Args: args, Unclosed: !closed && len(f.Close) > 0}}, next: next, ok: ok}
}

// braceReader reads the values of a braces call.
type braceReader struct {
	p     *Parser
	quote string
	shape *valueShape
}

// object reads {key:value,…} at position i.
func (r *braceReader) object(i int, s *valueShape, depth int) ([]byte, int, bool) {
	p := r.p
	var out bytes.Buffer
	out.WriteByte('{')
	i = p.s.Blank(i + 1)
	for n := 0; ; n++ {
		if p.s.Has(i, "}") {
			out.WriteByte('}')
			return out.Bytes(), i + 1, true
		}
		key, next, ok := r.key(i)
		if !ok {
			return nil, next, false
		}
		var member *valueShape
		if s != nil {
			member = s.Members[key]
		}
		v, next, ok := r.value(p.s.Blank(next), member, depth)
		if !ok {
			return nil, next, false
		}
		if n > 0 {
			out.WriteByte(',')
		}
		out.Write(quoteJSON(key))
		out.WriteByte(':')
		out.Write(v)
		if i, ok = r.comma(next, '}'); !ok {
			return nil, i, false
		}
	}
}

// key reads a member's name and its colon.
func (r *braceReader) key(i int) (string, int, bool) {
	s := &r.p.s
	if s.Has(i, r.quote) {
		from := i + len(r.quote)
		end, _ := s.Find(from, []string{r.quote})
		if end < 0 {
			return "", len(s.Buf), false
		}
		next := s.Blank(end + len(r.quote))
		if !s.Has(next, ":") {
			return "", next, false
		}
		return string(s.Buf[from:end]), next + 1, true
	}
	from := i
	for {
		c, ok := s.At(i)
		if !ok || i-from > longestName || strings.IndexByte(",{}[]\n", c) >= 0 {
			return "", i, false
		}
		if c == ':' {
			key := strings.Trim(strings.TrimSpace(string(s.Buf[from:i])), `"'`)
			return key, i + 1, key != ""
		}
		i++
	}
}

// value reads one value.
func (r *braceReader) value(i int, sh *valueShape, depth int) ([]byte, int, bool) {
	s := &r.p.s
	if depth > deepestLiteral {
		return nil, i, false
	}
	if s.Has(i, r.quote) {
		from := i + len(r.quote)
		end, _ := s.Find(from, []string{r.quote})
		if end < 0 {
			return nil, len(s.Buf), false
		}
		return quoteJSON(string(s.Buf[from:end])), end + len(r.quote), true
	}
	c, ok := s.At(i)
	switch {
	case !ok:
		return nil, i, false
	case c == '{':
		return r.object(i, sh, depth+1)
	case c == '[':
		return r.list(i, sh, depth+1)
	case c == '"':
		if end, ok := s.Text(i); ok {
			if v := cleanJSON(s.Buf[i:end]); v != nil {
				return append([]byte(nil), v...), end, true
			}
		}
	}
	return r.bare(i, sh)
}

// list reads [a,b].
func (r *braceReader) list(i int, sh *valueShape, depth int) ([]byte, int, bool) {
	s := &r.p.s
	var item *valueShape
	if sh != nil {
		item = sh.Items
	}
	var out bytes.Buffer
	out.WriteByte('[')
	i = s.Blank(i + 1)
	for n := 0; ; n++ {
		if s.Has(i, "]") {
			out.WriteByte(']')
			return out.Bytes(), i + 1, true
		}
		v, next, ok := r.value(i, item, depth)
		if !ok {
			return nil, next, false
		}
		if n > 0 {
			out.WriteByte(',')
		}
		out.Write(v)
		if i, ok = r.comma(next, ']'); !ok {
			return nil, i, false
		}
	}
}

func (r *braceReader) comma(i int, closing byte) (int, bool) {
	i = r.p.s.Blank(i)
	c, ok := r.p.s.At(i)
	if ok && c == ',' {
		return r.p.s.Blank(i + 1), true
	}
	return i, ok && c == closing
}

// bare reads a number, true, false, null, or a word without quotes.
func (r *braceReader) bare(i int, sh *valueShape) ([]byte, int, bool) {
	from := i
	for {
		c, ok := r.p.s.At(i)
		if !ok || c == '<' {
			return nil, i, false
		}
		if c == ',' || c == '}' || c == ']' {
			break
		}
		i++
	}
	raw := strings.TrimSpace(string(r.p.s.Buf[from:i]))
	if sh != nil && sh.Types != 0 {
		return typed(raw, sh.Types, false), i, true
	}
	return literal(raw), i, true
}
