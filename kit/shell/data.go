package shell

import "strings"

// data is what flows through a pipe or into a variable: its text where known, holes and all, and where it comes from.
type data struct {
	Text  string
	Known bool // text is what flows; it may have holes
	Maybe bool // or nothing: what writes it may not run
	Taint taint
	// History is what of the workspace git prints here as it was at another time, an absolute path of a file or directory; "" for other
	// data. Written back to the same place it replaces what is not committed.
	History string
}

// nulText stands for a NUL byte in data: the byte itself means unknown text.
const nulText = '\x03'

// maxKnown is how many bytes of known data are carried along; more is unknown.
const maxKnown = 64 << 10

// textData is known data, or unknown data of the same taint where the text is too long.
func textData(s string, t taint) data {
	if len(s) > maxKnown {
		return data{Taint: t | fromWork}
	}
	return data{Text: s, Known: true, Taint: t}
}

// AsValue is the data as a command substitution gives it.
func (d data) AsValue() value {
	if d.Known {
		text := strings.ReplaceAll(d.Text, string(nulText), "") // bash drops them
		v := value{Text: strings.TrimRight(text, "\n"), Taint: d.Taint, Odd: true}
		if d.Maybe && v.Plain() && v.Text != "" {
			v.Else = []string{""}
		}
		return v
	}
	return holeOf(d.Taint)
}

// eitherData is what flows where it is a or b.
func eitherData(a, b data) data {
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
	return data{Taint: a.Lost().Taint | b.Lost().Taint}
}

// Lost is the data where how much of it flows is not known. Plain names stay names; other text may be anything.
func (d data) Lost() data {
	if !d.Known || d.Text == "" {
		return d
	}
	t := d.Taint
	if t&^tame != 0 && strings.IndexByte(d.Text, anyText) >= 0 || strings.ContainsAny(d.Text, "/~*?[:\"'\\$`") {
		t |= fromLost
	}
	for _, word := range strings.Fields(d.Text) {
		if word[0] == '-' || word == "." || word == ".." {
			t |= fromLost
		}
	}
	return data{Taint: t | fromNames}
}

// concatData is a followed by b: known only where both are.
func concatData(a, b data) data {
	switch {
	case a.Known && b.Known && a.Text == "" || b == data{Known: true}:
		if b.Text == "" {
			return a
		}
		b.Taint |= a.Taint
		return b
	case a.Known && b.Known && !a.Maybe && !b.Maybe:
		return textData(a.Text+b.Text, a.Taint|b.Taint)
	}
	return data{Taint: a.Lost().Taint | b.Lost().Taint}
}
