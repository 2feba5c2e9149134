package event

import (
	"bytes"
	"encoding/json"
	"strconv"
	"unicode/utf8"

	"rein/internal/jsonscan"
)

// Parse reads an event from a line of JSON, as encoding/json does. Long texts, such as results, are taken out first and put
// back as they are: encoding/json reads each byte several times.
func (e *Event) Parse(line []byte) error {
	if len(line) < longText || !utf8.Valid(line) || !jsonscan.Valid(line) {
		return json.Unmarshal(line, e)
	}
	short, long := shorten(line)
	if len(long) == 0 {
		return json.Unmarshal(line, e)
	}
	if err := json.Unmarshal(short, e); err != nil || !e.lengthen(long) {
		*e = Event{}
		return json.Unmarshal(line, e)
	}
	return nil
}

// longText is the length from which a text is taken out.
const longText = 2 << 10

// mark begins the text that replaces a long one. It is followed by the index.
const mark = "\x01long "

// shorten replaces the long strings of a line. A line that has what looks like a replacement stays as it is.
func shorten(line []byte) (short []byte, long [][]byte) {
	if bytes.Contains(line, []byte(`\u0001long `)) {
		return line, nil
	}
	for rest := line; ; {
		open := bytes.IndexByte(rest, '"')
		if open < 0 {
			return append(short, rest...), long
		}
		end := open + 1 + stringEnd(rest[open+1:])
		if text := rest[open+1 : end]; len(text) < longText || surrogate(text) {
			short = append(short, rest[:end+1]...)
		} else {
			short = append(short, rest[:open]...)
			short = append(short, `"\u0001long `...)
			short = append(strconv.AppendInt(short, int64(len(long)), 10), '"')
			long = append(long, text)
		}
		rest = rest[end+1:]
	}
}

// surrogate reports whether a text may have half of a character in an escape, which encoding/json replaces.
func surrogate(text []byte) bool {
	return bytes.Contains(text, []byte(`\ud`)) || bytes.Contains(text, []byte(`\uD`))
}

// stringEnd gives the index of the quote that ends a string.
func stringEnd(text []byte) int {
	for at := 0; ; at++ {
		quote := bytes.IndexByte(text[at:], '"')
		if quote < 0 {
			return len(text) // not in JSON
		}
		at += quote
		slashes := 0
		for at-slashes > 0 && text[at-slashes-1] == '\\' {
			slashes++
		}
		if slashes%2 == 0 {
			return at
		}
	}
}

// lengthen puts the long texts back. It reports whether each had a place.
func (e *Event) lengthen(long [][]byte) bool {
	left := len(long)
	text := func(s *string) {
		if i, ok := longIndex(*s, len(long)); ok {
			*s = string(jsonscan.Unescape(make([]byte, 0, len(long[i])), long[i]))
			left--
		}
	}
	raw := func(value *json.RawMessage) {
		for i, t := range long {
			place := []byte(`"\u0001long ` + strconv.Itoa(i) + `"`)
			if before, after, ok := bytes.Cut(*value, place); ok {
				whole := make([]byte, 0, len(*value)+len(t))
				whole = append(append(append(append(whole, before...), '"'), t...), '"')
				*value = append(whole, after...)
				left--
			}
		}
	}
	text(&e.Text)
	raw(&e.Message)
	if e.Call != nil {
		raw(&e.Call.Args)
	}
	if e.Result != nil {
		text(&e.Result.Text)
		raw(&e.Result.Detail)
	}
	return left == 0
}

func longIndex(s string, n int) (int, bool) {
	if len(s) <= len(mark) || s[:len(mark)] != mark {
		return 0, false
	}
	i, err := strconv.Atoi(s[len(mark):])
	return i, err == nil && i >= 0 && i < n
}
