package schema

import (
	"rein/internal/jsontext"
)

// fastDepth bounds the recursion of the fast path; deeper arguments take the slow path.
const fastDepth = 64

// scan walks arguments and proves, where it can, that they are strict JSON that fits the everyday subset. A false from
// any of its methods means "not proven", never "wrong": the validator then decides.
type scan struct {
	jsontext.Cursor
	depth int
}

// proves reports whether raw is certainly an object that is valid against n, to be used exactly as it is.
func (n *node) proves(raw []byte) bool {
	s := scan{Cursor: jsontext.Cursor{In: raw}}
	s.Space()
	if s.Next() != '{' || !s.value(n) {
		return false
	}
	s.Space()
	return s.At == len(s.In)
}

func (s *scan) value(n *node) bool {
	if n.opaque {
		return false
	}
	switch s.Next() {
	case '{':
		return n.may(isObject) && n.enum == nil && s.object(n)
	case '[':
		return n.may(isArray) && n.enum == nil && s.array(n)
	case '"':
		return n.may(isString) && s.text(n)
	case 't':
		return n.may(isBoolean) && s.Word("true") && n.allows('t', "")
	case 'f':
		return n.may(isBoolean) && s.Word("false") && n.allows('f', "")
	case 'n':
		return n.may(isNull) && s.Word("null") && n.allows('n', "")
	}
	return n.may(isInteger|isNumber) && s.number(n)
}

func (n *node) may(k kinds) bool { return n.types == 0 || n.types&k != 0 }

// allows reports whether a scalar is among the enum's values, if there is an enum.
func (n *node) allows(kind byte, text string) bool {
	if n.enum == nil {
		return true
	}
	for _, e := range n.enum {
		if byte(e.Kind) == kind && e.Text == text {
			return true
		}
	}
	return false
}

func (s *scan) object(n *node) bool {
	if s.depth++; s.depth > fastDepth {
		return false
	}
	s.At++
	var seen uint64
	s.Space()
	if s.Next() == '}' {
		s.At++
		s.depth--
		return n.required == 0
	}
	for {
		s.Space()
		if !s.member(n, &seen) {
			return false
		}
		s.Space()
		if s.Take(',') {
			continue
		}
		s.depth--
		return s.Take('}') && seen&n.required == n.required
	}
}

// member proves one member whose name is declared and comes for the first time.
func (s *scan) member(n *node, seen *uint64) bool {
	start := s.At + 1
	if escaped, ok := s.StrictText(); !ok || escaped {
		return false
	}
	i := n.lookup(string(s.In[start : s.At-1]))
	if i < 0 || *seen&(1<<i) != 0 {
		return false
	}
	*seen |= 1 << i
	s.Space()
	if !s.Take(':') {
		return false
	}
	s.Space()
	return s.value(n.properties[i].node)
}

var anything = &node{length: bounds{0, -1}, count: bounds{0, -1}}

func (s *scan) array(n *node) bool {
	if s.depth++; s.depth > fastDepth {
		return false
	}
	s.At++
	items := n.items
	if items == nil {
		items = anything
	}
	count := 0
	s.Space()
	if !s.Take(']') {
		for {
			s.Space()
			if !s.value(items) {
				return false
			}
			count++
			s.Space()
			if s.Take(',') {
				continue
			}
			if !s.Take(']') {
				return false
			}
			break
		}
	}
	s.depth--
	return count >= n.count.low && (n.count.high < 0 || count <= n.count.high)
}
