package repair

import "bytes"

// fewNames is how many names are compared one by one before a map takes over.
const fewNames = 12

// nameSet remembers the names of one object, still in their JSON spelling without the quotes.
type nameSet struct {
	few  [fewNames][]byte
	n    int
	many map[string]struct{}
}

// add remembers a name and tells whether it is new.
func (s *nameSet) add(name []byte) bool {
	if bytes.IndexByte(name, '\\') >= 0 {
		name = decoded(name)
	}
	if s.many != nil {
		if _, ok := s.many[string(name)]; ok {
			return false
		}
		s.many[string(name)] = struct{}{}
		return true
	}
	for _, known := range s.few[:s.n] {
		if bytes.Equal(known, name) {
			return false
		}
	}
	if s.n < fewNames {
		s.few[s.n] = name
		s.n++
		return true
	}
	s.many = make(map[string]struct{}, 2*fewNames)
	for _, known := range s.few {
		s.many[string(known)] = struct{}{}
	}
	s.many[string(name)] = struct{}{}
	return true
}
