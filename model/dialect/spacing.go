package dialect

import (
	"bytes"
	"encoding/json"
	"sort"
)

// spaced returns JSON on one line with a blank after each comma and colon, as Python writes it and as the families' own
// templates do. What is no JSON stays as it is.
func spaced(raw []byte) []byte {
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

// indented returns JSON on many lines, four blanks for each level.
func indented(raw []byte) []byte {
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
		for i, m := range sorted(ordered(raw)) {
			if i > 0 {
				out = append(out, ',')
			}
			out = append(append(append(out, quote(m.key)...), ':'), sortedJSON(m.value)...)
		}
		return append(out, '}')
	case '[':
		var items []json.RawMessage
		_ = json.Unmarshal(raw, &items)
		out := []byte{'['}
		for i, item := range items {
			if i > 0 {
				out = append(out, ',')
			}
			out = append(out, sortedJSON(item)...)
		}
		return append(out, ']')
	}
	return raw
}

// sorted puts members in order of their names.
func sorted(members []member) []member {
	sort.SliceStable(members, func(i, j int) bool { return members[i].key < members[j].key })
	return members
}
