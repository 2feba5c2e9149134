package index

import (
	"encoding/json"
	"strings"
	"unicode"
	"unicode/utf8"

	"rein/event"
)

// How much of a text is searched, in bytes.
const (
	mostText   = 32 << 10 // of a message
	mostArgs   = 4 << 10  // of the arguments of a call
	mostResult = 4 << 10  // of a result
)

// textOf gives the text of an event that is searched, and what kind of text it is; "" for other events.
func textOf(e *event.Event) (kind, text string) {
	switch {
	case e.Kind == event.Prompted:
		return "user", cut(e.Text, mostText)
	case e.Kind == event.Responded:
		return "model", cut(e.Text, mostText)
	case e.Kind == event.Called && e.Call != nil:
		return "call", e.Call.Name + " " + cut(strings.Join(words(e.Call.Args), " "), mostArgs)
	case e.Kind == event.Replied && e.Result != nil:
		return "result", cut(e.Result.Text, mostResult)
	}
	return "", ""
}

// words gives the texts and numbers of a value of JSON, in order.
func words(value json.RawMessage) (all []string) {
	dec := json.NewDecoder(strings.NewReader(string(value)))
	dec.UseNumber()
	for {
		t, err := dec.Token()
		if err != nil {
			return all
		}
		switch v := t.(type) {
		case string:
			all = append(all, v)
		case json.Number:
			all = append(all, v.String())
		}
	}
}

func cut(text string, most int) string {
	if len(text) <= most {
		return text
	}
	for most > 0 && !utf8.RuneStart(text[most]) {
		most--
	}
	return text[:most]
}

// apart puts a space between the characters of scripts that write words without spaces, so that each is a word. joined
// takes them out again. Control characters become spaces.
func apart(text string) string {
	text = strings.Map(func(r rune) rune {
		if r < ' ' && r != '\n' {
			return ' '
		}
		return r
	}, text)
	if ascii(text) {
		return text
	}
	var b strings.Builder
	b.Grow(len(text) + len(text)/4)
	last := false
	for _, r := range text {
		now := unspaced(r)
		if now && last {
			b.WriteByte(' ')
		}
		b.WriteRune(r)
		last = now
	}
	return b.String()
}

func joined(text string) string {
	if ascii(text) {
		return text
	}
	runes := []rune(text)
	var b strings.Builder
	for i, r := range runes {
		if r == ' ' && i > 0 && i+1 < len(runes) && unspacedNear(runes, i, -1) && unspacedNear(runes, i, 1) {
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}

// unspacedNear reports whether the next character on that side, marks left out, is of such a script.
func unspacedNear(runes []rune, i, step int) bool {
	for i += step; i >= 0 && i < len(runes); i += step {
		if r := runes[i]; r != begin && r != end {
			return unspaced(r)
		}
	}
	return false
}

func unspaced(r rune) bool {
	return r >= 0x0e00 && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar)
}

func ascii(text string) bool {
	for i := range len(text) {
		if text[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// searchable reports whether the search engine takes a character as part of a word.
func searchable(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.Is(unicode.Co, r)
}
