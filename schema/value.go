package schema

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
)

const (
	maxDepth    = 500 // nested values in arguments or in a schema
	maxExponent = 400 // a number like 1e999999999 would fill the memory of whoever computes with it
)

// value is one JSON value with the order of its members and the spelling of its numbers kept.
type value struct {
	kind    jsontext.Kind // n t f " 0 { [
	text    string        // what a string says, or how a number is spelt
	members []member
	items   []*value
}

type member struct {
	name  string
	value *value
}

// parse reads exactly one JSON value, strictly: no duplicate names, no invalid UTF-8, nothing behind it.
func parse(raw []byte) (*value, error) {
	d := jsontext.NewDecoder(bytes.NewReader(raw))
	v, err := read(d, 0)
	if err != nil {
		return nil, err
	}
	if _, err := d.ReadToken(); !errors.Is(err, io.EOF) {
		return nil, errors.New("more than one JSON value")
	}
	return v, nil
}

func read(d *jsontext.Decoder, depth int) (*value, error) {
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
	v := &value{kind: token.Kind()}
	switch v.kind {
	case '"':
		v.text = token.String()
	case '0':
		v.text = token.String()
		if !boundedNumber(v.text) {
			return nil, fmt.Errorf("number %.20s… is out of range", v.text)
		}
	}
	return v, nil
}

func readObject(d *jsontext.Decoder, depth int) (*value, error) {
	if _, err := d.ReadToken(); err != nil {
		return nil, err
	}
	v := &value{kind: '{'}
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
		v.members = append(v.members, member{key, item})
	}
	_, err := d.ReadToken()
	return v, err
}

func readArray(d *jsontext.Decoder, depth int) (*value, error) {
	if _, err := d.ReadToken(); err != nil {
		return nil, err
	}
	v := &value{kind: '['}
	for d.PeekKind() != ']' {
		item, err := read(d, depth+1)
		if err != nil {
			return nil, err
		}
		v.items = append(v.items, item)
	}
	_, err := d.ReadToken()
	return v, err
}

// boundedNumber reports whether a JSON number can be computed with at a small cost.
func boundedNumber(literal string) bool {
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

// member returns the value under name, or nil.
func (v *value) member(name string) *value {
	if v == nil {
		return nil
	}
	for i := range v.members {
		if v.members[i].name == name {
			return v.members[i].value
		}
	}
	return nil
}

// append writes v as compact JSON, members in their order.
func (v *value) append(out []byte) []byte {
	switch v.kind {
	case 'n':
		return append(out, "null"...)
	case 't':
		return append(out, "true"...)
	case 'f':
		return append(out, "false"...)
	case '0':
		return append(out, v.text...)
	case '"':
		return appendString(out, v.text)
	case '[':
		out = append(out, '[')
		for i, item := range v.items {
			if i > 0 {
				out = append(out, ',')
			}
			out = item.append(out)
		}
		return append(out, ']')
	}
	out = append(out, '{')
	for i, m := range v.members {
		if i > 0 {
			out = append(out, ',')
		}
		out = appendString(out, m.name)
		out = append(out, ':')
		out = m.value.append(out)
	}
	return append(out, '}')
}

// appendString quotes s, which is valid UTF-8 because every string here was read from valid JSON.
func appendString(out []byte, s string) []byte {
	out, _ = jsontext.AppendQuote(out, s)
	return out
}

// equal compares two values as JSON; numbers by their spelling.
func (v *value) equal(w *value) bool {
	if v == nil || w == nil || v.kind != w.kind || v.text != w.text || len(v.items) != len(w.items) || len(v.members) != len(w.members) {
		return v == w
	}
	for i := range v.items {
		if !v.items[i].equal(w.items[i]) {
			return false
		}
	}
	for _, m := range v.members {
		if other := w.member(m.name); other == nil || !m.value.equal(other) {
			return false
		}
	}
	return true
}
