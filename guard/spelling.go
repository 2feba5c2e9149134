package guard

import (
	"cmp"
	"slices"
	"strings"
)

// spelling spells JSON as Canonical does, in one pass, where all of it is usual: texts of plain ASCII, and no key twice. Its methods report
// false where something is not. Every call takes this way several times; what is unusual takes the slow one.
type spelling struct {
	in  string // valid JSON
	out []byte
}

// member is a key and where it and its value are in out.
type member struct {
	key      string
	from, to int
}

func (s *spelling) value() bool {
	switch s.next() {
	case '{':
		return s.object()
	case '[':
		return s.array()
	case '"':
		return s.text(true)
	}
	n := strings.IndexAny(s.in, " \t\r\n,]}")
	if n < 0 {
		n = len(s.in)
	}
	s.take(n)
	return true
}

// next skips blanks and gives the byte that follows; there is one.
func (s *spelling) next() byte {
	s.in = strings.TrimLeft(s.in, " \t\r\n")
	return s.in[0]
}

// take moves the next n bytes to out.
func (s *spelling) take(n int) {
	s.out = append(s.out, s.in[:n]...)
	s.in = s.in[n:]
}

func (s *spelling) array() bool {
	for s.take(1); s.next() != ']'; {
		if s.next() == ',' {
			s.take(1)
		}
		if !s.value() {
			return false
		}
	}
	s.take(1)
	return true
}

func (s *spelling) object() bool {
	s.take(1)
	start := len(s.out)
	var members []member
	for s.next() != '}' {
		if s.next() == ',' {
			s.in = s.in[1:]
			s.next()
		}
		m := member{from: len(s.out)}
		if !s.text(false) {
			return false
		}
		m.key = string(s.out[m.from+1 : len(s.out)-1])
		s.next()
		s.take(1)
		if !s.value() {
			return false
		}
		m.to = len(s.out)
		members = append(members, m)
	}
	ok := s.order(start, members)
	s.take(1)
	return ok
}

// order puts the members of the object that begins at start in the order of their keys.
func (s *spelling) order(start int, members []member) bool {
	slices.SortFunc(members, func(a, b member) int { return cmp.Compare(a.key, b.key) })
	was := string(s.out[start:])
	s.out = s.out[:start]
	for i, m := range members {
		if i > 0 {
			if m.key == members[i-1].key {
				return false
			}
			s.out = append(s.out, ',')
		}
		s.out = append(s.out, was[m.from-start:m.to-start]...)
	}
	return true
}

// text takes a text that encoding/json spells as it is.
func (s *spelling) text(escapes bool) bool {
	for i := 1; ; i++ {
		switch b := s.in[i]; {
		case b == '"':
			s.take(i + 1)
			return true
		case b == '\\' && escapes && strings.IndexByte(`"\nrt`, s.in[i+1]) >= 0:
			i++
		case b < ' ' || b > '~' || strings.IndexByte(`\<>&`, b) >= 0:
			return false
		}
	}
}
