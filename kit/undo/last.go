package undo

import (
	"context"
)

// Replaced is what a call replaced in one file. Nil means that there was no file.
type Replaced struct{ Before, After []byte }

// LastOf finds the last change of a file's content that calls made and nobody took back; ok is false if there is none. A
// call of the tool takes back the change before it: it is how a model undoes a change of one file.
func (s *Store) LastOf(ctx context.Context, f Filter, tool string) (last Replaced, ok bool, err error) {
	release, err := s.hold(ctx)
	if err != nil {
		return last, false, err
	}
	defer release()
	taken := map[uint64]bool{}
	for _, st := range s.steps() {
		if st.Undone || st.Undo {
			taken[st.N] = true
		}
	}
	open := 0 // calls of the tool whose change was not found yet
	for i := len(s.log.records) - 1; i >= 0; i-- {
		r := s.log.records[i]
		if r.Kind != changed || len(r.Of) == 0 || taken[r.Of[0]] {
			continue
		}
		by := s.callOf(r.Of[0])
		if by == nil || f.Session != "" && by.Session != f.Session {
			continue
		}
		for _, c := range r.changes {
			if c.Path != f.Path || sameContent(c) {
				continue
			}
			switch {
			case by.Tool == tool:
				open++
			case open > 0:
				open--
			default:
				last, err = s.replaced(c)
				return last, err == nil, err
			}
		}
	}
	return last, false, nil
}

// callOf returns the call of a step; nil when it was forgotten.
func (s *Store) callOf(n uint64) *Call {
	for _, r := range s.log.records {
		if r.N == n && r.Kind == began {
			return r.Call
		}
	}
	return nil
}

// sameContent reports whether a change left the content of a file as it was.
func sameContent(c treeChange) bool {
	b, a := stateOf(c.Before), stateOf(c.After)
	return b.exists == a.exists && b.Sum == a.Sum && b.Size == a.Size || b.exists && !b.Mode.IsRegular() || a.exists && !a.Mode.IsRegular()
}

// replaced reads the contents of a change.
func (s *Store) replaced(c treeChange) (both Replaced, err error) {
	for i, n := range []*treeNode{c.Before, c.After} {
		if n == nil {
			continue
		}
		data, err := s.content.Read(n.Sum)
		if err != nil {
			return both, err
		}
		if data == nil {
			data = []byte{}
		}
		if i == 0 {
			both.Before = data
		} else {
			both.After = data
		}
	}
	return both, nil
}
