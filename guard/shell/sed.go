package shell

import "strings"

// sedProgram reads sed: its script may write, read and run.
func sedProgram(r *reader, sc *scope, c *call) (data, bool) {
	ops := c.got.operands
	var scripts []value
	for _, o := range c.got.options {
		switch {
		case o.name == "-e" || strings.HasPrefix("--expression", o.name) && len(o.name) > 4 && o.takes:
			scripts = append(scripts, o.value)
		case o.name == "-f" || o.name == "--file":
			r.found(Exec, "sed takes its script from %s", o.value.shown())
			r.reads(sc, o.value)
			scripts = append(scripts, value{})
		}
	}
	if len(scripts) == 0 && len(ops) > 0 {
		scripts, ops = ops[:1], ops[1:]
	}
	for _, s := range scripts {
		r.sedScript(sc, s)
	}
	inPlace := c.got.has("-i", "--in-place") || c.deepLong("--in-place")
	t := c.in.taint
	for _, v := range ops {
		if inPlace {
			r.writes(sc, v)
		}
		r.reads(sc, v)
		t |= r.contents(sc, v)
	}
	return data{taint: t | fromWork}, true
}

// sedScript walks through a script: it knows enough of the language to find w, r, e and the flags of s.
func (r *reader) sedScript(sc *scope, v value) {
	if v.taint&^(fromNumber|fromWork|fromNames) != 0 && !v.known() {
		r.found(Dynamic, "sed's script is not known before it runs")
	}
	s := &sedScanner{text: v.text}
	for !s.done() {
		s.skip(" \t\n;{}!")
		s.address()
		s.skip(" \t!")
		if s.done() {
			return
		}
		switch cmd := s.next(); cmd {
		case 's':
			if flags, file := s.substitute(); strings.Contains(flags, "e") {
				r.found(Exec, "sed runs what it substitutes")
			} else if strings.Contains(flags, "w") {
				r.writes(sc, v.with(file))
			}
		case 'y':
			s.substitute()
		case 'e':
			line := s.line()
			r.found(Exec, "sed runs a command: %s", line)
			r.text(sc, v.with(strings.TrimSpace(line)), nil)
		case 'w', 'W':
			r.writes(sc, v.with(strings.TrimSpace(s.line())))
		case 'r', 'R':
			r.reads(sc, v.with(strings.TrimSpace(s.line())))
		case 'a', 'i', 'c':
			s.line()
		case 'b', 't', 'T', ':':
			s.until(";\n}")
		case '#':
			s.line()
		}
	}
}

type sedScanner struct {
	text string
	at   int
}

func (s *sedScanner) done() bool { return s.at >= len(s.text) }

func (s *sedScanner) next() byte {
	c := s.text[s.at]
	s.at++
	return c
}

func (s *sedScanner) skip(set string) {
	for !s.done() && strings.IndexByte(set, s.text[s.at]) >= 0 {
		s.at++
	}
}

func (s *sedScanner) line() string { return s.until("\n") }

func (s *sedScanner) until(set string) string {
	start := s.at
	for !s.done() && strings.IndexByte(set, s.text[s.at]) < 0 {
		s.at++
	}
	return s.text[start:s.at]
}

// address skips 3, $, /x/, \cxc and ranges of them.
func (s *sedScanner) address() {
	for !s.done() {
		switch c := s.text[s.at]; {
		case c >= '0' && c <= '9', c == '$', c == ',', c == '~', c == '+', c == ' ', c == hole:
			s.at++
		case c == '/':
			s.at++
			s.delimited('/')
			s.skip("IM")
		case c == '\\' && s.at+1 < len(s.text):
			d := s.text[s.at+1]
			s.at += 2
			s.delimited(d)
			s.skip("IM")
		default:
			return
		}
	}
}

// delimited skips to behind the next delimiter that no backslash or bracket hides.
func (s *sedScanner) delimited(d byte) {
	bracket := false
	for !s.done() {
		switch c := s.next(); {
		case c == '\\' && !s.done():
			s.at++
		case c == '[' && d != '[':
			bracket = strings.IndexByte(s.text[s.at:], ']') > 0
		case c == ']':
			bracket = false
		case c == d && !bracket:
			return
		}
	}
}

// substitute reads s/a/b/flags and gives the flags and the file of a w flag.
func (s *sedScanner) substitute() (flags, file string) {
	if s.done() {
		return "", ""
	}
	d := s.next()
	s.delimited(d)
	s.replacement(d)
	for !s.done() {
		c := s.text[s.at]
		if strings.IndexByte("gpiIemM0123456789w", c) < 0 {
			break
		}
		s.at++
		flags += string(c)
		if c == 'w' {
			return flags, strings.TrimSpace(s.line())
		}
	}
	return flags, ""
}

func (s *sedScanner) replacement(d byte) {
	for !s.done() {
		switch c := s.next(); {
		case c == '\\' && !s.done():
			s.at++
		case c == d:
			return
		}
	}
}
