package slash

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Origin says whose rules for arguments a file follows.
type Origin uint8

// The origins.
const (
	Own      Origin = iota // $1 is the first argument, unless the text has $0 or $ARGUMENTS[n]; then as Claude
	Claude                 // $0 is the first
	OpenCode               // $1 is the first, and the highest number takes all the rest
	Codex                  // $1 is the first; $NAME takes NAME=value; $$ is a dollar sign
)

// zeroBased reports whether a text counts its arguments from zero.
func (o Origin) zeroBased(text string) bool {
	return o == Claude || o == Own && strings.Contains(text, "$0") || strings.Contains(text, "$ARGUMENTS[")
}

var (
	slots = regexp.MustCompile(`\$ARGUMENTS\[(\d+)\]|\$ARGUMENTS\b|\$(\d+)|\$([A-Za-z_][A-Za-z0-9_]*)|\$\$`)
	pairs = regexp.MustCompile(`^([A-Za-z_][A-Za-z0-9_]*)=(.*)$`)
)

// arguments puts arguments into a text, in one go: what they bring is not looked at again. used reports whether the text has a
// place for them.
func (t Template) arguments(text, args string) (result string, used bool) {
	words := Words(args)
	named := map[string]string{}
	for i, name := range t.Names {
		if i < len(words) {
			named[name] = words[i]
		}
	}
	if t.Origin == Codex {
		words = slices.DeleteFunc(words, func(w string) bool {
			m := pairs.FindStringSubmatch(w)
			if m != nil {
				named[m[1]] = m[2]
			}
			return m != nil
		})
	}
	base := 1
	if t.Origin.zeroBased(t.Text) {
		base = 0
	}
	last := -1 // the highest number, which takes the rest
	if t.Origin == OpenCode {
		for _, m := range slots.FindAllStringSubmatch(t.Text, -1) {
			if n, err := strconv.Atoi(m[2]); err == nil {
				last = max(last, n-base)
			}
		}
	}
	result = slots.ReplaceAllStringFunc(text, func(slot string) string {
		m := slots.FindStringSubmatch(slot)
		number := m[1] + m[2]
		switch {
		case slot == "$ARGUMENTS":
			used = true
			return args
		case slot == "$$" && t.Origin == Codex:
			return "$"
		case m[3] != "":
			value, ok := named[m[3]]
			if !ok {
				return slot // a variable of a program
			}
			used = true
			return value
		case number == "":
			return slot
		}
		n, err := strconv.Atoi(number)
		if m[1] == "" {
			n -= base
		}
		switch {
		case err != nil || n < 0:
			return slot
		case n >= len(words):
			used = true
			if t.Origin == Claude {
				return slot
			}
			return ""
		}
		used = true
		if n == last {
			return strings.Join(words[n:], " ")
		}
		return words[n]
	})
	return result, used
}

// Words splits arguments at blanks. Quotation marks keep words together and are taken off.
func Words(args string) (words []string) {
	var b strings.Builder
	quote, inside := rune(0), false
	for _, c := range args {
		switch {
		case quote != 0 && c == quote:
			quote = 0
		case quote != 0:
			b.WriteRune(c)
		case c == '"' || c == '\'':
			quote, inside = c, true
		case strings.ContainsRune(" \t\n", c):
			if inside {
				words = append(words, b.String())
				b.Reset()
			}
			inside = false
		default:
			inside = true
			b.WriteRune(c)
		}
	}
	if inside {
		words = append(words, b.String())
	}
	return words
}
