package gemini

import (
	"encoding/json"
	"strconv"
	"strings"

	"rein/internal/jsontext"
)

// partial is a call whose arguments come in pieces: each names a place by a path such as $.files[0].text.
type partial struct {
	call int
	root node
}

// piece of arguments as the protocol sends it. Numbers stay as they are written.
type argPiece struct {
	Path   string          `json:"jsonPath"`
	Text   *string         `json:"stringValue"`
	Number json.RawMessage `json:"numberValue"`
	Bool   json.RawMessage `json:"boolValue"`
	Null   json.RawMessage `json:"nullValue"`
}

func (p *partial) add(raw []byte) {
	var pieces []argPiece
	if json.Unmarshal(raw, &pieces) != nil {
		return
	}
	for _, piece := range pieces {
		n := p.root.at(path(piece.Path))
		switch {
		case n == nil:
		case piece.Text != nil:
			n.kind = 's'
			n.text.WriteString(*piece.Text)
		case piece.Number != nil:
			n.kind, n.literal = 'l', string(piece.Number)
		case piece.Bool != nil:
			n.kind, n.literal = 'l', string(piece.Bool)
		case piece.Null != nil:
			n.kind, n.literal = 'l', "null"
		}
	}
}

// node is a value that grows. The zero node is an empty object.
type node struct {
	kind    byte // 0 object, 'a' array, 's' string, 'l' literal
	keys    []string
	items   []*node // of the keys, or of the array
	text    strings.Builder
	literal string
}

// step is a key, or an index when key is empty.
type step struct {
	key   string
	index int
}

// maxIndex bounds how long a list a path may ask for.
const maxIndex = 10000

// path reads $.a[0]['b c'].d. What it cannot read ends it.
func path(s string) []step {
	var steps []step
	s = strings.TrimPrefix(s, "$")
	for s != "" {
		if inner, ok := strings.CutPrefix(s, "["); ok {
			name, rest, _ := strings.Cut(inner, "]")
			if i, err := strconv.Atoi(name); err == nil {
				steps = append(steps, step{index: i})
			} else {
				steps = append(steps, step{key: strings.Trim(name, `'"`)})
			}
			s = rest
			continue
		}
		s = strings.TrimPrefix(s, ".")
		end := strings.IndexAny(s, ".[")
		if end < 0 {
			end = len(s)
		}
		if end == 0 {
			return steps
		}
		steps = append(steps, step{key: s[:end]})
		s = s[end:]
	}
	return steps
}

// at returns the node at a place and makes what is missing on the way; nil for the root itself and for an absurd place.
func (n *node) at(steps []step) *node {
	if len(steps) == 0 {
		return nil
	}
	for _, s := range steps {
		switch {
		case s.key != "":
			n = n.field(s.key)
		case s.index < 0 || s.index > maxIndex:
			return nil
		default:
			n.kind = 'a'
			for len(n.items) <= s.index {
				n.items = append(n.items, &node{})
			}
			n = n.items[s.index]
		}
	}
	return n
}

func (n *node) field(key string) *node {
	for i, k := range n.keys {
		if k == key {
			return n.items[i]
		}
	}
	n.kind = 0
	n.items = append(n.items[:len(n.keys)], &node{})
	n.keys = append(n.keys, key)
	return n.items[len(n.keys)-1]
}

func (n *node) append(out []byte) []byte {
	switch n.kind {
	case 's':
		return jsontext.AppendString(out, n.text.String())
	case 'l':
		return append(out, n.literal...)
	case 'a':
		out = append(out, '[')
		for _, item := range n.items {
			out = item.append(jsontext.AppendComma(out))
		}
		return append(out, ']')
	}
	out = append(out, '{')
	for i, key := range n.keys {
		out = jsontext.AppendString(jsontext.AppendComma(out), key)
		out = n.items[i].append(append(out, ':'))
	}
	return append(out, '}')
}
