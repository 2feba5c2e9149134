package shell

import (
	"strconv"
	"strings"
)

// isEval reports whether the value of an option is a program text.
func isEval(option string) bool {
	switch option {
	case "-e", "-eval", "--eval", "-E", "eval", "-if":
		return true
	}
	return strings.HasPrefix(option, "--") && (strings.HasSuffix(option, "expr") || strings.HasSuffix(option, "eval"))
}

// token is a word, a string or a sign of a program text of any of the usual languages.
type token struct {
	Word  string // identifier, with dots: os.system
	Str   string // contents of a string
	IsStr bool
	Sym   byte
}

// tokenAt returns the token at an index, or the zero token outside of the list.
func tokenAt(ts []token, i int) token {
	if i < 0 || i >= len(ts) {
		return token{}
	}
	return ts[i]
}

// scanTokens takes program text apart roughly. comment is what begins a comment to the end of the line, "" for none.
func scanTokens(s, comment string) []token {
	var out []token
	for i := 0; i < len(s); {
		c := s[i]
		switch {
		case c == ' ' || c == '\t' || c == '\n' || c == '\r':
			i++
		case comment != "" && strings.HasPrefix(s[i:], comment):
			for i < len(s) && s[i] != '\n' {
				i++
			}
		case c == '"' || (c == '\'' || c == '`') && comment != ";":
			str, end := quoted(s, i)
			t := token{Str: str, IsStr: true}
			if c == '`' {
				t.Sym = c
			}
			out = append(out, t)
			i = end
		case isWordByte(c):
			start := i
			for i < len(s) && (isWordByte(s[i]) || (s[i] == '.' || s[i] == '-' && comment == ";") && i+1 < len(s) && isWordByte(s[i+1]) && !isDigit(s[start])) {
				i++
			}
			out = append(out, token{Word: s[start:i]})
		default:
			out = append(out, token{Sym: c})
			i++
		}
	}
	return out
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// isWordByte reports whether a byte may be in a name.
func isWordByte(c byte) bool {
	return c == '_' || c == '$' || c == '@' || isDigit(c) || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80
}

// quoted reads a string that starts at s[i], also one in triple quotes, and returns where it ends.
func quoted(s string, i int) (string, int) {
	q := s[i : i+1]
	if strings.HasPrefix(s[i:], strings.Repeat(q, 3)) {
		q = s[i : i+3]
	}
	var b strings.Builder
	for j := i + len(q); j < len(s); j++ {
		switch {
		case s[j] == '\\' && j+1 < len(s):
			n, letter := escapedLetter(s[j+1:])
			j += n
			b.WriteString(letter)
		case strings.HasPrefix(s[j:], q):
			return b.String(), j + len(q)
		default:
			b.WriteByte(s[j])
		}
	}
	return b.String(), len(s)
}

// escapedLetter returns what stands behind a backslash, and how many bytes spell it: n, x2e, u002e, 056.
func escapedLetter(s string) (used int, letter string) {
	digits, base := "", 16
	switch c := s[0]; {
	case c == 'n':
		return 1, "\n"
	case c == 't':
		return 1, "\t"
	case c == 'x' && len(s) > 2:
		digits, used = s[1:3], 3
	case c == 'u' && len(s) > 4:
		digits, used = s[1:5], 5
	case c >= '0' && c <= '7' && len(s) > 2:
		digits, used, base = s[:3], 3, 8
	}
	if n, err := strconv.ParseUint(digits, base, 16); err == nil && n > 0 {
		return used, string(rune(n))
	}
	return 1, s[:1]
}
