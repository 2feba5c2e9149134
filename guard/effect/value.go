package effect

import (
	"slices"
	"strings"
)

// BoolTaint is a mask: every taint where b is true, none elsewhere.
func BoolTaint(b bool) Taint {
	if b {
		return ^Taint(0)
	}
	return 0
}

// BaseName is the last name of a path.
func BaseName(p string) string { return p[strings.LastIndexByte(p, '/')+1:] }

// IsPlain reports whether all of a text is known, and it has no wildcards.
func IsPlain(s string) bool { return !strings.ContainsAny(s, Unknowns) }

// PlainGlob spells a text as a pattern: wildcards as such, unknown text as "x".
func PlainGlob(s string) string {
	if !strings.ContainsAny(s, Unknowns) {
		return s
	}
	return Spelled(s, "x", "*", "?")
}

// A Value is a word after expansion as far as it can be known without running anything. Three bytes that no
// command line may hold mark what is not known: a hole for any text, wildcards that the shell will expand.
const (
	Hole = '\x00' // any text
	Star = '\x01' // * of a pattern
	One  = '\x02' // ? or [...] of a pattern
)

// Unknowns are the bytes that mark what is not known.
const Unknowns = "\x00\x01\x02"

// Value is one word of an expanded command.
type Value struct {
	Text  string
	Taint Taint
	// Odd means that the word is not spelled out: it comes from a variable, a substitution, a brace or an escape.
	Odd bool
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
	Proc *Data
}

// Taint describes where the unknown or carried text comes from.
type Taint uint32

// Where unknown or carried text comes from.
const (
	FromVariable Taint = 1 << iota // a variable that nobody set here
	FromArgument                   // a positional parameter of an unknown caller
	FromInput                      // what the user or a stream gives
	FromNames                      // names of files in the workspace
	FromWork                       // contents of the workspace
	FromOutside                    // names or contents outside
	FromPrivate                    // may hold credentials
	FromSecret                     // credentials
	FromEnv                        // the environment
	FromNet                        // downloaded
	FromSocket                     // a raw connection
	FromDecoder                    // through a decoder
	FromNumber                     // digits only
	FromParent                     // the process id of the harness
	FromJob                        // the process id of an own job
	FromDaemon                     // what a container daemon reports
	FromEndless                    // never ends
	FromProgram                    // the bytes of an installed program
	FromLost                       // the guard cannot compute what bash makes of it
)

// Tame are the sources of text that is surely no absolute path, no option and no more than names: numbers, and names that a
// listing of the workspace gives.
const Tame = FromNumber | FromNames | FromJob | FromParent

// Digits are the sources of numbers.
const Digits = FromNumber | FromJob | FromParent

// Wild reports whether unknown text of the word may be anything: an absolute path, an option, any number of words.
func (v Value) Wild() bool { return !v.Known() && v.Taint&^Tame != 0 }

// Same reports whether two values have the same texts.
func (v Value) Same(w Value) bool { return v.Text == w.Text && slices.Equal(v.Else, w.Else) }

// Literal is a word that is spelled out.
func Literal(s string) Value { return Value{Text: s} }

// HoleOf is a word of which nothing is known but where it comes from.
func HoleOf(t Taint) Value {
	if t == 0 {
		t = FromLost
	}
	return Value{Text: string(Hole), Taint: t, Odd: true}
}

// Known reports whether every byte of the word is known.
func (v Value) Known() bool { return strings.IndexByte(v.Text, Hole) < 0 }

// Plain reports whether the word is known and has no wildcards.
func (v Value) Plain() bool { return !strings.ContainsAny(v.Text, Unknowns) }

// Shown spells the word for people: holes as an ellipsis.
func (v Value) Shown() string { return Show(v.Text) }

// Show spells a text for people: unknown text as an ellipsis.
func Show(s string) string {
	if !strings.ContainsAny(s, Unknowns) {
		return s
	}
	return Spelled(s, "…", "*", "?")
}

// Spelled writes other text for holes and wildcards. A Replacer, made for each word, would cost more than the word.
func Spelled(s, forHole, forStar, forOne string) string {
	var b strings.Builder
	b.Grow(len(s) + 8)
	for i := range len(s) {
		switch s[i] {
		case Hole:
			b.WriteString(forHole)
		case Star:
			b.WriteString(forStar)
		case One:
			b.WriteString(forOne)
		default:
			b.WriteByte(s[i])
		}
	}
	return b.String()
}

// Cut splits the value at the first separator: the two sides keep the taint.
func (v Value) Cut(sep string) (Value, Value, bool) {
	before, after, ok := strings.Cut(v.Text, sep)
	left, right := v, v
	left.Text, right.Text = before, after
	return left, right, ok
}

// Append is a value with another one behind it.
func (v Value) Append(w Value) Value {
	out := JoinValues([]Value{v, w}, "")
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
	return HoleOf(v.Taint | w.Taint | FromLost)
}

// With returns the same value with another text.
func (v Value) With(text string) Value {
	v.Text = text
	return v
}

const maxJoined = 256 << 10 // bytes of joined words; more is unknown

// JoinValues puts words together with a separator between them.
func JoinValues(vs []Value, sep string) Value {
	var out Value
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
		return HoleOf(out.Taint | FromVariable)
	}
	out.Text = b.String()
	return out
}

// Globbed makes wildcards of known text alive, as an unquoted expansion does.
func Globbed(s string) string {
	if !strings.ContainsAny(s, "*?[") {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '*':
			b.WriteByte(Star)
		case c == '?':
			b.WriteByte(One)
		case c == '[' && strings.IndexByte(s[i+1:], ']') > 0:
			b.WriteByte(One)
			i += 1 + strings.IndexByte(s[i+1:], ']')
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}

// NoUnknowns keeps text from speaking with the bytes that mean "unknown".
func NoUnknowns(s string) string {
	if !strings.ContainsAny(s, Unknowns) {
		return s
	}
	return Spelled(s, string(Hole), string(Hole), string(Hole))
}

// Escaped is the taint of text whose letters are written as numbers.
func Escaped(active bool, s string) Taint {
	if !active {
		return 0
	}
	for i := 0; i+1 < len(s); i++ {
		if s[i] == '\\' && (s[i+1] == 'x' || s[i+1] == 'u' || s[i+1] == 'U' || s[i+1] >= '0' && s[i+1] <= '7') {
			return FromDecoder
		}
	}
	return 0
}
