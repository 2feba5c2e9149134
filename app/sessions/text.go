package sessions

import (
	"fmt"
	"strings"
)

// htmlText writes the text of a message: code blocks, headings, and paragraphs with code and bold text as Markdown has them.
// Everything else stays as it was written.
func htmlText(b *strings.Builder, text string) {
	var paragraph []string
	flush := func() {
		if len(paragraph) > 0 {
			b.WriteString("<p>" + inline(strings.Join(paragraph, "\n")) + "</p>")
			paragraph = nil
		}
	}
	lines := strings.Split(strings.TrimSpace(text), "\n")
	for i := 0; i < len(lines); i++ {
		line := lines[i]
		if fence := fenceOf(line); fence != "" {
			flush()
			end := i + 1
			for end < len(lines) && !strings.HasPrefix(strings.TrimSpace(lines[end]), fence) {
				end++
			}
			b.WriteString("<pre>" + escapeHTML(strings.Join(lines[i+1:min(end, len(lines))], "\n")) + "</pre>")
			i = end
			continue
		}
		if level, title := headingOf(line); level > 0 {
			flush()
			fmt.Fprintf(b, "<h%d>%s</h%d>", level, inline(title), level)
			continue
		}
		if strings.TrimSpace(line) == "" {
			flush()
			continue
		}
		paragraph = append(paragraph, line)
	}
	flush()
}

// fenceOf returns the fence that a line opens; "" for other lines.
func fenceOf(line string) string {
	line = strings.TrimSpace(line)
	for _, sign := range []string{"`", "~"} {
		if n := len(line) - len(strings.TrimLeft(line, sign)); n >= 3 {
			return strings.Repeat(sign, n)
		}
	}
	return ""
}

// headingOf returns the level of a heading in the page, below that of the messages, and its text.
func headingOf(line string) (level int, title string) {
	n := len(line) - len(strings.TrimLeft(line, "#"))
	if n == 0 || n > 6 || !strings.HasPrefix(line[n:], " ") {
		return 0, ""
	}
	return min(n+2, 6), strings.TrimSpace(line[n:])
}

// inline writes code and bold text. Both end in the same paragraph, or the signs stay.
func inline(text string) string {
	var b strings.Builder
	for text != "" {
		at := strings.IndexAny(text, "`*")
		if at < 0 {
			break
		}
		b.WriteString(escapeHTML(text[:at]))
		text = text[at:]
		switch {
		case text[0] == '`':
			if code, rest, ok := strings.Cut(text[1:], "`"); ok && code != "" {
				b.WriteString("<code>" + escapeHTML(code) + "</code>")
				text = rest
				continue
			}
		case strings.HasPrefix(text, "**"):
			if bold, rest, ok := strings.Cut(text[2:], "**"); ok && strings.TrimSpace(bold) == bold && bold != "" {
				b.WriteString("<b>" + inline(bold) + "</b>")
				text = rest
				continue
			}
		}
		b.WriteByte(text[0])
		text = text[1:]
	}
	b.WriteString(escapeHTML(text))
	return b.String()
}
