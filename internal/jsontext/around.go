package jsontext

import (
	"bytes"
	"encoding/json"
	"html"
	"strings"
)

// unwrap undoes encodings of the whole text: an object in a string (twice at most), escaped quotes without the string
// around them, and HTML entities.
func (m *repairer) unwrap(text []byte) ([]byte, error) {
	for range maxUnwrap {
		var inner string
		if text[0] != '"' || !Strict(text) || json.Unmarshal(text, &inner) != nil {
			break
		}
		m.note("decoded the object out of a string")
		if text = bytes.TrimSpace([]byte(inner)); len(text) == 0 {
			return nil, refuse(noObject, 0, "this is an empty string")
		}
	}
	if bytes.HasPrefix(text, []byte(`{\"`)) {
		var inner string
		if json.Unmarshal([]byte(`"`+string(text)+`"`), &inner) == nil && Strict([]byte(inner)) {
			m.note("dropped the backslashes before all quotes")
			return []byte(inner), nil
		}
	}
	if bytes.Contains(text, []byte("&quot;")) && !bytes.Contains(text, []byte(`"`)) {
		if inner := []byte(html.UnescapeString(string(text))); Strict(inner) {
			m.note("decoded HTML entities")
			return inner, nil
		}
	}
	return text, nil
}

var (
	harmless = lazy{text: `^\{[\pL\d_ .,-]*\}`}             // braces in prose: no quote, no colon
	called   = lazy{text: `(^|[\s>])[A-Za-z_][\w.]*\s*\($`} // read_file(
	callEnd  = lazy{text: `^\)\s*;?\s*$`}
	closing  = lazy{text: `^([\s,})\];]*$|[\s})\];]*)`}
)

// find reads the one object in the text and judges what is around it.
func (m *repairer) find(text []byte) ([]byte, error) {
	start := bytes.IndexByte(text, '{')
	for start >= 0 && start > 0 {
		prose := harmless.get().Find(text[start:])
		if prose == nil {
			break
		}
		next := bytes.IndexByte(text[start+len(prose):], '{')
		if next < 0 {
			break
		}
		start += len(prose) + next
	}
	if _, quote := openingQuote(text); quote > 0 && !bytes.HasPrefix(text, []byte("```")) {
		return m.headless(text)
	}
	if start < 0 {
		return nil, refuse(noObject, 0, "there is no object in the text")
	}
	if err := m.before(text[:start]); err != nil {
		return nil, err
	}
	r := newReader(m, text, start)
	if err := r.object(); err != nil {
		return nil, err
	}
	return m.finish(r, start, called.get().Match(text[:start]))
}

// headless reads an object whose opening brace is missing.
func (m *repairer) headless(text []byte) ([]byte, error) {
	r := newReader(m, text, 0)
	m.note("added the missing opening brace")
	if !r.namesMember(r.src) {
		return nil, refuse(noObject, 0, "the text begins with a string")
	}
	if err := r.members(); err != nil {
		return nil, err
	}
	return m.finish(r, 0, false)
}

// before judges the text in front of the object: prose, a fence or a function's name may be there, not other values.
func (m *repairer) before(text []byte) error {
	text = bytes.TrimSpace(text)
	if len(text) == 0 {
		return nil
	}
	last := text[len(text)-1]
	switch {
	case last == '(' && called.get().Match(text):
	case strings.IndexByte("[,(\"'", last) >= 0, bytes.HasSuffix(text, []byte(`":`)), bytes.HasSuffix(text, []byte(`':`)):
		return refuse(ambiguous, len(text), "the object is part of something else")
	}
	m.note("dropped the text before the object")
	return nil
}

// finish judges the text behind the object and whether what was missing at the end may be added.
func (m *repairer) finish(r *reader, start int, inCall bool) ([]byte, error) {
	if r.cut && !m.opts.Reads {
		return nil, r.cutOff("closing brackets are missing")
	}
	rest := bytes.TrimSpace(r.rest())
	if len(rest) == 0 {
		return r.out, nil
	}
	if inCall && !callEnd.get().Match(rest) {
		return nil, refuse(ambiguous, r.pos, "the object is one of several arguments")
	}
	extra := closing.get().Find(rest)
	if len(extra) > 0 {
		m.note("dropped superfluous closing brackets")
	}
	rest = rest[len(extra):]
	if len(rest) == 0 {
		return r.out, nil
	}
	apart := len(extra) > 0 || bytes.HasPrefix(rest, []byte("//")) || rest[0] == '#' || spaceSize(r.rest()) > 0 || endsHere(rest)
	whole := Strict(r.src[start:r.pos])
	if r.inner || !apart || !startsProse(rest) || !whole && bytes.IndexByte(rest, '"') >= 0 {
		return nil, refuse(ambiguous, r.pos, "more JSON follows the object")
	}
	for i := bytes.IndexByte(rest, '{'); i >= 0; {
		prose := harmless.get().Find(rest[i:])
		if prose == nil {
			return nil, refuse(ambiguous, r.pos, "there is more than one object")
		}
		next := bytes.IndexByte(rest[i+len(prose):], '{')
		if next < 0 {
			break
		}
		i += len(prose) + next
	}
	m.note("dropped the text after the object")
	return r.out, nil
}

// startsProse reports whether the text behind an object can be words of the model rather than more JSON.
func startsProse(text []byte) bool {
	_, quote := openingQuote(text)
	return (quote == 0 || endsHere(text)) && strings.IndexByte(",:[+)\\", text[0]) < 0
}
