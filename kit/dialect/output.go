package dialect

// The files output_… read the output of a model while it arrives: bytes, JSON values and Python literals.

import "bytes"

// modelOutput is the model's output as it arrives, for a reader. It waits by itself when more bytes are needed, so that
// no reader can know how the output was cut. Positions are indexes into buf and hold until Rest is called.
type modelOutput struct {
	Buf  []byte // the part of room that is still of use
	Room []byte // where buf lies, from its beginning
	Held int    // where the region begins that a reader may still give back
	Max  int    // bytes that a held region may have
	EOF  bool
	Over bool // the held region grew too long: reads as an end
	Wait func() ([]byte, bool)
}

// More waits for the next piece; false at the end of the output or of what may be held.
func (s *modelOutput) More() bool {
	if s.EOF || s.Over {
		return false
	}
	if len(s.Buf)-s.Held > s.Max {
		s.Over = true
		return false
	}
	piece, ok := s.Wait()
	if !ok {
		s.EOF = true
		return false
	}
	s.add(piece)
	return true
}

// add appends a piece. What is of use moves to the beginning of the room only when its end is reached, so that forgetting
// costs nothing for each mark; a room that was needed for a long call is given back.
func (s *modelOutput) add(piece []byte) {
	n := len(s.Buf) + len(piece)
	if n > cap(s.Buf) {
		if n > cap(s.Room) || cap(s.Room) > 1<<20 && n < 1<<17 {
			s.Room = make([]byte, 0, max(n+n/2, 1<<12))
		}
		moved := copy(s.Room[:cap(s.Room)], s.Buf)
		s.Buf = s.Room[:moved]
	}
	s.Buf = append(s.Buf, piece...)
}

// Rest forgets everything before position i, which becomes position 0.
func (s *modelOutput) Rest(i int) {
	s.Buf = s.Buf[i:]
	s.Held = 0
}

// At returns the byte at position i, and false beyond the end.
func (s *modelOutput) At(i int) (byte, bool) {
	for i >= len(s.Buf) {
		if !s.More() {
			return 0, false
		}
	}
	return s.Buf[i], true
}

// Has reports whether lit is at position i.
func (s *modelOutput) Has(i int, lit string) bool {
	for j := range len(lit) {
		if c, ok := s.At(i + j); !ok || c != lit[j] {
			return false
		}
	}
	return true
}

// Any returns the longest of lits that is at position i, "" for none.
func (s *modelOutput) Any(i int, lits []string) string {
	best := ""
	for _, lit := range lits {
		if len(lit) > len(best) && s.Has(i, lit) {
			best = lit
		}
	}
	return best
}

// Find returns the first position from i on where one of lits is, and which; -1 when there is none.
func (s *modelOutput) Find(i int, lits []string) (int, string) {
	var first [256]bool
	one := lits[0][0]
	for _, lit := range lits {
		first[lit[0]] = true
		if lit[0] != one {
			one = 0
		}
	}
	for {
		i = s.SkipTo(i, one, &first)
		if _, ok := s.At(i); !ok {
			return -1, ""
		}
		if lit := s.Any(i, lits); lit != "" {
			return i, lit
		}
		i++
	}
}

// SkipTo returns the first position from i on that holds one of the bytes, or the end of what is there.
func (s *modelOutput) SkipTo(i int, one byte, first *[256]bool) int {
	if i >= len(s.Buf) {
		return i
	}
	if one != 0 {
		if n := bytes.IndexByte(s.Buf[i:], one); n >= 0 {
			return i + n
		}
		return len(s.Buf)
	}
	for i < len(s.Buf) && !first[s.Buf[i]] {
		i++
	}
	return i
}

// Blank returns the first position from i on that is no white space.
func (s *modelOutput) Blank(i int) int {
	for {
		c, ok := s.At(i)
		if !ok || !isBlank(c) {
			return i
		}
		i++
	}
}

// Skip returns the position after blanks and any of the tokens.
func (s *modelOutput) Skip(i int, tokens []string) int {
	for {
		i = s.Blank(i)
		lit := s.Any(i, tokens)
		if lit == "" {
			return i
		}
		i += len(lit)
	}
}

// isBlank reports whether a byte is white space.
func isBlank(c byte) bool { return c == ' ' || c == '\n' || c == '\t' || c == '\r' }
