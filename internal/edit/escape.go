package edit

import (
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
func (p pair) unescaped() []pair {
	var out []pair
	oldText, newText := strings.Join(p.old, "\n"), strings.Join(p.new, "\n")
	for _, k := range escapeKinds {
		used, ok := k.usedIn(oldText)
		if !ok || len(used.escapes) == 0 && !used.unicode {
			continue
		}
		q := p.with(k.class)
		q.old = strings.Split(used.undo(oldText), "\n")
		if both, ok := used.usedIn(newText); ok {
			q.new, _ = split(both.undo(newText))
		}
		out = append(out, q)
	}
	return out
}

// usedIn is the part of the family that a text uses; false if the text also has one of these characters bare.
func (k escapeKind) usedIn(s string) (escapeKind, bool) {
	used := escapeKind{class: k.class}
	for _, e := range k.escapes {
		if strings.Contains(s, e.written) {
			used.escapes = append(used.escapes, e)
		}
	}
	bare := s
	for _, e := range used.escapes {
		bare = strings.ReplaceAll(bare, e.written, "")
	}
	for _, e := range used.escapes {
		if e.char != " " && strings.Contains(bare, e.char) {
			return used, false
		}
	}
	used.unicode = k.unicode && hasUnicodeEscape(s)
	return used, true
}

func hasUnicodeEscape(s string) bool {
	for i := strings.Index(s, `\u`); i >= 0 && i+6 <= len(s); {
		if _, err := strconv.ParseUint(s[i+2:i+6], 16, 32); err == nil {
			return true
		}
		j := strings.Index(s[i+2:], `\u`)
		if j < 0 {
			break
		}
		i += 2 + j
	}
	return false
}

// undo writes the characters for their escapes, from left to right.
func (k escapeKind) undo(s string) string {
	var b strings.Builder
next:
	for i := 0; i < len(s); {
		for _, e := range k.escapes {
			if strings.HasPrefix(s[i:], e.written) {
				b.WriteString(e.char)
				i += len(e.written)
				continue next
			}
		}
		if k.unicode && strings.HasPrefix(s[i:], `\u`) && i+6 <= len(s) {
			if n, err := strconv.ParseUint(s[i+2:i+6], 16, 32); err == nil && n >= 0x20 && (n < 0xd800 || n > 0xdfff) {
				b.WriteRune(rune(n))
				i += 6
				continue
			}
		}
		b.WriteByte(s[i])
		i++
	}
	return b.String()
}
