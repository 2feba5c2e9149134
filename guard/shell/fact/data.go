package fact

import "strings"

// Data is what flows through a pipe or into a variable: its text where known, holes and all, and where it comes from.
type Data struct {
	Text  string
	Known bool // text is what flows; it may have holes
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
		return Value{Text: strings.TrimRight(text, "\n"), Taint: d.Taint, Odd: true}
	}
	return HoleOf(d.Taint)
}

// Concat is a followed by b: known only where both are.
func Concat(a, b Data) Data {
	switch {
	case a.Known && b.Known:
		return TextData(a.Text+b.Text, a.Taint|b.Taint)
	default:
		return Data{Taint: a.Taint | b.Taint}
	}
}
