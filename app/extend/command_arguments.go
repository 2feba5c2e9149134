package extend

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// CommandOrigin says whose rules for arguments a file follows.
type CommandOrigin uint8

// The origins.
const (
	Own      CommandOrigin = iota // $1 is the first argument, unless the text has $0 or $ARGUMENTS[n]; then as Claude
	Claude                        // $0 is the first
	OpenCode                      // $1 is the first, and the highest number takes all the rest
	Codex                         // $1 is the first; $NAME takes NAME=value; $$ is a dollar sign
)

// zeroBased reports whether a text counts its arguments from zero.
func (o CommandOrigin) zeroBased(text string) bool {
	return o == Claude || o == Own && strings.Contains(text, "$0") || strings.Contains(text, "$ARGUMENTS[")
}

var (
	slots = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`\$ARGUMENTS\[(\d+)\]|\$ARGUMENTS\b|\$(\d+)|\$([A-Za-z_][A-Za-z0-9_]*)|\$\$`)
	})
	pairs = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^([A-Za-z_][A-Za-z0-9_]*)=(.*)$`) })
)

// given are the arguments of one call, as a text takes them.
type given struct {
	origin CommandOrigin
	all    string
	words  []string
	named  map[string]string
	base   int  // the number of the first word
	rest   int  // the index of the word that takes all that follow; -1: none
	used   bool // the text had a place for them
}

// given reads the arguments of a call.
func (t Template) given(args string) *given {
	g := &given{origin: t.Origin, all: args, words: SplitArguments(args), named: map[string]string{}, base: 1, rest: -1}
	for i, name := range t.Names {
		if i < len(g.words) {
			g.named[name] = g.words[i]
		}
	}
	if t.Origin == Codex {
		g.words = slices.DeleteFunc(g.words, func(w string) bool {
			m := pairs().FindStringSubmatch(w)
			if m != nil {
				g.named[m[1]] = m[2]
			}
			return m != nil
		})
	}
	if t.Origin.zeroBased(t.Text) {
		g.base = 0
	}
	if t.Origin == OpenCode {
		for _, m := range slots().FindAllStringSubmatch(t.Text, -1) {
			if n, err := strconv.Atoi(m[2]); err == nil {
				g.rest = max(g.rest, n-g.base)
			}
		}
	}
	return g
}

// into puts the arguments into a text, in one go: what they bring is not looked at again.
func (g *given) into(text string) string { return slots().ReplaceAllStringFunc(text, g.slot) }

// slot returns what stands in the place of a slot.
func (g *given) slot(slot string) string {
	m := slots().FindStringSubmatch(slot)
	switch {
	case slot == "$ARGUMENTS":
		g.used = true
		return g.all
	case slot == "$$" && g.origin == Codex:
		return "$"
	case slot == "$$":
		return slot
	case m[3] != "":
		value, ok := g.named[m[3]]
		if !ok {
			return slot // a variable of a program
		}
		g.used = true
		return value
	}
	n, err := strconv.Atoi(m[1] + m[2])
	if m[1] == "" {
		n -= g.base
	}
	if err != nil || n < 0 {
		return slot
	}
	g.used = true
	switch {
	case n >= len(g.words) && g.origin == Claude:
		return slot
	case n >= len(g.words):
		return ""
	case n == g.rest:
		return strings.Join(g.words[n:], " ")
	}
	return g.words[n]
}

// SplitArguments splits arguments at blanks. Quotation marks keep words together and are taken off.
func SplitArguments(args string) (words []string) {
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

// quoted is a word as Words reads it.
func quoted(w string) string {
	switch {
	case w != "" && !strings.ContainsAny(w, " \t\n\"'"):
		return w
	case strings.Contains(w, `"`) && !strings.Contains(w, "'"):
		return "'" + w + "'"
	}
	return `"` + strings.ReplaceAll(w, `"`, "'") + `"`
}
