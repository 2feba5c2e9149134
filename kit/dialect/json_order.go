package dialect

// Models and their templates write JSON in a certain order, with certain blanks, and with line breaks inside strings.

import (
	"bytes"
	"encoding/json"
	"sort"
	"strings"

	"rein/internal/jsontext"
)

// spacedJSON returns JSON on one line with a blank after each comma and colon, as Python writes it and as the families' own
// templates do. What is no JSON stays as it is.
func spacedJSON(raw []byte) []byte {
	var flat bytes.Buffer
	if json.Compact(&flat, raw) != nil {
		return raw
	}
	out := make([]byte, 0, flat.Len()+flat.Len()/8)
	inString, escaped := false, false
	for _, c := range flat.Bytes() {
		out = append(out, c)
		switch {
		case escaped:
			escaped = false
		case inString && c == '\\':
			escaped = true
		case c == '"':
			inString = !inString
		case !inString && (c == ',' || c == ':'):
			out = append(out, ' ')
		}
	}
	return out
}

// indentedJSON returns JSON on many lines, four blanks for each level.
func indentedJSON(raw []byte) []byte {
	var out bytes.Buffer
	if json.Indent(&out, bytes.TrimSpace(raw), "", "    ") != nil {
		return raw
	}
	return out.Bytes()
}

// sortedJSON returns compact JSON with the members of each object in order of their names.
func sortedJSON(raw []byte) []byte {
	raw = bytes.TrimSpace(raw)
	if len(raw) == 0 {
		return raw
	}
	switch raw[0] {
	case '{':
		out := []byte{'{'}
		for i, m := range sortMembers(objectMembers(raw)) {
			if i > 0 {
				out = append(out, ',')
			}
			out = append(append(append(out, quoteJSON(m.Key)...), ':'), sortedJSON(m.Value)...)
		}
		return append(out, '}')
	case '[':
		out := []byte{'['}
		for i, item := range arrayItems(raw) {
			if i > 0 {
				out = append(out, ',')
			}
			out = append(out, sortedJSON(item)...)
		}
		return append(out, ']')
	}
	return raw
}

// sortMembers puts members in order of their names.
func sortMembers(members []jsonMember) []jsonMember {
	sort.SliceStable(members, func(i, j int) bool { return members[i].Key < members[j].Key })
	return members
}

// objectMembers returns the members of a JSON object in the order in which they were written. The values are parts of object.
func objectMembers(object json.RawMessage) []jsonMember {
	var members []jsonMember
	var s jsontext.Scan
	s.Reset(object)
	for key := range s.Fields() {
		if value := s.Raw(); value != nil {
			members = append(members, jsonMember{string(key), value})
		}
	}
	return members
}

// arrayItems returns the items of a JSON array, which are parts of it.
func arrayItems(array json.RawMessage) []json.RawMessage {
	var items []json.RawMessage
	var s jsontext.Scan
	s.Reset(array)
	for range s.Items() {
		if item := s.Raw(); item != nil {
			items = append(items, item)
		}
	}
	return items
}

// plainText returns a JSON string's text, or any other JSON as it is.
func plainText(value json.RawMessage) (string, bool) {
	var s string
	if len(value) > 0 && value[0] == '"' && json.Unmarshal(value, &s) == nil {
		return s, true
	}
	return string(value), false
}

// quoteJSON returns s as a JSON string.
func quoteJSON(s string) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(strings.ToValidUTF8(s, "\uFFFD"))
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}

// jsonMember is one member of an object; its value is JSON.
type jsonMember struct {
	Key   string
	Value []byte
}

// cleanJSON returns raw as strict JSON: line breaks and tabs inside strings are escaped. It returns nil when raw is no JSON.
func cleanJSON(raw []byte) []byte {
	if jsontext.Valid(raw) {
		return raw
	}
	var out bytes.Buffer
	inside := false
	for i := 0; i < len(raw); i++ {
		c := raw[i]
		switch {
		case c == '\\' && inside && i+1 < len(raw):
			out.WriteByte(c)
			i++
			c = raw[i]
		case c == '"':
			inside = !inside
		case inside && c < 0x20:
			quoted, _ := json.Marshal(string(c))
			out.Write(quoted[1 : len(quoted)-1])
			continue
		}
		out.WriteByte(c)
	}
	if !jsontext.Valid(out.Bytes()) {
		return nil
	}
	return out.Bytes()
}
