package jsontext

import (
	"bytes"
	"fmt"
	"unicode/utf8"
)

// quotedWith reads the content of a string that was opened with quote and appends it as a JSON string to out.
func (r *reader) quotedWith(quote rune, content []byte, out []byte) ([]byte, error) {
	if quote == '"' && StrictContent(content) {
		return append(append(append(out, '"'), content...), '"'), nil
	}
	literal, err := r.backslashesAreText(content)
	if err != nil {
		return nil, err
	}
	out = append(out, '"')
	for i := 0; i < len(content); {
		c := content[i]
		switch {
		case c == '\\':
			size, err := r.escaped(content[i:], literal, &out)
			if err != nil {
				return nil, err
			}
			i += size
		case c == '"':
			out = append(out, `\"`...)
			i++
		case c < ' ':
			out = appendControl(out, c)
			r.note("escaped a raw line break or tab in a string")
			i++
		case c < utf8.RuneSelf:
			end := i + 1
			for end < len(content) && content[end] >= ' ' && content[end] != '\\' && content[end] != '"' {
				end++
			}
			out = append(out, content[i:end]...)
			i = end
		default:
			_, size := utf8.DecodeRune(content[i:])
			out = append(out, content[i:i+size]...)
			i += size
		}
	}
	return append(out, '"'), nil
}

// escaped handles a backslash and what follows; it returns how much of text that was.
func (r *reader) escaped(text []byte, literal bool, out *[]byte) (int, error) {
	size, ok := StrictEscapeSize(text)
	switch {
	case literal:
		*out = append(*out, `\\`...)
		r.note("kept the backslashes of a path as they are")
		return 1, nil
	case ok:
		*out = append(*out, text[:size]...)
		return size, nil
	case len(text) > 1 && (text[1] == '\'' || text[1] == '`'):
		*out = append(*out, text[1])
		r.note("dropped a backslash before a quote")
		return 2, nil
	}
	if size, ok := EscapeSize(text); ok {
		return 0, refuse(broken, r.pos, "half of a surrogate pair (%s)", text[:size])
	}
	*out = append(*out, `\\`...)
	r.note("kept a backslash that starts no JSON escape")
	return 1, nil
}

var (
	drivePath    = lazy{text: `^[A-Za-z]:\\[^\\]`}
	relativePath = lazy{text: `^\.{0,2}[\w.~ -]*(\\[\w.~ -]+)+\\?$`}
)

// backslashesAreText decides about a string with an escape that JSON does not know: in C:\Users\new every backslash
// is meant, also that of \n. In a text that may be such a path or not, it is ambiguous.
func (r *reader) backslashesAreText(content []byte) (bool, error) {
	unknown, control, doubled, quoted := 0, 0, 0, 0
	for i := 0; i < len(content); {
		if content[i] != '\\' {
			next := bytes.IndexByte(content[i:], '\\')
			if next < 0 {
				break
			}
			i += next
			continue
		}
		size, ok := StrictEscapeSize(content[i:])
		switch {
		case !ok:
			if i+1 >= len(content) || content[i+1] != '\'' && content[i+1] != '`' {
				unknown++
			}
			size = 1
		case content[i+1] == '\\':
			doubled++
		case bytes.IndexByte([]byte("bfnrt"), content[i+1]) >= 0:
			control++
		case content[i+1] == '"' || content[i+1] == '/':
			quoted++
		}
		i += size
	}
	if unknown == 0 || control+doubled == 0 {
		return false, nil
	}
	path := len(content) < 1024 && (drivePath.get().Match(content) || relativePath.get().Match(content))
	switch {
	case path && doubled == 0 && quoted == 0 && drivePath.get().Match(content):
		return true, nil
	case path && control+doubled > 0:
		return false, refuse(ambiguous, r.pos, "backslashes in %.40q could be escapes or part of a path", content)
	case bytes.Contains(content, []byte(`\b`)) || bytes.Contains(content, []byte(`\f`)):
		// In a regular expression these are meant as they are.
		if doubled+quoted == 0 && bytes.Count(content, []byte(`\b`))+bytes.Count(content, []byte(`\f`)) == control {
			return true, nil
		}
		return false, refuse(ambiguous, r.pos, "backslashes in %.40q could be escapes or part of a pattern", content)
	}
	return false, nil
}

func appendControl(out []byte, c byte) []byte {
	switch c {
	case '\n':
		return append(out, `\n`...)
	case '\r':
		return append(out, `\r`...)
	case '\t':
		return append(out, `\t`...)
	}
	return fmt.Appendf(out, `\u%04x`, c)
}
