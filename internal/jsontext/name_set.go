package jsontext

import "bytes"

// fewNames is how many names are compared one by one before a map takes over.
const fewNames = 12

// Names holds where the names of one object are in a text, to find one that comes twice. The zero value is empty.
type Names struct {
	few  [fewNames][2]int // from and to
	n    int
	many map[string]struct{}
}

// Add adds the name text[from:to], which is JSON without the quotes, and reports whether it is new. The names that were
// added before must still be at their place in text.
func (s *Names) Add(text []byte, from, to int) bool {
	name := text[from:to]
	if s.many != nil {
		return s.addMany(name)
	}
	for _, known := range s.few[:s.n] {
		if sameName(text[known[0]:known[1]], name) {
			return false
		}
	}
	if s.n < fewNames {
		s.few[s.n] = [2]int{from, to}
		s.n++
		return true
	}
	s.many = make(map[string]struct{}, 2*fewNames)
	for _, known := range s.few {
		s.addMany(text[known[0]:known[1]])
	}
	return s.addMany(name)
}

func (s *Names) addMany(name []byte) bool {
	if bytes.IndexByte(name, '\\') >= 0 {
		name = Unescape(nil, name)
	}
	if _, ok := s.many[string(name)]; ok {
		return false
	}
	s.many[string(name)] = struct{}{}
	return true
}

func sameName(a, b []byte) bool {
	if bytes.IndexByte(a, '\\') < 0 && bytes.IndexByte(b, '\\') < 0 {
		return bytes.Equal(a, b)
	}
	return bytes.Equal(Unescape(nil, a), Unescape(nil, b))
}
