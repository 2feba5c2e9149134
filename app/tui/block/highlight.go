package block

// A Highlighter keeps only the
// state that a line leaves to the next one, so text that grows is never read twice. It is a scanner with a table of
// languages and no grammar: it may colour a rare construct wrongly, and never changes the text.

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"rein/app/tui/text"
)

// Highlighter colours the lines of one text in their order. The zero value colours nothing.
type Highlighter struct {
	lang *language
	open string // what ends the comment or the string that the last line left open
	role text.Role
}

// newHighlighter returns a highlighter for a language, by its name or by the name of a file. One that is not known colours nothing.
func newHighlighter(name string) *Highlighter {
	name = strings.ToLower(name)
	if at := strings.LastIndexAny(name, "./"); at >= 0 {
		name = name[at+1:]
	}
	if real, ok := aliases[name]; ok {
		name = real
	}
	if l, ok := languages[name]; ok {
		return &Highlighter{lang: &l}
	}
	return &Highlighter{}
}

// Known reports whether the highlighter colours anything.
func (h *Highlighter) Known() bool { return h.lang != nil }

// Line colours the next line. The text is safe already: see text.Safe.
func (h *Highlighter) Line(s string) text.Line {
	if h.lang == nil {
		return text.Of(text.Plain, s)
	}
	if h.lang.diff {
		return diffLine(s)
	}
	sc := scanner{Highlighter: h, s: s}
	sc.line()
	return sc.out
}

// scanner is one line while it is coloured.
type scanner struct {
	*Highlighter
	s     string
	at    int
	plain int // where the text that is not placed begins
	out   text.Line
}

func (c *scanner) line() {
	if c.open != "" && !c.until(c.open, c.role) {
		return
	}
	for c.at < len(c.s) {
		if !c.comment() && !c.str() && !c.word() {
			_, n := utf8.DecodeRuneInString(c.s[c.at:])
			c.at += n
		}
	}
	c.give(text.Plain, len(c.s))
}

// give places the plain text and then the text up to end.
func (c *scanner) give(role text.Role, end int) {
	if c.plain < c.at {
		c.span(text.Plain, c.s[c.plain:c.at])
	}
	if c.at < end {
		c.span(role, c.s[c.at:end])
	}
	c.at, c.plain = end, end
}

func (c *scanner) span(role text.Role, s string) { c.out = append(c.out, text.In(role, s)) }

// until places all up to and with an ending, and reports whether the line has it.
func (c *scanner) until(ending string, role text.Role) bool {
	n := strings.Index(c.s[c.at:], ending)
	if n < 0 {
		c.open, c.role = ending, role
		c.give(role, len(c.s))
		return false
	}
	c.open = ""
	c.give(role, c.at+n+len(ending))
	return true
}

func (c *scanner) comment() bool {
	rest := c.s[c.at:]
	for _, start := range c.lang.line {
		if strings.HasPrefix(rest, start) && (start != "#" || c.at == 0 || c.s[c.at-1] == ' ') {
			c.give(text.Comment, len(c.s))
			return true
		}
	}
	for _, pair := range c.lang.block {
		if strings.HasPrefix(rest, pair[0]) {
			start := c.at
			if n := strings.Index(rest[len(pair[0]):], pair[1]); n >= 0 {
				c.give(text.Comment, start+len(pair[0])+n+len(pair[1]))
				return true
			}
			c.open, c.role = pair[1], text.Comment
			c.give(text.Comment, len(c.s))
			return true
		}
	}
	return false
}

// str takes a string. One with a single quote ends with the line; long ones may go over several.
func (c *scanner) str() bool {
	rest := c.s[c.at:]
	for _, long := range c.lang.long {
		if strings.HasPrefix(rest, long) {
			if n := strings.Index(rest[len(long):], long); n >= 0 {
				c.give(text.String, c.at+len(long)+n+len(long))
				return true
			}
			c.open, c.role = long, text.String
			c.give(text.String, len(c.s))
			return true
		}
	}
	quote := rest[0]
	if !strings.ContainsRune(c.lang.quotes, rune(quote)) || quote == '\'' && c.at > 0 && isWordRune(rune(c.s[c.at-1])) {
		return false
	}
	for i := 1; i < len(rest); i++ {
		switch rest[i] {
		case '\\':
			i++
		case quote:
			role := text.String
			if after := strings.TrimLeft(rest[i+1:], " "); c.lang.keys && strings.HasPrefix(after, ":") {
				role = text.Name
			}
			c.give(role, c.at+i+1)
			return true
		}
	}
	if quote == '\'' && len(rest) > 12 { // an apostrophe, or a lifetime
		return false
	}
	c.give(text.String, len(c.s))
	return true
}

// word takes a number or a word.
func (c *scanner) word() bool {
	end := c.at
	for end < len(c.s) {
		r, n := utf8.DecodeRuneInString(c.s[end:])
		if !isWordRune(r) && !(r == '.' && isDigit(c.s[c.at]) && end+1 < len(c.s) && isDigit(c.s[end+1])) {
			break
		}
		end += n
	}
	if end == c.at {
		return false
	}
	w := c.s[c.at:end]
	switch after := strings.TrimLeft(c.s[end:], " "); {
	case isDigit(w[0]):
		c.give(text.Number, end)
	case c.lang.has(w):
		c.give(text.Keyword, end)
	case c.lang.constant(w):
		c.give(text.Number, end)
	case !c.lang.keys && strings.HasPrefix(c.s[end:], "("), c.lang.yaml && strings.HasPrefix(after, ":"):
		c.give(text.Name, end)
	default:
		c.at = end
	}
	return true
}

func isWordRune(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) }
func isDigit(b byte) bool    { return b >= '0' && b <= '9' }

func diffLine(s string) text.Line {
	switch {
	case strings.HasPrefix(s, "+"):
		return text.Of(text.OK, s)
	case strings.HasPrefix(s, "-"):
		return text.Of(text.Error, s)
	case strings.HasPrefix(s, "@@"):
		return text.Of(text.Accent, s)
	}
	return text.Of(text.Plain, s)
}
