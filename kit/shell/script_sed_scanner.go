package shell

import (
	"strings"
)

// sedScanner walks through a script for sed.
type sedScanner struct {
	Text string
	at   int
}

// Done reports whether the whole text was read.
func (s *sedScanner) Done() bool { return s.at >= len(s.Text) }

// Next reads one byte.
func (s *sedScanner) Next() byte {
	c := s.Text[s.at]
	s.at++
	return c
}

// Skip moves behind all bytes of a set.
func (s *sedScanner) Skip(set string) {
	for !s.Done() && strings.IndexByte(set, s.Text[s.at]) >= 0 {
		s.at++
	}
}

// Line reads to the end of the line.
func (s *sedScanner) Line() string { return s.Until("\n") }

// Until reads to the first byte of a set, or to the end.
func (s *sedScanner) Until(set string) string {
	start := s.at
	for !s.Done() && strings.IndexByte(set, s.Text[s.at]) < 0 {
		s.at++
	}
	return s.Text[start:s.at]
}

// Address skips 3, $, /x/, \cxc and ranges of them.
func (s *sedScanner) Address() {
	for !s.Done() {
		switch c := s.Text[s.at]; {
		case c >= '0' && c <= '9', c == '$', c == ',', c == '~', c == '+', c == ' ', c == anyText:
			s.at++
		case c == '/':
			s.at++
			s.delimited('/')
			s.Skip("IM")
		case c == '\\' && s.at+1 < len(s.Text):
			d := s.Text[s.at+1]
			s.at += 2
			s.delimited(d)
			s.Skip("IM")
		default:
			return
		}
	}
}

// delimited skips to behind the next delimiter that no backslash or bracket hides.
func (s *sedScanner) delimited(d byte) {
	bracket := false
	for !s.Done() {
		switch c := s.Next(); {
		case c == '\\' && !s.Done():
			s.at++
		case c == '[' && d != '[':
			bracket = strings.IndexByte(s.Text[s.at:], ']') > 0
		case c == ']':
			bracket = false
		case c == d && !bracket:
			return
		}
	}
}

// Substitute reads s/a/b/flags and returns the flags and the file of a w flag.
func (s *sedScanner) Substitute() (flags, file string) {
	if s.Done() {
		return "", ""
	}
	d := s.Next()
	s.delimited(d)
	s.replacement(d)
	for !s.Done() {
		c := s.Text[s.at]
		if strings.IndexByte("gpiIemM0123456789w", c) < 0 {
			break
		}
		s.at++
		flags += string(c)
		if c == 'w' {
			return flags, strings.TrimSpace(s.Line())
		}
	}
	return flags, ""
}

func (s *sedScanner) replacement(d byte) {
	for !s.Done() {
		switch c := s.Next(); {
		case c == '\\' && !s.Done():
			s.at++
		case c == d:
			return
		}
	}
}
