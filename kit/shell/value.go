package shell

import (
	"slices"
	"strings"

	"rein/guard/effect"
)

// boolTaint is a mask: every taint where b is true, none elsewhere.
func boolTaint(b bool) taint {
	if b {
		return ^taint(0)
	}
	return 0
}

// baseName is the last name of a path.
func baseName(p string) string { return p[strings.LastIndexByte(p, '/')+1:] }

// isPlain reports whether all of a text is known, and it has no wildcards.
func isPlain(s string) bool { return !strings.ContainsAny(s, unknownLetters) }

// plainGlob spells a text as a pattern: wildcards as such, unknown text as "x".
func plainGlob(s string) string {
	if !strings.ContainsAny(s, unknownLetters) {
		return s
	}
	return spell(s, "x", "*", "?")
}

// A value is a word after expansion as far as it can be known without running anything. Three bytes that no
// command line may hold mark what is not known: a hole for any text, wildcards that the shell will expand.
const (
	anyText = '\x00' // any text
	anyGlob = '\x01' // * of a pattern
	oneGlob = '\x02' // ? or [...] of a pattern
)

// unknownLetters are the bytes that mark what is not known.
const unknownLetters = "\x00\x01\x02"

// value is one word of an expanded command.
type value struct {
	Text  string
	Taint taint
	// Odd means that the word is not spelled out: it comes from a variable, a substitution, a brace or an escape.
	Odd bool
	// Found means that the word is a path that find gives: unknown directories, and a name that it looks for.
	Found bool
	// Split means that quotes or backslashes are in the middle of the word.
	Split bool
	// Label means that an option's name takes the word for a pattern or an address, not for a path.
	Label bool
	// Unsure means that the word may be another one: the branch that set it may not have run.
	Unsure bool
	// Else are the other texts that a variable may have, at most three: a branch that set it may not have run. A command that uses
	// the variable is judged with each of them.
	Else []string
	// Many means that unknown text was not quoted: the word may be several words.
	Many bool
	// Proc is what a process substitution in the word gives, nil where there is none.
	Proc *data
}

// taint describes where the unknown or carried text comes from.
type taint uint32

// Where unknown or carried text comes from.
const (
	fromVariable taint = 1 << iota // a variable that nobody set here
	fromArgument                   // a positional parameter of an unknown caller
	fromInput                      // what the user or a stream gives
	fromNames                      // names of files in the workspace
	fromWork                       // contents of the workspace
	fromOutside                    // names or contents outside
	fromPrivate                    // may hold credentials
	fromSecret                     // credentials
	fromEnv                        // the environment
	fromNet                        // downloaded
	fromSocket                     // a raw connection
	fromDecoder                    // through a decoder
	fromNumber                     // digits only
	fromParent                     // the process id of the harness
	fromJob                        // the process id of an own job
	fromDaemon                     // what a container daemon reports
	fromEndless                    // never ends
	fromProgram                    // the bytes of an installed program
	fromLost                       // the guard cannot compute what bash makes of it
	fromShell                      // what a shell answers that runs text nobody has seen
)

// tame are the sources of text that is surely no absolute path, no option and no more than names: numbers, and names that a
// listing of the workspace gives.
const tame = fromNumber | fromNames | fromJob | fromParent

// textDigits are the sources of numbers.
const textDigits = fromNumber | fromJob | fromParent

// Wild reports whether unknown text of the word may be anything: an absolute path, an option, any number of words.
func (v value) Wild() bool { return !v.Known() && v.Taint&^tame != 0 }

// Same reports whether two values have the same texts.
func (v value) Same(w value) bool {
	return v.Text == w.Text && slices.Equal(v.Else, w.Else)
}

// literal is a word that is spelled out.
func literal(s string) value { return value{Text: s} }

// holeOf is a word of which nothing is known but where it comes from.
func holeOf(t taint) value {
	if t == 0 {
		t = fromLost
	}
	return value{Text: string(anyText), Taint: t, Odd: true}
}

// Known reports whether every byte of the word is known.
func (v value) Known() bool { return strings.IndexByte(v.Text, anyText) < 0 }

