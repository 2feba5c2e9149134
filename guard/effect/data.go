package effect

import "strings"

// Data is what flows through a pipe or into a variable: its text where known, holes and all, and where it comes from.
type Data struct {
	Text  string
	Known bool // text is what flows; it may have holes
	Maybe bool // or nothing: what writes it may not run
	Taint Taint
}

// Nul stands for a NUL byte in data: the byte itself means unknown text.
const Nul = '\x03'

// MaxKnown is how many bytes of known data are carried along; more is unknown.
const MaxKnown = 64 << 10

// TextData is known data, or unknown data of the same taint where the text is too long.
func TextData(s string, t Taint) Data {
	if len(s) > MaxKnown {
		return Data{Taint: t | FromWork}
	}
	return Data{Text: s, Known: true, Taint: t}
}

// AsValue is the data as a command substitution gives it.
func (d Data) AsValue() Value {
	if d.Known {
		text := strings.ReplaceAll(d.Text, string(Nul), "") // bash drops them
		v := Value{Text: strings.TrimRight(text, "\n"), Taint: d.Taint, Odd: true}
		if d.Maybe && v.Plain() && v.Text != "" {
			v.Else = []string{""}
		}
		return v
	}
	return HoleOf(d.Taint)
}

// EitherData is what flows where it is a or b.
func EitherData(a, b Data) Data {
	switch {
	case a.Known && b.Known && a.Text == b.Text:
		a.Maybe, a.Taint = a.Maybe || b.Maybe, a.Taint|b.Taint
		return a
	case a.Known && b.Known && b.Text == "":
		a.Maybe = true
		return a
	case a.Known && b.Known && a.Text == "":
		b.Maybe = true
		return b
	}
	return Data{Taint: a.Lost().Taint | b.Lost().Taint}
}

// Lost is the data where how much of it flows is not known. Plain names stay names; other text may be anything.
func (d Data) Lost() Data {
	if !d.Known || d.Text == "" {
		return d
	}
	t := d.Taint
	if t&^Tame != 0 && strings.IndexByte(d.Text, Hole) >= 0 || strings.ContainsAny(d.Text, "/~*?[:\"'\\$`") {
		t |= FromLost
	}
	for _, word := range strings.Fields(d.Text) {
		if word[0] == '-' || word == "." || word == ".." {
			t |= FromLost
		}
	}
	return Data{Taint: t | FromNames}
}

// Concat is a followed by b: known only where both are.
func Concat(a, b Data) Data {
	switch {
	case a.Known && b.Known && a.Text == "" || b == Data{Known: true}:
		if b.Text == "" {
			return a
		}
		b.Taint |= a.Taint
		return b
	case a.Known && b.Known && !a.Maybe && !b.Maybe:
		return TextData(a.Text+b.Text, a.Taint|b.Taint)
	}
	return Data{Taint: a.Lost().Taint | b.Lost().Taint}
}
