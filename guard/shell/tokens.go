package shell

import "strings"

// token is a word, a string or a sign of a program text of any of the usual languages.
type token struct {
	word  string // identifier, with dots: os.system
	str   string // contents of a string
	isStr bool
	sym   byte
}

func tokenAt(ts []token, i int) token {
	if i < 0 || i >= len(ts) {
		return token{}
	}
	return ts[i]
}

// codeTokens takes program text apart roughly. comment is what begins a comment to the end of the line, "" for none.
func codeTokens(s, comment string) []token {
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
		case c == '"' || c == '\'' || c == '`':
			str, end := quoted(s, i)
			t := token{str: str, isStr: true}
			if c == '`' {
				t.sym = c
			}
			out = append(out, t)
			i = end
		case isWordByte(c):
			start := i
			for i < len(s) && (isWordByte(s[i]) || s[i] == '.' && i+1 < len(s) && isWordByte(s[i+1]) && !isDigit(s[start])) {
				i++
			}
			out = append(out, token{word: s[start:i]})
		default:
			out = append(out, token{sym: c})
			i++
		}
	}
	return out
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func isWordByte(c byte) bool {
	return c == '_' || c == '$' || c == '@' || isDigit(c) || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80
}

// quoted reads a string that starts at s[i], also one in triple quotes, and gives where it ends.
func quoted(s string, i int) (string, int) {
	q := s[i : i+1]
	if strings.HasPrefix(s[i:], strings.Repeat(q, 3)) {
		q = s[i : i+3]
	}
	var b strings.Builder
	for j := i + len(q); j < len(s); j++ {
		switch {
		case s[j] == '\\' && j+1 < len(s):
			j++
			b.WriteByte(unescaped(s[j]))
		case strings.HasPrefix(s[j:], q):
			return b.String(), j + len(q)
		default:
			b.WriteByte(s[j])
		}
	}
	return b.String(), len(s)
}

func unescaped(c byte) byte {
	switch c {
	case 'n':
		return '\n'
	case 't':
		return '\t'
	}
	return c
}
