package shell

import (
	"regexp"
	"strings"
	"unicode/utf8"
)

// maxMatched is how many bytes of a text are matched against a pattern.
const maxMatched = 512

// pattern is a pattern of bash: *, ? and [...]. A backslash makes the character behind it literal.
type pattern struct {
	re  *regexp.Regexp // of a whole text
	any *regexp.Regexp // of the longest part
}

// compilePattern reads a pattern; ok is false where bash may read it in another way.
func compilePattern(text string) (p pattern, ok bool) {
	if len(text) > maxMatched || !isASCII(text) || strings.Contains(text, "(") && strings.ContainsAny(text, "?*+@!") {
		return p, false
	}
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		switch c := text[i]; c {
		case '\\':
			if i++; i >= len(text) {
				return p, false
			}
			b.WriteString(regexp.QuoteMeta(text[i : i+1]))
		case '*':
			b.WriteString(".*")
		case '?':
			b.WriteByte('.')
		case '[':
			set, n, ok := bracket(text[i:])
			if !ok {
				return p, false
			}
			b.WriteString(set)
			i += n - 1
		default:
			b.WriteString(regexp.QuoteMeta(string(c)))
		}
	}
	re, err := regexp.Compile(`(?s)\A(?:` + b.String() + `)\z`)
	if err != nil {
		return p, false
	}
	p = pattern{re: re, any: regexp.MustCompile(`(?s)` + b.String())} // it compiled before
	p.any.Longest()
	return p, true
}

// bracket reads [...] of plain characters and ranges of digits or letters; anything else is not computed.
func bracket(text string) (set string, n int, ok bool) {
	end := strings.IndexByte(text, ']')
	if end < 2 {
		return "", 0, false
	}
	body := text[1:end]
	neg := ""
	if body[0] == '!' || body[0] == '^' {
		neg, body = "^", body[1:]
	}
	if body == "" || strings.ContainsAny(body, `\[]^`) {
		return "", 0, false
	}
	for i := 0; i < len(body); i++ {
		if body[i] == '-' && i > 0 && i < len(body)-1 {
			lo, hi := body[i-1], body[i+1]
			if !(lo >= '0' && hi <= '9' && lo <= hi) {
				return "", 0, false // the order of letters depends on the language of the user
			}
		}
	}
	return "[" + neg + strings.NewReplacer("&", `\&`, "~", `\~`).Replace(body) + "]", end + 1, true
}

// quotePattern makes all characters of a text literal in a pattern.
func quotePattern(text string) string {
	var b strings.Builder
	for i := range len(text) {
		if strings.IndexByte(`\*?[]!^-()+@|`, text[i]) >= 0 {
			b.WriteByte('\\')
		}
		b.WriteByte(text[i])
	}
	return b.String()
}

// Matches reports whether the pattern matches a whole text.
func (p pattern) Matches(text string) bool { return p.re.MatchString(text) }

// TrimPrefix removes the shortest or the longest part at the start that matches.
func (p pattern) TrimPrefix(text string, longest bool) string {
	for k := range len(text) + 1 {
		n := k
		if longest {
			n = len(text) - k
		}
		if p.Matches(text[:n]) {
			return text[n:]
		}
	}
	return text
}

// TrimSuffix removes the shortest or the longest part at the end that matches.
func (p pattern) TrimSuffix(text string, longest bool) string {
	for k := range len(text) + 1 {
		n := len(text) - k
		if longest {
			n = k
		}
		if p.Matches(text[n:]) {
			return text[:n]
		}
	}
	return text
}

// replaceWhere says where a replacement looks for its pattern.
type replaceWhere int

// The places: the first match, all matches, a match at the start, a match at the end.
const (
	replaceFirst replaceWhere = iota
	replaceAll
	replaceAtStart
	replaceAtEnd
)

// Replace puts another text in the place of what matches, the longest match first.
func (p pattern) Replace(text, with string, where replaceWhere) string {
	switch where {
	case replaceAtStart:
		for n := len(text); n >= 0; n-- {
			if p.Matches(text[:n]) {
				return with + text[n:]
			}
		}
		return text
	case replaceAtEnd:
		for n := range len(text) + 1 {
			if p.Matches(text[n:]) {
				return text[:n] + with
			}
		}
		return text
	}
	var b strings.Builder
	last := 0
	for _, m := range p.any.FindAllStringIndex(text, -1) {
		if m[0] == m[1] {
			continue
		}
		b.WriteString(text[last:m[0]])
		b.WriteString(with)
		if last = m[1]; where == replaceFirst {
			break
		}
	}
	return b.String() + text[last:]
}

// isComputable reports whether a text is short and plain enough for patterns, slices and letters to be computed: what the
// language of the user says about other letters is not known.
func isComputable(text string) bool { return len(text) <= maxMatched && isASCII(text) }

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf || s[i] == 0 {
			return false
		}
	}
	return true
}

// sliceText is ${text:off:n}; n is -1<<62 where it is not given. ok is false where bash reports an error.
func sliceText(text string, off, n int) (string, bool) {
	from, to, ok := sliceRange(len(text), off, n)
	if !ok {
		return "", false
	}
	return text[from:to], true
}

// noLength stands for a length that is not given.
const noLength = -1 << 62

// sliceRange is what an offset and a length select of size things. ok is false where bash reports an error.
func sliceRange(size, off, n int) (from, to int, ok bool) {
	if off < 0 {
		off += size
	}
	if off < 0 || off > size {
		return 0, 0, true // nothing
	}
	switch {
	case n == noLength:
		return off, size, true
	case n < 0:
		if size+n < off {
			return 0, 0, false
		}
		return off, size + n, true
	}
	return off, off + min(n, size-off), true
}
