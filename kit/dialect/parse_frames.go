package dialect

import (
	"encoding/json"
	"slices"
	"strings"
)

// longestHead is how long a frame's header may be, in bytes.
const longestHead = 1024

// firstHeader reads the header that output begins in, when the prompt ended inside one.
func (p *Parser) firstHeader() {
	f := p.d.Frames
	i := p.s.Blank(0)
	if !p.headBegins(f, i) {
		return
	}
	next, ok := p.header(f, i)
	if ok {
		p.s.Rest(next)
	}
}

// headBegins reports whether output begins inside a header.
func (p *Parser) headBegins(f *Frames, i int) bool {
	if !f.Bare {
		return p.s.Has(i, "to=")
	}
	from := i
	for ; i-from < longestName; i++ {
		c, ok := p.s.At(i)
		if !ok || !isNameByte(c) && c != '.' && c != '-' {
			return ok && i > from && p.s.Has(i, f.Head)
		}
	}
	return false
}

// frame reads a frame's start or end and returns the position after it.
func (p *Parser) frame(m *mark, i, after int) int {
	f := p.d.Frames
	p.hidden, p.channel = false, Text
	if m.kind == frameEnd {
		p.answered = p.spoken
		p.ahead = true
		return after
	}
	p.answered = p.spoken
	from := i
	if f.Bare {
		from = after
	}
	if next, ok := p.header(f, from); ok {
		return next
	}
	return after
}

// header reads a header and what its recipient means for the body. It returns the position where the body begins or, of a
// call, where it ended.
func (p *Parser) header(f *Frames, i int) (int, bool) {
	p.s.Held, p.s.Over = i, false
	at := i
	for ; at-i <= longestHead; at++ {
		if _, ok := p.s.At(at); !ok {
			if body, ok := p.headless(f, i, at); ok {
				return body, true
			}
			return at, true // cut off: a header is never shown
		}
		if p.s.Has(at, f.Head) {
			break
		}
		if p.s.Any(at, f.End) != "" {
			return p.headless(f, i, at)
		}
	}
	if at-i > longestHead {
		return p.headless(f, i, at)
	}
	return p.body(f, f.route(string(p.s.Buf[i:at])), at+len(f.Head)), true
}

// headless finds the body of an answer whose header was never ended. It begins after the name of its channel.
func (p *Parser) headless(f *Frames, i, end int) (int, bool) {
	head := string(p.s.Buf[i:end])
	r := f.route(head)
	if f.Bare || r.to != "" || !slices.Contains(f.Answer, r.channel) {
		return 0, false
	}
	p.ahead = true
	at := strings.LastIndex(head, "<|channel|>")
	return i + at + strings.Index(head[at:], r.channel) + len(r.channel), true
}

// route is where a frame goes.
type route struct {
	to      string // who it is for, "" for nobody named
	channel string
}

// route reads a header's text.
func (f *Frames) route(head string) route {
	if f.Bare {
		return route{to: strings.TrimSpace(head)}
	}
	var r route
	if k := strings.LastIndex(head, "<|channel|>"); k >= 0 {
		rest := strings.TrimSpace(head[k+len("<|channel|>"):])
		r.channel = rest[:strings.IndexAny(rest+" ", " <\n")]
	}
	for rest := head; ; {
		k := strings.Index(rest, "to=")
		if k < 0 {
			return r
		}
		rest = rest[k+len("to="):]
		to := rest[:strings.IndexAny(rest+" ", " <\n")]
		if r.to == "" || strings.HasPrefix(to, f.Prefix) && f.Prefix != "" {
			r.to = to
		}
	}
}

func (f *Frames) builtIn(recipient string) bool {
	return slices.ContainsFunc(f.BuiltIn, func(start string) bool { return strings.HasPrefix(recipient, start) })
}

// body opens a frame's body at position i; a call's body it reads.
func (p *Parser) body(f *Frames, r route, i int) int {
	name := strings.TrimPrefix(r.to, f.Prefix)
	prefixed := f.Prefix != "" && name != r.to
	switch {
	case prefixed, r.to != "" && p.tools.has(r.to):
		return p.frameCall(f, name, i)
	case slices.Contains(f.Think, r.channel) || slices.Contains(f.Think, r.to):
		p.channel = Thinking
	case slices.Contains(f.Answer, r.channel) || slices.Contains(f.Answer, r.to):
	case slices.Contains(f.Silent, r.to):
		p.hidden = true
	case r.to != "" && (f.Body != nil || len(p.tools) == 0 && !f.builtIn(r.to)):
		return p.frameCall(f, name, i)
	case r.to != "":
		p.hidden = true
		p.broken("no tool " + r.to)
	case f.Body != nil && p.s.Any(p.s.Blank(i), f.Body.openers()) != "":
		return p.frameCall(f, "", i)
	}
	p.ahead = true
	return i
}

// frameCall reads the body of a frame that calls a function.
func (p *Parser) frameCall(f *Frames, name string, i int) int {
	p.s.Held = i
	if f.Body != nil {
		at := p.s.Blank(i)
		lit := p.s.Any(at, f.Body.openers())
		if lit == "" {
			p.hidden = true
			p.broken("the message to " + name + " holds no call")
			return i
		}
		return p.section(f.Body, at, at+len(lit))
	}
	at := p.s.Blank(i)
	c := Call{Name: p.cleanName(name)}
	if end := p.s.Any(at, f.End); end != "" {
		p.call(c)
		return at
	}
	end, ok := p.s.Value(at)
	if ok && !p.s.Over {
		if raw := cleanJSON(p.s.Buf[at:end]); raw != nil && raw[0] == '{' {
			c.Args = append(json.RawMessage(nil), raw...)
			p.call(c)
			p.hidden = true // what follows up to the end of the frame means nothing
			return end
		}
	}
	p.s.Over = false
	p.broken("the arguments of " + c.Name + " are not a JSON object or were cut off")
	p.hidden = true
	return end
}