// Plain reports whether the word is known and has no wildcards.
func (v value) Plain() bool { return !strings.ContainsAny(v.Text, unknownLetters) }

// Shown spells the word for people: holes as an ellipsis.
func (v value) Shown() string { return showText(v.Text) }

// showText spells a text for people: unknown text as an ellipsis.
func showText(s string) string {
	if !strings.ContainsAny(s, unknownLetters) {
		return s
	}
	return spell(s, "…", "*", "?")
}

// spell writes other text for holes and wildcards. A Replacer, made for each word, would cost more than the word.
func spell(s, forHole, forStar, forOne string) string {
	var b strings.Builder
	b.Grow(len(s) + 8)
	for i := range len(s) {
		switch s[i] {
		case anyText:
			b.WriteString(forHole)
		case anyGlob:
			b.WriteString(forStar)
		case oneGlob:
			b.WriteString(forOne)
		default:
			b.WriteByte(s[i])
		}
	}
	return b.String()
}

// Cut splits the value at the first separator: the two sides keep the taint.
func (v value) Cut(sep string) (value, value, bool) {
	before, after, ok := strings.Cut(v.Text, sep)
	left, right := v, v
	left.Text, right.Text = before, after
	return left, right, ok
}

// Append is a value with another one behind it.
func (v value) Append(w value) value {
	out := joinValues([]value{v, w}, "")
	if len(v.Else)+len(w.Else) == 0 {
		return out
	}
	if v.Else == nil || w.Else == nil {
		for _, a := range append(v.Else[:len(v.Else):len(v.Else)], v.Text) {
			for _, b := range append(w.Else[:len(w.Else):len(w.Else)], w.Text) {
				if a+b != out.Text {
					out.Else = append(out.Else, a+b)
				}
			}
		}
		return out
	}
	return holeOf(v.Taint | w.Taint | fromLost)
}

// With returns the same value with another text.
func (v value) With(text string) value {
	v.Text = text
	return v
}

const maxJoined = 256 << 10 // bytes of joined words; more is unknown

// joinValues puts words together with a separator between them.
func joinValues(vs []value, sep string) value {
	var out value
	var b strings.Builder
	for i, v := range vs {
		if i > 0 {
			b.WriteString(sep)
		}
		b.WriteString(v.Text)
		out.Taint |= v.Taint
		out.Odd = out.Odd || v.Odd
	}
	if b.Len() > maxJoined {
		return holeOf(out.Taint | fromVariable)
	}
	out.Text = b.String()
	return out
}

// globbed makes wildcards of known text alive, as an unquoted expansion does.
func globbed(s string) string {
	if !strings.ContainsAny(s, "*?[") {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '*':
			b.WriteByte(anyGlob)
		case c == '?':
			b.WriteByte(oneGlob)
		case c == '[' && strings.IndexByte(s[i+1:], ']') > 0:
			b.WriteByte(oneGlob)
			i += 1 + strings.IndexByte(s[i+1:], ']')
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}

// noUnknowns keeps text from speaking with the bytes that mean "unknown".
func noUnknowns(s string) string {
	if !strings.ContainsAny(s, unknownLetters) {
		return s
	}
	return spell(s, string(anyText), string(anyText), string(anyText))
}

// escaped is the taint of text whose letters are written as numbers.
func escaped(active bool, s string) taint {
	if !active {
		return 0
	}
	for i := 0; i+1 < len(s); i++ {
		if s[i] == '\\' && (s[i+1] == 'x' || s[i+1] == 'u' || s[i+1] == 'U' || s[i+1] >= '0' && s[i+1] <= '7') {
			return fromDecoder
		}
	}
	return 0
}

// isRemote reports whether a path is host:path or a URL.
func isRemote(v value) bool {
	if strings.Contains(v.Text, "://") {
		return true
	}
	i := strings.IndexByte(v.Text, ':')
	return i > 0 && !strings.Contains(v.Text[:i], "/") && !strings.HasPrefix(v.Text, ".")
}

// note adds a name to a list of a report unless it is there already, or the list is full.
func note(list *[]string, s string) {
	s = showText(s)
	if s != "" && !slices.Contains(*list, s) && len(*list) < effect.MostNoted {
		*list = append(*list, s)
	}
}
