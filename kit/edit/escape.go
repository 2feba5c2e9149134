package edit

import (
	"slices"
	"strconv"
	"strings"
)

// escape is one spelling for a character, as a transport layer would write it.
type escape struct{ written, char string }

// escapeKind is a family of escapes that one layer applies together.
type escapeKind struct {
	class   string
	escapes []escape
	unicode bool // \uXXXX too
}

var escapeKinds = [...]escapeKind{
	{class: "escaped quotes", escapes: []escape{{`\"`, `"`}}},
	{class: "escaped quotes", escapes: []escape{{`\'`, `'`}}},
	{class: "escaped quotes", escapes: []escape{{`\"`, `"`}, {`\'`, `'`}}},
	{class: "html escapes", escapes: []escape{{"&lt;", "<"}, {"&gt;", ">"}, {"&quot;", `"`}, {"&#34;", `"`}, {"&#39;", "'"}, {"&#x27;", "'"}, {"&apos;", "'"}, {"&nbsp;", " "}, {"&amp;", "&"}}},
	{class: "unicode escapes", unicode: true},
	{class: "doubled backslashes", escapes: []escape{{`\\`, `\`}}},
	{class: "json escapes", escapes: []escape{{`\n`, "\n"}, {`\t`, "\t"}, {`\r`, "\r"}, {`\"`, `"`}, {`\/`, "/"}, {`\\`, `\`}}, unicode: true},
}

// unescaped are the readings in which a layer has escaped the model's texts once too often. A layer escapes a
// character everywhere or nowhere: if old has one both ways, the reading does not apply.
func (p readingPair) unescaped() []readingPair {
	var out []readingPair
	oldText, newText := p.texts()
	for _, k := range escapeKinds {
		used, ok := k.usedIn(oldText)
		if !ok || len(used.escapes) == 0 && !used.unicode {
			continue
		}
		after := newText
		if !used.bareIn(newText) {
			if all, ok := k.usedIn(newText); ok {
				after = all.undo(newText)
			} else {
				after = used.undo(newText)
			}
		}
		if k.class == "escaped quotes" && escapesOutside(after) && !escapesOutside(used.undo(oldText)) {
			continue
		}
		out = append(out, p.with(k.class).settle(used.undo(oldText), after))
	}
	return out
}

// usedIn is the part of the family that a text uses; false if the text also has one of these characters bare.
func (k escapeKind) usedIn(s string) (escapeKind, bool) {
	used := escapeKind{class: k.class}
	var bare strings.Builder
	for i := 0; i < len(s); {
		e, n := k.at(s[i:])
		if n == 0 {
			bare.WriteByte(s[i])
			i++
			continue
		}
		if e.written == "" {
			used.unicode = true
		} else if !slices.Contains(used.escapes, e) {
			used.escapes = append(used.escapes, e)
		}
		i += n
	}
	return used, !used.hasAny(bare.String())
}

// hasAny means that a text has a character of the family.
func (k escapeKind) hasAny(s string) bool {
	for _, e := range k.escapes {
		if e.char != " " && strings.Contains(s, e.char) {
			return true
		}
	}
	return false
}

// bareIn means that a text has a character of the family without its escape: no layer has escaped it.
func (k escapeKind) bareIn(s string) bool {
	var bare strings.Builder
	for i := 0; i < len(s); {
		_, n := k.at(s[i:])
		if n == 0 {
			bare.WriteByte(s[i])
			n = 1
		}
		i += n
	}
	return k.hasAny(bare.String())
}

// at is the escape that a text begins with, and its length; zero for none. A \uXXXX has no written form here.
func (k escapeKind) at(s string) (escape, int) {
	for _, e := range k.escapes {
		if strings.HasPrefix(s, e.written) {
			return e, len(e.written)
		}
	}
	if k.unicode && len(s) >= 6 && s[:2] == `\u` {
		if n, err := strconv.ParseUint(s[2:6], 16, 32); err == nil && n >= 0x20 && (n < 0xd800 || n > 0xdfff) {
			return escape{char: string(rune(n))}, 6
		}
	}
	return escape{}, 0
}

// undo writes the characters for their escapes, from left to right.
func (k escapeKind) undo(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); {
		e, n := k.at(s[i:])
		if n == 0 {
			b.WriteByte(s[i])
			n = 1
		}
		b.WriteString(e.char)
		i += n
	}
	return b.String()
}

// escapesOutside means that a text on one line has a \n that is not within quotes: then more than its quotes are escaped.
func escapesOutside(s string) bool {
	if strings.Contains(s, "\n") {
		return false
	}
	quote := byte(0)
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '\\' && quote == 0:
			return true
		case c == '\\':
			i++
		case quote == 0 && (c == '"' || c == '\'' || c == '`'):
			quote = c
		case c == quote:
			quote = 0
		}
	}
	return false
}

// reescaped are the readings in which escapes were lost on the way: those of a string's line ends and tabs, of all quotes, or
// of all backslashes.
func (p readingPair) reescaped() []readingPair {
	var out []readingPair
	add := func(f func(string) string) {
		oldText, newText := p.texts()
		if o := f(oldText); o != oldText {
			out = append(out, p.with("lost escapes").settle(o, f(newText)))
		}
	}
	add(escapeInStrings)
	add(func(s string) string { return strings.ReplaceAll(s, `\`, `\\`) })
	add(func(s string) string {
		if strings.Contains(s, `\"`) {
			return s
		}
		return strings.ReplaceAll(s, `"`, `\"`)
	})
	return out
}

// escapeInStrings writes line ends and tabs within double quotes as escapes.
func escapeInStrings(s string) string {
	var b strings.Builder
	open := false
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '\\' && open && i+1 < len(s) && s[i+1] != '\n':
			b.WriteByte(c)
			i++
			b.WriteByte(s[i])
		case c == '"':
			open = !open
			b.WriteByte(c)
		case c == '\n' && open:
			b.WriteString(`\n`)
		case c == '\t' && open:
			b.WriteString(`\t`)
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}
