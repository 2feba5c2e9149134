package schema

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/url"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

const (
	maxDepth    = 500 // nested values in arguments or in a schema
	maxExponent = 400 // a number like 1e999999999 would fill the memory of whoever computes with it
)

// Value is one JSON value with the order of its members and the spelling of its numbers kept.
type Value struct {
	Kind    jsontext.Kind // n t f " 0 { [
	Text    string        // what a string says, or how a number is spelt
	Members []member
	Items   []*Value
}

// member is one member of an object.
type member struct {
	Name  string
	Value *Value
}

// parse reads exactly one JSON value, strictly: no duplicate names, no invalid UTF-8, nothing behind it.
func parse(raw []byte) (*Value, error) {
	d := jsontext.NewDecoder(bytes.NewReader(raw))
	v, err := read(d, 0)
	if err != nil {
		return nil, plain(err)
	}
	if _, err := d.ReadToken(); !errors.Is(err, io.EOF) {
		return nil, errors.New("more than one JSON value")
	}
	return v, nil
}

// plain gives an error of the decoder without the words of its library.
func plain(err error) error {
	return errors.New(strings.NewReplacer("jsontext: ", "", "unexpected EOF", "the JSON ends too early").Replace(err.Error()))
}

func read(d *jsontext.Decoder, depth int) (*Value, error) {
	if depth > maxDepth {
		return nil, fmt.Errorf("nested deeper than %d", maxDepth)
	}
	switch d.PeekKind() {
	case '{':
		return readObject(d, depth)
	case '[':
		return readArray(d, depth)
	}
	token, err := d.ReadToken()
	if err != nil {
		return nil, err
	}
	v := &Value{Kind: token.Kind()}
	switch v.Kind {
	case '"':
		v.Text = token.String()
	case '0':
		v.Text = token.String()
		if !isBoundedNumber(v.Text) {
			return nil, fmt.Errorf("number %.20s… is out of range", v.Text)
		}
	}
	return v, nil
}

func readObject(d *jsontext.Decoder, depth int) (*Value, error) {
	if _, err := d.ReadToken(); err != nil {
		return nil, err
	}
	v := &Value{Kind: '{'}
	for d.PeekKind() != '}' {
		name, err := d.ReadToken()
		if err != nil {
			return nil, err
		}
		key := name.String()
		item, err := read(d, depth+1)
		if err != nil {
			return nil, err
		}
		v.Members = append(v.Members, member{key, item})
	}
	_, err := d.ReadToken()
	return v, err
}

func readArray(d *jsontext.Decoder, depth int) (*Value, error) {
	if _, err := d.ReadToken(); err != nil {
		return nil, err
	}
	v := &Value{Kind: '['}
	for d.PeekKind() != ']' {
		item, err := read(d, depth+1)
		if err != nil {
			return nil, err
		}
		v.Items = append(v.Items, item)
	}
	_, err := d.ReadToken()
	return v, err
}

// isBoundedNumber reports whether a JSON number can be computed with at a small cost.
func isBoundedNumber(literal string) bool {
	if len(literal) > 1000 {
		return false
	}
	for i := range len(literal) {
		if literal[i] == 'e' || literal[i] == 'E' {
			exponent, err := strconv.Atoi(literal[i+1:])
			return err == nil && exponent <= maxExponent && exponent >= -maxExponent
		}
	}
	return true
}

// Member returns the value under name, or nil.
func (v *Value) Member(name string) *Value {
	if v == nil {
		return nil
	}
	for i := range v.Members {
		if v.Members[i].Name == name {
			return v.Members[i].Value
		}
	}
	return nil
}

// Append writes v as compact JSON, members in their order.
func (v *Value) Append(out []byte) []byte {
	switch v.Kind {
	case 'n':
		return append(out, "null"...)
	case 't':
		return append(out, "true"...)
	case 'f':
		return append(out, "false"...)
	case '0':
		return append(out, v.Text...)
	case '"':
		return appendString(out, v.Text)
	case '[':
		out = append(out, '[')
		for i, item := range v.Items {
			if i > 0 {
				out = append(out, ',')
			}
			out = item.Append(out)
		}
		return append(out, ']')
	}
	out = append(out, '{')
	for i, m := range v.Members {
		if i > 0 {
			out = append(out, ',')
		}
		out = appendString(out, m.Name)
		out = append(out, ':')
		out = m.Value.Append(out)
	}
	return append(out, '}')
}

