package dialect

import (
	"strings"
)

// lenient reads a block of a model that half remembers a format. Each reading takes the whole block or nothing of it.
func (p *Parser) lenient(f *Form, i int) found {
	at := p.s.Blank(i)
	if f.isElement() {
		return toolElement(p, f, at)
	}
	if c, _ := p.s.At(at); c == '{' || c == '[' {
		if r := p.json(f, i); r.ok {
			return r
		}
	}
	end, lit := p.s.Find(at, f.Close)
	if end < 0 {
		end = len(p.s.Buf)
	}
	body := cutThinking(strings.TrimSpace(string(p.s.Buf[at:end])))
	next := end + len(lit)
	for _, read := range []func(*Form, string) (Call, bool){p.elementCall, p.shortCall, p.attributeCall, p.arrowCall, p.codeCall, p.embedded} {
		if c, ok := read(f, body); ok && plausible(c.Name) {
			c.Unclosed = lit == ""
			return found{calls: []Call{c}, next: next, ok: true}
		}
	}
	return found{next: next, broken: "a call cannot be read: send {\"name\": …, \"arguments\": {…}}"}
}

// isElement reports whether the marks of a form are one element with the name of a tool.
func (f *Form) isElement() bool {
	return len(f.Open) == 1 && len(f.Close) == 1 && f.Close[0] == "</"+strings.TrimPrefix(f.Open[0], "<") && f.LineStart
}

// toolElement reads what is within an element that has the name of a tool.
func toolElement(p *Parser, f *Form, at int) found {
	end, lit := p.s.Find(at, f.Close)
	if end < 0 {
		return found{next: len(p.s.Buf)}
	}
	c, ok := p.elementCall(f, f.Open[0]+strings.TrimSpace(string(p.s.Buf[at:end]))+lit)
	return found{calls: []Call{c}, next: end + len(lit), ok: ok}
}

// cutThinking takes a leading <thinking> element off.
func cutThinking(body string) string {
	if strings.HasPrefix(body, "<think") {
		if _, rest, ok := strings.Cut(body, "</think"); ok {
			_, rest, _ = strings.Cut(rest, ">")
			return strings.TrimSpace(rest)
		}
	}
	return body
}

// embedded reads prose followed by one JSON call that ends the block.
func (p *Parser) embedded(f *Form, body string) (Call, bool) {
	k := strings.IndexByte(body, '{')
	if k < 0 || strings.Contains(body[:k], "<") {
		return Call{}, false
	}
	raw := cleanJSON([]byte(body[k:]))
	if raw == nil {
		return Call{}, false
	}
	c, why := p.callOf(f, raw)
	return c, why == ""
}

// elementCall reads <NAME><key>value</key>…</NAME> or <NAME>{…}</NAME>.
func (p *Parser) elementCall(_ *Form, body string) (Call, bool) {
	name, inner, rest, ok := element(body)
	if !ok || rest != "" {
		return Call{}, false
	}
	if inner = strings.TrimSpace(inner); strings.HasPrefix(inner, "{") {
		raw := cleanJSON([]byte(inner))
		return Call{Name: name, Args: raw}, raw != nil
	}
	b := newObject(p.tools[name])
	for inner != "" {
		key, value, rest, ok := element(inner)
		if !ok {
			return Call{}, false
		}
		b.set(key, strings.TrimSpace(value), untyped, false)
		inner = rest
	}
	return Call{Name: name, Args: b.bytes()}, true
}

// element splits <name>inner</name>rest.
func element(s string) (name, inner, rest string, ok bool) {
	if !strings.HasPrefix(s, "<") {
		return "", "", "", false
	}
	name, after, found := strings.Cut(s[1:], ">")
	if !found || name == "" || strings.ContainsAny(name, " </\"=\n") {
		return "", "", "", false
	}
	inner, rest, ok = strings.Cut(after, "</"+name+">")
	return name, inner, strings.TrimSpace(rest), ok
}

// shortCall reads NAME>value, or NAME> and lines of key: value.
func (p *Parser) shortCall(_ *Form, body string) (Call, bool) {
	name, rest, ok := strings.Cut(body, ">")
	if !ok || !isName(name) {
		return Call{}, false
	}
	rest = strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(rest), "/>"))
	b := newObject(p.tools[name])
	lines := strings.Split(rest, "\n")
	pairs := len(lines) > 0
	for _, line := range lines {
		key, _, ok := strings.Cut(line, ": ")
		pairs = pairs && ok && isName(strings.TrimSpace(key))
	}
	if !pairs {
		if rest == "" {
			return Call{}, false
		}
		b.set(p.tools.main(name), rest, untyped, false)
		return Call{Name: name, Args: b.bytes()}, true
	}
	for _, line := range lines {
		key, value, _ := strings.Cut(line, ": ")
		certain := untyped
		if b.shape == nil {
			certain = asJSON
		}
		b.set(strings.TrimSpace(key), strings.TrimSpace(value), certain, false)
	}
	return Call{Name: name, Args: b.bytes()}, true
}

