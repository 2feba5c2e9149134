package text

import (
	"strconv"
	"strings"
)

// the roles of the 8 colours that programs write: black, red, green, yellow, blue, magenta, cyan, white.
var ansiRoles = [8]Role{Dim, Error, OK, Warn, Accent, Mode, Code, Plain}

// FromANSI reads a line of a program: bold, italic, underlined and the usual 16 colours become styles, and all other escapes and
// control characters go.
func FromANSI(s string) (l Line) {
	var style Style
	var b strings.Builder
	flush := func() {
		if b.Len() > 0 {
			l = append(l, Span{Shown(strings.ReplaceAll(b.String(), "\t", " ")), style})
			b.Reset()
		}
	}
	for s != "" {
		before, rest, found := strings.Cut(s, "\x1b")
		b.WriteString(before)
		if !found {
			break
		}
		s = rest
		switch {
		case strings.HasPrefix(s, "["):
			end := strings.IndexFunc(s[1:], func(r rune) bool { return r >= '@' && r <= '~' })
			if end < 0 {
				flush()
				return l
			}
			if s[1+end] == 'm' {
				flush()
				style = style.with(s[1 : 1+end])
			}
			s = s[end+2:]
		case strings.HasPrefix(s, "]") || strings.HasPrefix(s, "P") || strings.HasPrefix(s, "_") || strings.HasPrefix(s, "^"): // up to its end
			if i := strings.IndexAny(s, "\a\x1b"); i >= 0 && s[i] == '\a' {
				s = s[i+1:]
			} else if i >= 0 {
				s = strings.TrimPrefix(s[i+1:], "\\")
			} else {
				s = ""
			}
		default:
			s = s[min(len(s), 1):]
		}
	}
	flush()
	return l
}

// Output returns the lines that a program printed, with its colours: see FromANSI. What has none gets the role.
func Output(s string, r Role) (lines []Line) {
	if s = strings.TrimRight(s, "\n"); s == "" {
		return nil
	}
	for l := range strings.SplitSeq(s, "\n") {
		l = strings.TrimSuffix(lastWritten(l), "\r")
		if !strings.Contains(l, "\x1b") {
			lines = append(lines, Of(r, Shown(l)))
			continue
		}
		line := FromANSI(l)
		for i := range line {
			if line[i].Role == Plain {
				line[i].Role = r
			}
		}
		lines = append(lines, line)
	}
	return lines
}

// with returns the style after the numbers of one escape.
func (s Style) with(numbers string) Style {
	all := strings.Split(numbers, ";")
	for i := 0; i < len(all); i++ {
		switch n, _ := strconv.Atoi(all[i]); { // no number is 0
		case n == 0:
			s = Style{}
		case n == 1:
			s.Bold = true
		case n == 2:
			s.Role = Dim
		case n == 3:
			s.Italic = true
		case n == 4:
			s.Under = true
		case n == 22:
			s.Bold = false
		case n == 39:
			s.Role = Plain
		case n >= 30 && n <= 37:
			s.Role = ansiRoles[n-30]
		case n >= 90 && n <= 97:
			s.Role = ansiRoles[n-90]
		case n == 38 || n == 48: // a colour of 256, or of all
			if i+1 < len(all) && all[i+1] == "5" {
				i += 2
			} else {
				i += 4
			}
		}
	}
	return s
}
