package dialect

import (
	"bytes"
)

// elements reads NAME and one element for each argument, each tag with the form's prefix; nested elements make objects,
// repeated <item> makes arrays.
func (p *Parser) elements(f *Form, i int) found {
	t := &f.Tags
	text, end, at := p.tagHead(t.HeadEnd, i)
	if end == "" {
		return found{next: at, broken: "a call was cut off before its name ended"}
	}
	at += len(end)
	name := p.cleanName(attr(text, t.NameAttr, t.Escaped))
	if !plausible(name) {
		return found{next: at, broken: "a call has no name"}
	}
	r := &elementReader{p: p, prefix: t.Prefix}
	b := newObject(p.tools[name])
	for {
		at = p.s.Blank(at)
		if lit := p.s.Any(at, f.Close); lit != "" {
			return found{calls: []Call{{Name: name, Args: b.bytes()}}, next: at + len(lit), ok: true}
		}
		var member *valueShape
		key, next, ok := r.open(at)
		if ok {
			if b.shape != nil {
				member = b.shape.Members[key]
			}
			var v []byte
			if v, next, ok = r.content(next, key, member, 0); ok {
				b.put(key, v)
				at = next
				continue
			}
		}
		return found{next: max(next, at), broken: "the call of " + name + " was cut off or cannot be read"}
	}
}

// elementReader reads nested elements.
type elementReader struct {
	p      *Parser
	prefix string
}

// open reads an opening tag and returns its name.
func (r *elementReader) open(i int) (string, int, bool) {
	s := &r.p.s
	if !s.Has(i, r.prefix+"<") {
		return "", i, false
	}
	from := i + len(r.prefix) + 1
	for i = from; i-from <= longestName; i++ {
		c, ok := s.At(i)
		switch {
		case !ok || c == '/' || c == '<':
			return "", i, false
		case c == '>':
			return string(s.Buf[from:i]), i + 1, i > from
		}
	}
	return "", i, false
}

// content reads what an element holds, and its closing tag.
func (r *elementReader) content(i int, name string, sh *valueShape, depth int) ([]byte, int, bool) {
	s := &r.p.s
	closer := r.prefix + "</" + name + ">"
	if depth > deepestLiteral {
		return nil, i, false
	}
	if at := s.Blank(i); s.Has(at, r.prefix+"<") && !s.Has(at, r.prefix+"</") {
		return r.children(at, closer, sh, depth)
	}
	end, _ := s.Find(i, []string{closer})
	if end < 0 {
		return nil, len(s.Buf), false
	}
	raw := string(s.Buf[i:end])
	switch {
	case sh == nil:
		return quoteJSON(raw), end + len(closer), true
	case raw == "" && sh.Types&typeString == 0 && sh.Types&typeArray != 0:
		return []byte("[]"), end + len(closer), true
	case raw == "" && sh.Types&typeString == 0 && sh.Types&typeObject != 0:
		return []byte("{}"), end + len(closer), true
	}
	return typed(raw, sh.Types, false), end + len(closer), true
}

// children reads the elements inside an element: items of an array, or members of an object.
func (r *elementReader) children(i int, closer string, sh *valueShape, depth int) ([]byte, int, bool) {
	s := &r.p.s
	var items, members bytes.Buffer
	count, named := 0, map[string]bool{}
	list := true
	for {
		i = s.Blank(i)
		if s.Has(i, closer) {
			break
		}
		key, next, ok := r.open(i)
		if !ok {
			return nil, next, false
		}
		v, next, ok := r.content(next, key, sh.Child(key), depth+1)
		if !ok {
			return nil, next, false
		}
		if count > 0 {
			items.WriteByte(',')
			members.WriteByte(',')
		}
		items.Write(v)
		members.Write(quoteJSON(key))
		members.WriteByte(':')
		members.Write(v)
		list = list && key == "item" && (sh == nil || sh.Types&typeArray != 0 || sh.Members == nil)
		if named[key] && !list {
			return nil, next, false
		}
		named[key] = true
		count, i = count+1, next
	}
	if list {
		return []byte("[" + items.String() + "]"), i + len(closer), true
	}
	return []byte("{" + members.String() + "}"), i + len(closer), true
}
