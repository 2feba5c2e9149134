package shell

import "strings"

// A value is a word after expansion as far as it can be known without running anything. Three bytes that no
// command line may hold mark what is not known: a hole for any text, wildcards that the shell will expand.
const (
	hole = '\x00' // any text
	star = '\x01' // * of a pattern
	one  = '\x02' // ? or [...] of a pattern
)

const unknowns = "\x00\x01\x02"

// value is one word of an expanded command.
type value struct {
	text  string
	taint taint
	// odd means that the word is not spelled out: it comes from a variable, a substitution, a brace or an escape.
	odd bool
	// split means that quotes or backslashes are in the middle of the word.
	split bool
	// label means that an option's name takes the word for a pattern or an address, not for a path.
	label bool
	// proc is what a process substitution in the word gives, nil where there is none.
	proc *data
}

// taint describes where the unknown or carried text comes from.
type taint uint32

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
)

func literal(s string) value { return value{text: s} }

func holeOf(t taint) value { return value{text: string(hole), taint: t, odd: true} }

// known reports whether every byte of the word is known.
func (v value) known() bool { return strings.IndexByte(v.text, hole) < 0 }

// plain reports whether the word is known and has no wildcards.
func (v value) plain() bool { return !strings.ContainsAny(v.text, unknowns) }

// shown spells the word for people: holes as an ellipsis.
func (v value) shown() string { return show(v.text) }

func show(s string) string {
	if !strings.ContainsAny(s, unknowns) {
		return s
	}
	return spelled(s, "…", "*", "?")
}

// spelled writes other text for holes and wildcards. A Replacer, made for each word, would cost more than the word.
func spelled(s, forHole, forStar, forOne string) string {
	var b strings.Builder
	b.Grow(len(s) + 8)
	for i := range len(s) {
		switch s[i] {
		case hole:
			b.WriteString(forHole)
		case star:
			b.WriteString(forStar)
		case one:
			b.WriteString(forOne)
		default:
			b.WriteByte(s[i])
		}
	}
	return b.String()
}

// cut splits the value at the first separator: the two sides keep the taint.
func (v value) cut(sep string) (value, value, bool) {
	before, after, ok := strings.Cut(v.text, sep)
	left, right := v, v
	left.text, right.text = before, after
	return left, right, ok
}

// with returns the same value with another text.
func (v value) with(text string) value {
	v.text = text
	return v
}

// data is what flows through a pipe or into a variable: its text where known, holes and all, and where it comes from.
type data struct {
	text  string
	known bool // text is what flows; it may have holes
	taint taint
}

const maxKnown = 64 << 10 // bytes of known data that are carried along; more is unknown

func textData(s string, t taint) data {
	if len(s) > maxKnown {
		return data{taint: t | fromWork}
	}
	return data{text: s, known: true, taint: t}
}

// asValue is the data as a command substitution gives it.
func (d data) asValue() value {
	if d.known {
		return value{text: strings.TrimRight(d.text, "\n"), taint: d.taint, odd: true}
	}
	return holeOf(d.taint)
}

func joinValues(vs []value, sep string) value {
	var out value
	var b strings.Builder
	for i, v := range vs {
		if i > 0 {
			b.WriteString(sep)
		}
		b.WriteString(v.text)
		out.taint |= v.taint
		out.odd = out.odd || v.odd
	}
	if b.Len() > 2*MaxBytes {
		return holeOf(out.taint | fromVariable)
	}
	out.text = b.String()
	return out
}
