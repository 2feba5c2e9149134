package full

import "rein/app/tui/text"

// Following shows an output while it grows. Of a long one the start is left out; size writes a number of bytes in words.
func Following(title string, tail func(from int64) ([]byte, int64), ended func() bool, size func(int64) string) *Pager {
	length, over := int64(-1), false
	p := NewPager(title, nil)
	p.Follow = func() (lines []text.Line, changed bool) {
		out, start := tail(0)
		if start+int64(len(out)) == length && over == ended() {
			return nil, false
		}
		length, over = start+int64(len(out)), ended()
		if start > 0 {
			lines = append(lines, text.Of(text.Dim, p.Words.Of("%s before are left out", size(start))))
		}
		lines = append(lines, text.Output(string(out), text.Plain)...)
		switch {
		case over:
			lines = append(lines, text.Of(text.Dim, p.Words.Of("- it has ended")))
		case len(out) == 0:
			lines = append(lines, text.Of(text.Dim, p.Words.Of("it has written nothing yet")))
		}
		return lines, true
	}
	return p
}