// appendString quotes s, which is valid UTF-8 because every string here was read from valid JSON.
func appendString(out []byte, s string) []byte {
	out, _ = jsontext.AppendQuote(out, s)
	return out
}

// Equal compares two values as JSON; numbers by their spelling.
func (v *Value) Equal(w *Value) bool {
	if v == nil || w == nil || v.Kind != w.Kind || v.Text != w.Text || len(v.Items) != len(w.Items) || len(v.Members) != len(w.Members) {
		return v == w
	}
	for i := range v.Items {
		if !v.Items[i].Equal(w.Items[i]) {
			return false
		}
	}
	for _, m := range v.Members {
		if other := w.Member(m.Name); other == nil || !m.Value.Equal(other) {
			return false
		}
	}
	return true
}

// resolve finds what a $ref of the document points at: nil for an anchor, an error for anything outside or absent.
func resolve(root *Value, ref string) (*Value, error) {
	fragment, inside := strings.CutPrefix(ref, "#")
	if !inside {
		return nil, fmt.Errorf("$ref %q leaves the schema", ref)
	}
	if fragment != "" && fragment[0] != '/' {
		return nil, nil
	}
	if decoded, err := url.PathUnescape(fragment); err == nil {
		fragment = decoded
	}
	v := root
	for _, step := range strings.Split(fragment, "/")[1:] {
		step = strings.ReplaceAll(strings.ReplaceAll(step, "~1", "/"), "~0", "~")
		var next *Value
		if v.Kind == '[' {
			if i, err := strconv.Atoi(step); err == nil && i >= 0 && i < len(v.Items) {
				next = v.Items[i]
			}
		} else {
			next = v.Member(step)
		}
		if next == nil {
			return nil, fmt.Errorf("$ref %q points at nothing", ref)
		}
		v = next
	}
	return v, nil
}

// Show writes a value for a message: short, and a container by its kind.
func (v *Value) Show() string {
	switch {
	case v == nil:
		return "nothing"
	case v.Kind == '{' || v.Kind == '[':
		return v.KindName()
	case v.Kind == '"':
		short := *v
		short.Text = shorten(v.Text, 60)
		return string(short.Append(nil))
	}
	return shorten(string(v.Append(nil)), 60)
}

// shorten cuts a text at a whole letter.
func shorten(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	for limit > 0 && !utf8.RuneStart(text[limit]) {
		limit--
	}
	return text[:limit] + "…"
}

// Word names a value for a note.
func (v *Value) Word() string {
	switch v.Kind {
	case '{':
		return "the object that it holds"
	case '[':
		return "the list that it holds"
	}
	return string(v.Append(nil))
}

// Without copies an object but for one member.
func (v *Value) Without(name string) *Value {
	c := &Value{Kind: v.Kind, Members: make([]member, 0, len(v.Members))}
	for _, m := range v.Members {
		if m.Name != name {
			c.Members = append(c.Members, m)
		}
	}
	return c
}

// Count reports how many values there are in v.
func (v *Value) Count() int {
	n := 1
	for _, item := range v.Items {
		n += item.Count()
	}
	for _, m := range v.Members {
		n += m.Value.Count()
	}
	return n
}

// At follows a location of names and indices; nil where nothing is.
func (v *Value) At(location []string) *Value {
	for _, step := range location {
		if v == nil {
			return nil
		}
		if v.Kind == '[' {
			i, err := strconv.Atoi(step)
			if err != nil || i >= len(v.Items) {
				return nil
			}
			v = v.Items[i]
			continue
		}
		v = v.Member(step)
	}
	return v
}

// stringValue returns a string value.
func stringValue(s string) *Value { return &Value{Kind: '"', Text: s} }

// stringsValue returns a list of strings.
func stringsValue(list []string) *Value {
	v := &Value{Kind: '['}
	for _, s := range list {
		v.Items = append(v.Items, stringValue(s))
	}
	return v
}
