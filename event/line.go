package event

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"

	"rein/internal/jsontext"
)

// Line appends the event to dst as one line of JSON with its line break. The result is what encoding/json makes of it,
// except for the order of the fields. A message and a call's arguments may be long and are JSON already: Line checks and
// copies them, and does not decode them. An error means that one of them is no JSON; dst is then unchanged.
func (e *Event) Line(dst []byte) ([]byte, error) {
	short, args := e.without()
	out := (*lines)(&dst)
	start := len(dst)
	enc := json.NewEncoder(out)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(short); err != nil {
		return dst[:start], err
	}
	if args != nil {
		if err := out.splice(start, args); err != nil {
			return dst[:start], err
		}
	}
	if len(e.Message) > 0 {
		dst = append(dst[:len(dst)-len("}\n")], `,"message":`...)
		var err error
		if dst, err = raw(dst, e.Message); err != nil {
			return dst[:start], err
		}
		dst = append(dst, "}\n"...)
	}
	return dst, nil
}

// without returns the event without its message and arguments, which are JSON already.
func (e *Event) without() (short *Event, args json.RawMessage) {
	c := *e
	c.Message = nil
	if e.Call != nil && e.Call.Args != nil {
		call := *e.Call
		call.Args = nil
		c.Call, args = &call, e.Call.Args
	}
	return &c, args
}

type lines []byte

func (l *lines) Write(b []byte) (int, error) {
	*l = append(*l, b...)
	return len(b), nil
}

// splice replaces the null of "args" in the line from start by the arguments. A string of JSON has no bare quote in it, so the
// first match is the right one.
func (l *lines) splice(start int, args json.RawMessage) error {
	const none = `"args":null`
	at := start + bytes.Index((*l)[start:], []byte(none)) + len(none) - len("null")
	after := slices.Clone((*l)[at+len("null"):])
	b, err := raw((*l)[:at], args)
	*l = append(b, after...)
	return err
}

// raw appends JSON in one line.
func raw(dst []byte, value json.RawMessage) ([]byte, error) {
	if !jsontext.Valid(value) {
		return dst, errors.New("a message or arguments that are no JSON")
	}
	if bytes.IndexByte(value, '\n') < 0 && bytes.IndexByte(value, '\r') < 0 {
		return append(dst, value...), nil
	}
	var b bytes.Buffer
	if err := json.Compact(&b, value); err != nil {
		return dst, err
	}
	return append(dst, b.Bytes()...), nil
}
