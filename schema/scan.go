package schema

import ()

// fastDepth bounds the recursion of the fast path; deeper arguments take the long way.
const fastDepth = 64

// scan walks arguments and proves, where it can, that they are strict JSON that fits the everyday subset. A false from
// any of its methods means "not proven", never "wrong": the full validator then decides.
type scan struct {
	src   []byte
	pos   int
	depth int
}

// proves tells whether raw is certainly an object that is valid against n, to be used exactly as it stands.
func (n *node) proves(raw []byte) bool {
	s := scan{src: raw}
	s.space()
	if s.next() != '{' || !s.value(n) {
		return false
	}
	s.space()
	return s.pos == len(s.src)
}

func (s *scan) space() {
	for s.pos < len(s.src) {
		switch s.src[s.pos] {
		case ' ', '\t', '\n', '\r':
			s.pos++
		default:
			return
		}
	}
}

// next returns the byte at hand, or 0 at the end.
func (s *scan) next() byte {
	if s.pos < len(s.src) {
		return s.src[s.pos]
	}
	return 0
}

func (s *scan) take(b byte) bool {
	if s.next() != b {
		return false
	}
	s.pos++
	return true
}

func (s *scan) value(n *node) bool {
	if n.opaque {
		return false
	}
	switch s.next() {
	case '{':
		return n.may(isObject) && n.enum == nil && s.object(n)
	case '[':
		return n.may(isArray) && n.enum == nil && s.array(n)
	case '"':
		return n.may(isString) && s.text(n)
	case 't':
		return n.may(isBoolean) && s.word("true") && n.allows('t', "")
	case 'f':
		return n.may(isBoolean) && s.word("false") && n.allows('f', "")
	case 'n':
		return n.may(isNull) && s.word("null") && n.allows('n', "")
	}
	return n.may(isInteger|isNumber) && s.number(n)
}

func (n *node) may(k kinds) bool { return n.types == 0 || n.types&k != 0 }

// allows tells whether a scalar is among the enum's values, if there is an enum.
func (n *node) allows(kind byte, text string) bool {
	if n.enum == nil {
		return true
	}
	for _, e := range n.enum {
		if byte(e.kind) == kind && e.text == text {
			return true
		}
	}
	return false
}

func (s *scan) word(w string) bool {
	if len(s.src)-s.pos < len(w) || string(s.src[s.pos:s.pos+len(w)]) != w {
		return false
	}
	s.pos += len(w)
	return true
}

func (s *scan) object(n *node) bool {
	if s.depth++; s.depth > fastDepth {
		return false
	}
	s.pos++
	var seen uint64
	s.space()
	if s.next() == '}' {
		s.pos++
		s.depth--
		return n.required == 0
	}
	for {
		s.space()
		if !s.member(n, &seen) {
			return false
		}
		s.space()
		if s.take(',') {
			continue
		}
		s.depth--
		return s.take('}') && seen&n.required == n.required
	}
}

// member proves one member whose name is declared and comes for the first time.
func (s *scan) member(n *node, seen *uint64) bool {
	start := s.pos + 1
	if plain, ok := s.quoted(); !ok || !plain {
		return false
	}
	i := n.lookup(string(s.src[start : s.pos-1]))
	if i < 0 || *seen&(1<<i) != 0 {
		return false
	}
	*seen |= 1 << i
	s.space()
	if !s.take(':') {
		return false
	}
	s.space()
	return s.value(n.properties[i].node)
}

var anything = &node{length: bounds{0, -1}, count: bounds{0, -1}}

func (s *scan) array(n *node) bool {
	if s.depth++; s.depth > fastDepth {
		return false
	}
	s.pos++
	items := n.items
	if items == nil {
		items = anything
	}
	count := 0
	s.space()
	if !s.take(']') {
		for {
			s.space()
			if !s.value(items) {
				return false
			}
			count++
			s.space()
			if s.take(',') {
				continue
			}
			if !s.take(']') {
				return false
			}
			break
		}
	}
	s.depth--
	return count >= n.count.low && (n.count.high < 0 || count <= n.count.high)
}
