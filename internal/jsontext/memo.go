package jsontext

import "bytes"

// Memo knows the envelope of the last event, so that the next one, which mostly differs in nothing but its piece of text, is
// taken apart by two comparisons. The zero Memo knows none.
type Memo struct {
	before, after []byte
	scratch       []byte
}

// Learn keeps what is around a string (see Scan.Last) in the value that s was given.
func (m *Memo) Learn(s *Scan, at Span) {
	m.before = append(m.before[:0], s.in[:at.from]...)
	m.after = append(m.after[:0], s.in[at.to:]...)
}

// Forget makes it know nothing.
func (m *Memo) Forget() { m.before = m.before[:0] }

// Match returns the text of the string when all around it is as it was. The text lives as Scan.Str's does.
func (m *Memo) Match(in []byte) (text []byte, ok bool) {
	from, to := len(m.before), len(in)-len(m.after)
	if from == 0 || from > to || !bytes.Equal(in[:from], m.before) || !bytes.Equal(in[to:], m.after) {
		return nil, false
	}
	text = in[from:to]
	escaped := false
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '"':
			return nil, false
		case '\\':
			escaped = true
			i++
			if i == len(text) {
				return nil, false
			}
		}
	}
	if escaped {
		m.scratch = Unescape(m.scratch[:0], text)
		text = m.scratch
	}
	return text, true
}
