package edit

import (
	"strings"
)

// spelling is what the aligned lines show about the model's typography: which family it spells otherwise than the file.
type spelling struct {
	quotes, dash, dots, blanks family
	trims                      bool // the model added blanks at line ends
}

// family counts, for typographic characters of one kind in the model's old text, how the file spells them.
type family struct{ plain, same int }

func (f family) learned() bool { return f.plain > 0 && f.same == 0 }

func familyOf(s *spelling, r rune) *family {
	switch p := plainSpelling(r); {
	case r < 0x80:
		return nil
	case p == `"` || p == "'":
		return &s.quotes
	case p == "-":
		return &s.dash
	case p == "...":
		return &s.dots
	case isBlankChar(r):
		return &s.blanks
	}
	return nil
}

// learn compares a model's line with the file's line of the same key.
func (s *spelling) learn(model, file string) {
	mt, ft := strings.TrimRight(model, " \t"), strings.TrimRight(file, " \t")
	if len(ft) == len(file) && len(mt) < len(model) {
		s.trims = true
	}
	if isASCII(model) {
		return
	}
	mu, fu := foldLine(model), foldLine(file)
	if len(mu) != len(fu) {
		return
	}
	for i := range mu {
		mr, fr := model[mu[i].From:mu[i].To], file[fu[i].From:fu[i].To]
		for _, r := range mr {
			if f := familyOf(s, r); f != nil {
				if strings.ContainsRune(fr, r) {
					f.same++
				} else if isASCII(fr) {
					f.plain++
				}
			}
		}
	}
}

// apply writes text that is the model's own in the file's spelling, where that is certain.
func (s *spelling) apply(text string) string {
	if s.trims {
		text = strings.TrimRight(text, " \t")
	}
	if isASCII(text) {
		return text
	}
	var b strings.Builder
	for _, r := range text {
		f := familyOf(s, r)
		switch {
		case f == nil || !f.learned():
			b.WriteRune(r)
		case isBlankChar(r):
			b.WriteByte(' ')
		default:
			b.WriteString(plainSpelling(r))
		}
	}
	return b.String()
}

func isASCII(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] >= 0x80 {
			return false
		}
	}
	return true
}

// mergeLine carries the model's change of one line, old to new, over to the file's line, which has the key of old.
// The indentation is not its affair: it returns everything behind it.
func mergeLine(old, new, file string, s *spelling) string {
	o, oTail := cutTail(old)
	n, nTail := cutTail(new)
	f, fTail := cutTail(file)
	tail := nTail
	if oTail == nTail || oTail != fTail || foldKey(o) == foldKey(n) {
		tail = fTail
	}
	switch {
	case o == n:
		return f + tail
	case o == f:
		return n + tail
	case n == f:
		return f + tail
	}
	return mergeUnits(o, n, f, s) + tail
}

// cutTail splits a line without its indentation into its text and the blanks at its end.
func cutTail(l string) (body, tail string) {
	l = l[len(indentOf(l)):]
	body = strings.TrimRight(l, " \t\r")
	return body, l[len(body):]
}

func mergeUnits(o, n, f string, s *spelling) string {
	ou, nu, fu := foldLine(o), foldLine(n), foldLine(f)
	if len(ou) != len(fu) {
		return n
	}
	var b strings.Builder
	for _, st := range shortestDiff(unitRunes(ou), unitRunes(nu)) {
		switch {
		case st.B < 0:
		case st.A < 0:
			b.WriteString(s.apply(n[nu[st.B].From:nu[st.B].To]))
		default:
			or, nr, fr := o[ou[st.A].From:ou[st.A].To], n[nu[st.B].From:nu[st.B].To], f[fu[st.A].From:fu[st.A].To]
			if or == nr || or != fr {
				b.WriteString(fr)
			} else {
				b.WriteString(nr)
			}
		}
	}
	return b.String()
}

func unitRunes(u []foldedChar) []uint64 {
	out := make([]uint64, len(u))
	for i := range u {
		out[i] = uint64(u[i].R)
	}
	return out
}
