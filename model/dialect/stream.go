package dialect

import "bytes"

// stream is the model's output as it arrives, for a reader. It waits by itself when more bytes are needed, so that
// no reader can know how the output was cut. Positions are indexes into buf and hold until rest is called.
type stream struct {
	buf  []byte // the part of room that is still of use
	room []byte // where buf lies, from its beginning
	held int    // where the region begins that a reader may still give back
	max  int    // bytes that a held region may have
	eof  bool
	over bool // the held region grew too long: reads as an end
	wait func() ([]byte, bool)
}

// more waits for the next piece; false at the end of the output or of what may be held.
func (s *stream) more() bool {
	if s.eof || s.over {
		return false
	}
	if len(s.buf)-s.held > s.max {
		s.over = true
		return false
	}
	piece, ok := s.wait()
	if !ok {
		s.eof = true
		return false
	}
	s.add(piece)
	return true
}

// add appends a piece. What is of use moves to the beginning of the room only when its end is reached, so that forgetting
// costs nothing for each mark; a room that was needed for a long call is given back.
func (s *stream) add(piece []byte) {
	n := len(s.buf) + len(piece)
	if n > cap(s.buf) {
		if n > cap(s.room) || cap(s.room) > 1<<20 && n < 1<<17 {
			s.room = make([]byte, 0, max(n+n/2, 1<<12))
		}
		moved := copy(s.room[:cap(s.room)], s.buf)
		s.buf = s.room[:moved]
	}
	s.buf = append(s.buf, piece...)
}

// rest forgets everything before position i, which becomes position 0.
func (s *stream) rest(i int) {
	s.buf = s.buf[i:]
	s.held = 0
}

// at returns the byte at position i, and false beyond the end.
func (s *stream) at(i int) (byte, bool) {
	for i >= len(s.buf) {
		if !s.more() {
			return 0, false
		}
	}
	return s.buf[i], true
}

// has reports whether lit is at position i.
func (s *stream) has(i int, lit string) bool {
	for j := range len(lit) {
		if c, ok := s.at(i + j); !ok || c != lit[j] {
			return false
		}
	}
	return true
}

// any returns the longest of lits that is at position i, "" for none.
func (s *stream) any(i int, lits []string) string {
	best := ""
	for _, lit := range lits {
		if len(lit) > len(best) && s.has(i, lit) {
			best = lit
		}
	}
	return best
}

// find returns the first position from i on where one of lits is, and which; -1 when there is none.
func (s *stream) find(i int, lits []string) (int, string) {
	var first [256]bool
	one := lits[0][0]
	for _, lit := range lits {
		first[lit[0]] = true
		if lit[0] != one {
			one = 0
		}
	}
	for {
		i = s.skipTo(i, one, &first)
		if _, ok := s.at(i); !ok {
			return -1, ""
		}
		if lit := s.any(i, lits); lit != "" {
			return i, lit
		}
		i++
	}
}

// skipTo returns the first position from i on that holds one of the bytes, or the end of what is there.
func (s *stream) skipTo(i int, one byte, first *[256]bool) int {
	if i >= len(s.buf) {
		return i
	}
	if one != 0 {
		if n := bytes.IndexByte(s.buf[i:], one); n >= 0 {
			return i + n
		}
		return len(s.buf)
	}
	for i < len(s.buf) && !first[s.buf[i]] {
		i++
	}
	return i
}

// blank returns the first position from i on that is no white space.
func (s *stream) blank(i int) int {
	for {
		c, ok := s.at(i)
		if !ok || !isBlank(c) {
			return i
		}
		i++
	}
}

// skip returns the position after blanks and any of the tokens.
func (s *stream) skip(i int, tokens []string) int {
	for {
		i = s.blank(i)
		lit := s.any(i, tokens)
		if lit == "" {
			return i
		}
		i += len(lit)
	}
}

func isBlank(c byte) bool { return c == ' ' || c == '\n' || c == '\t' || c == '\r' }
