// Package jsontext reads, repairs and writes JSON as text, where encoding/json would lose order, spelling or speed.
package jsontext

import (
	"errors"
	"fmt"
	"iter"
	"strconv"
)

// maxDepth bounds how deep values may nest.
const maxDepth = 1000

// Scan reads one JSON value from left to right in a single pass, and touches nothing twice: for streams whose every small
// piece comes in an envelope of JSON. It allocates nothing except for strings with escapes, whose buffer it keeps.
//
// It is positioned before a value. Each method that reads moves behind the value; on a fault it does not move,
// returns zero values, and Err returns the fault. What the methods return are windows into the input, or into a buffer that lives
// until Reset.
type Scan struct {
	in      []byte
	at      int
	depth   int
	scratch []byte
	err     error

	end  int  // of the string that was read last
	last Span // of the string that Str read last
}

// Span is where a string is, without its quotes.
type Span struct{ from, to int }

// Last returns where the string is that Str read last.
func (s *Scan) Last() Span { return s.last }

// Reset starts again with this input.
func (s *Scan) Reset(in []byte) {
	s.in, s.at, s.depth, s.err, s.last, s.scratch = in, 0, 0, nil, Span{}, s.scratch[:0]
	s.space()
}

// Err returns the first fault, or nil.
func (s *Scan) Err() error { return s.err }

// End returns the first fault, also that something follows the value.
func (s *Scan) End() error {
	if s.space(); s.err == nil && s.at < len(s.in) {
		s.fail("more after the value")
	}
	return s.err
}

// Kind returns the first byte of the value: { [ " t f n, a digit or a minus; 0 at the end and after a fault.
func (s *Scan) Kind() byte {
	if s.err != nil || s.at >= len(s.in) {
		return 0
	}
	return s.in[s.at]
}

// Fields yields the key of each field of an object and moves to its value; a value that the loop's body leaves is
// skipped. Anything but an object is skipped and has no fields. The loop is not to be left early.
func (s *Scan) Fields() iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		if !s.enter('{') {
			return
		}
		for more := s.first('}'); more; more = s.next('}') {
			key := s.key()
			if s.err != nil {
				return
			}
			before := s.at
			if !yield(key) {
				return
			}
			if s.at == before {
				s.Skip()
			}
		}
	}
}

// Items yields the position of each item of an array and moves to it, as Fields does. Anything but an array is
// skipped and has no items.
func (s *Scan) Items() iter.Seq[int] {
	return func(yield func(int) bool) {
		if !s.enter('[') {
			return
		}
		n := 0
		for more := s.first(']'); more; more = s.next(']') {
			before := s.at
			if !yield(n) {
				return
			}
			if s.at == before {
				s.Skip()
			}
			n++
		}
	}
}

// Skip reads over a value.
func (s *Scan) Skip() {
	switch s.Kind() {
	case '{':
		for range s.Fields() {
		}
	case '[':
		for range s.Items() {
		}
	case '"':
		s.quoted()
	default:
		s.literal()
	}
}

// Raw reads over a value and returns its bytes.
func (s *Scan) Raw() []byte {
	from := s.at
	s.Skip()
	if s.err != nil {
		return nil
	}
	to := s.at
	for to > from && s.in[to-1] <= ' ' {
		to--
	}
	return s.in[from:to]
}

// Int reads a number and cuts its fraction. Anything else is skipped and 0.
func (s *Scan) Int() int {
	raw := s.Raw()
	n, err := strconv.Atoi(string(raw))
	if err != nil {
		f, _ := strconv.ParseFloat(string(raw), 64)
		n = int(f)
	}
	return n
}

// Bool reads a value and reports whether it is true.
func (s *Scan) Bool() bool { return string(s.Raw()) == "true" }

// enter steps into a container; anything else is skipped.
func (s *Scan) enter(open byte) bool {
	if s.Kind() != open {
		if k := s.Kind(); k == '{' || k == '[' || k == '"' {
			s.Skip()
		} else {
			s.literal()
		}
		return false
	}
	if s.depth++; s.depth > maxDepth {
		s.fail("nested too deep")
		return false
	}
	s.at++
	s.space()
	return true
}

// first reports whether the container that was entered holds anything; else it leaves it.
func (s *Scan) first(end byte) bool {
	if s.Kind() == end {
		s.leave()
		return false
	}
	return s.err == nil
}

// next steps to the next field or item, or leaves the container.
func (s *Scan) next(end byte) bool {
	switch s.Kind() {
	case ',':
		s.at++
		s.space()
		return true
	case end:
		s.leave()
		return false
	}
	s.fail("no comma or end")
	return false
}

func (s *Scan) leave() {
	s.depth--
	s.at++
	s.space()
}

func (s *Scan) key() []byte {
	if s.Kind() != '"' {
		s.fail("no key")
		return nil
	}
	key := s.text()
	if s.Kind() != ':' {
		s.fail("no colon")
		return nil
	}
	s.at++
	s.space()
	return key
}

// literal reads a number, true, false or null.
func (s *Scan) literal() {
	from := s.at
	for s.at < len(s.in) && isLiteral[s.in[s.at]] {
		s.at++
	}
	switch word := s.in[from:s.at]; {
	case len(word) == 0:
		s.fail("no value")
	case word[0] == '-' || word[0] >= '0' && word[0] <= '9':
	case string(word) == "true" || string(word) == "false" || string(word) == "null":
	default:
		s.at = from
		s.fail("no value")
	}
	s.space()
}

func (s *Scan) space() {
	if s.at < len(s.in) && s.in[s.at] > ' ' {
		return
	}
	for s.at < len(s.in) {
		switch s.in[s.at] {
		case ' ', '\t', '\r', '\n':
			s.at++
		default:
			return
		}
	}
}

func (s *Scan) fail(what string) {
	if s.err != nil {
		return
	}
	if s.at >= len(s.in) {
		s.err = errors.New("JSON ends early")
		return
	}
	s.err = fmt.Errorf("JSON: %s at byte %d", what, s.at)
}

var isLiteral = func() (set [256]bool) {
	for c := range set {
		set[c] = c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c == '-' || c == '+' || c == '.' || c == 'E'
	}
	return set
}()
