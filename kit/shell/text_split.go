package shell

// The files text_… compute what bash makes of known text: fields, patterns, slices, escapes, formats, numbers. Where
// they cannot tell exactly what bash does, they say so, and the caller treats the result as unknown.

import "strings"

// fieldSplitter cuts the text of unquoted expansions into fields at the characters of IFS.
type fieldSplitter struct {
	// IFS is the value of the variable: blanks of it are delimiters as a run, any other character by itself.
	IFS string
}

// Is reports whether a byte is a delimiter.
func (s fieldSplitter) Is(c byte) bool { return strings.IndexByte(s.IFS, c) >= 0 }

// Blank reports whether a byte is a delimiter that counts as a blank.
func (s fieldSplitter) Blank(c byte) bool {
	return (c == ' ' || c == '\t' || c == '\n') && s.Is(c)
}

// word takes the next field off the text, with the delimiter behind it, as the read builtin does. literal marks bytes that a
// backslash protects; nil where there are none.
func (s fieldSplitter) word(text string, literal []bool) (field, rest string, restLiteral []bool) {
	is := func(i int) bool { return (literal == nil || !literal[i]) && s.Is(text[i]) }
	blank := func(i int) bool { return (literal == nil || !literal[i]) && s.Blank(text[i]) }
	i := 0
	for i < len(text) && blank(i) {
		i++
	}
	start := i
	for i < len(text) && !is(i) {
		i++
	}
	field = text[start:i]
	for i < len(text) && blank(i) {
		i++
	}
	if i < len(text) && is(i) {
		i++
		for i < len(text) && blank(i) {
			i++
		}
	}
	if literal != nil {
		restLiteral = literal[i:]
	}
	return field, text[i:], restLiteral
}

// line is a line that the read builtin takes apart. Without raw, a backslash protects the character behind it.
func (s fieldSplitter) line(text string, raw bool) (string, []bool) {
	if raw || strings.IndexByte(text, '\\') < 0 {
		return text, nil
	}
	var b strings.Builder
	var literal []bool
	for i := 0; i < len(text); i++ {
		protected := false
		if text[i] == '\\' {
			if i++; i >= len(text) {
				break
			}
			protected = true
		}
		b.WriteByte(text[i])
		literal = append(literal, protected)
	}
	return b.String(), literal
}

// Read gives n variables their parts of a line, as "read a b c" does: the last has all that remains. n is at least 1.
func (s fieldSplitter) Read(text string, n int, raw bool) []string {
	text, literal := s.line(text, raw)
	out := make([]string, n)
	for i := range n - 1 {
		out[i], text, literal = s.word(text, literal)
	}
	for text != "" && s.Blank(text[0]) && (literal == nil || !literal[0]) {
		text = text[1:]
		if literal != nil {
			literal = literal[1:]
		}
	}
	one, rest, _ := s.word(text, literal)
	if rest == "" {
		out[n-1] = one
		return out
	}
	for text != "" && s.Blank(text[len(text)-1]) && (literal == nil || !literal[len(text)-1]) {
		text = text[:len(text)-1]
	}
	out[n-1] = text
	return out
}

// ReadAll cuts a line into the elements of an array, as "read -a" does.
func (s fieldSplitter) ReadAll(text string, raw bool) []string {
	text, literal := s.line(text, raw)
	var out []string
	for text != "" && s.Blank(text[0]) && (literal == nil || !literal[0]) {
		text = text[1:]
		if literal != nil {
			literal = literal[1:]
		}
	}
	for text != "" {
		var field string
		field, text, literal = s.word(text, literal)
		out = append(out, field)
	}
	return out
}

// readReply is a line as "read" without names keeps it.
func readReply(text string, raw bool) string {
	text, _ = fieldSplitter{}.line(text, raw)
	return text
}
