package sessions

import (
	"encoding/json"
	"strings"
	"unicode"
	"unicode/utf8"

	"rein/app/internal/database"
	"rein/event"
)

// How much of a text is searched, in bytes.
const (
	mostText   = 32 << 10 // of a message
	mostArgs   = 4 << 10  // of the arguments of a call
	mostResult = 4 << 10  // of a result
)

// textOf returns the text of an event that is searched, and what kind of text it is; "" for other events.
func textOf(e *event.Event) (kind, text string) {
	switch {
	case e.Kind == event.Prompted:
		return "user", cut(e.Text, mostText)
	case e.Kind == event.Responded:
		return "model", cut(e.Text, mostText)
	case e.Kind == event.Called && e.Call != nil:
		return "call", e.Call.Name + " " + cut(strings.Join(wordsOf(e.Call.Args), " "), mostArgs)
	case e.Kind == event.Replied && e.Result != nil:
		return "result", cut(e.Result.Text, mostResult)
	}
	return "", ""
}

// wordsOf returns the texts and numbers of a value of JSON, in order.
func wordsOf(value json.RawMessage) (all []string) {
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

// joinSpaced takes the spaces out that plaintext.SpaceApart put in.
func joinSpaced(text string) string {
	if database.IsASCII(text) {
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
			return database.IsUnspaced(r)
		}
	}
	return false
}

// isSearchable reports whether the search engine takes a character as part of a word.
func isSearchable(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.Is(unicode.Co, r)
}