// attributeCall reads NAME key="value" …, as in a tag without its brackets.
func (p *Parser) attributeCall(_ *Form, body string) (Call, bool) {
	body = strings.TrimSpace(strings.TrimSuffix(body, "/>"))
	name, rest, ok := strings.Cut(body, " ")
	if !ok || !isName(name) {
		return Call{}, false
	}
	b := newObject(p.tools[name])
	for rest = strings.TrimSpace(rest); rest != ""; rest = strings.TrimSpace(rest) {
		key, after, ok := strings.Cut(rest, `="`)
		if !ok || !isName(key) {
			return Call{}, false
		}
		value, after, ok := strings.Cut(after, `"`)
		if !ok {
			return Call{}, false
		}
		b.set(key, value, untyped, false)
		rest = after
	}
	return Call{Name: name, Args: b.bytes()}, len(b.members) > 0
}

// arrowCall reads {tool => "NAME", args => {--key "value"}}, also with key => "value", and commas.
func (p *Parser) arrowCall(_ *Form, body string) (Call, bool) {
	head, rest, ok := strings.Cut(body, "args =>")
	name := strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(strings.TrimPrefix(head, "{")), "tool =>"))
	name = strings.Trim(strings.TrimSuffix(name, ","), `"' `)
	rest = strings.TrimSpace(rest)
	if !ok || !isName(name) || !strings.HasPrefix(rest, "{") {
		return Call{}, false
	}
	b := newObject(p.tools[name])
	for rest = strings.TrimSpace(rest[1:]); rest != "" && rest[0] != '}'; rest = strings.TrimLeft(rest, ", \t\n") {
		line, dashes := strings.CutPrefix(rest, "--")
		sep := "=>"
		if dashes {
			sep = " "
		}
		key, after, ok := strings.Cut(line, sep)
		key, after = strings.Trim(key, `"' `), strings.TrimSpace(after)
		if !ok || !isName(key) || after == "" {
			return Call{}, false
		}
		end := arrowString(after)
		value, _, ok := (&literalReader{In: &modelOutput{Buf: []byte(after[:end]), EOF: true}}).Value(0, 0)
		if !ok {
			return Call{}, false
		}
		b.put(key, value)
		rest = after[end:]
	}
	return Call{Name: name, Args: b.bytes()}, strings.Trim(rest, "} \n") == ""
}

// arrowString returns where a value in quotation marks ends: at a mark behind which the next argument comes, or the end of the list. Other
// values go to the next comma, blank or bracket.
func arrowString(s string) int {
	if s[0] != '"' && s[0] != '\'' {
		if end := strings.IndexAny(s, ", \n}"); end > 0 {
			return end
		}
		return len(s)
	}
	for i := 1; i < len(s); i++ {
		if s[i] == '\\' {
			i++
			continue
		}
		if after := strings.TrimLeft(s[i+1:], " \t\n"); s[i] == s[0] && (after == "" || strings.HasPrefix(after, "--") || after[0] == '}' || after[0] == ',') {
			return i + 1
		}
	}
	return len(s)
}

// codeCall reads NAME and <code> with a line of key>value for each argument.
func (p *Parser) codeCall(_ *Form, body string) (Call, bool) {
	name, rest, ok := strings.Cut(body, "<code>")
	code, rest, closed := strings.Cut(rest, "</code>")
	if name = strings.TrimSpace(name); !ok || !closed || !isName(name) || strings.TrimSpace(rest) != "" {
		return Call{}, false
	}
	b := newObject(p.tools[name])
	for _, line := range strings.Split(strings.TrimSpace(code), "\n") {
		key, value, ok := strings.Cut(line, ">")
		if !ok || !isName(strings.TrimSpace(key)) {
			return Call{}, false
		}
		b.set(strings.TrimSpace(key), strings.TrimSpace(value), untyped, false)
	}
	return Call{Name: name, Args: b.bytes()}, true
}

// main is the argument that a value without a key is for: the only required one, or the only one.
func (b toolbox) main(name string) string {
	s := b[name]
	switch {
	case s != nil && len(s.Required) == 1:
		return s.Required[0]
	case s != nil && len(s.Members) == 1:
		for key := range s.Members {
			return key
		}
	}
	return "command"
}

// isName reports whether s is one word that can name a tool or an argument.
func isName(s string) bool {
	if s == "" || len(s) > longestName {
		return false
	}
	for i := range len(s) {
		if !isNameByte(s[i]) && s[i] != '-' && s[i] != '.' {
			return false
		}
	}
	return true
}
