package schema

import (
	"bytes"
	"strconv"
	"unicode/utf8"
)

// text proves a string and, where asked for, its length and its membership of the enum.
func (s *scan) text(n *node) bool {
	start := s.At + 1
	escaped, ok := s.StrictText()
	if !ok {
		return false
	}
	content := s.In[start : s.At-1]
	if n.enum != nil && (escaped || !n.allows('"', string(content))) {
		return false
	}
	if n.length.low == 0 && n.length.high < 0 {
		return true
	}
	length := utf8.RuneCount(content)
	return !escaped && length >= n.length.low && (n.length.high < 0 || length <= n.length.high)
}

// number proves a number that needs no rewriting: for an integer, plain digits.
func (s *scan) number(n *node) bool {
	start := s.At
	if !s.Number() {
		return false
	}
	literal := s.In[start:s.At]
	if bytes.ContainsAny(literal, "eE") {
		return false
	}
	integral := bytes.IndexByte(literal, '.') < 0
	if !integral && (n.types == 0 || n.types&isNumber == 0) && n.types != 0 {
		return false
	}
	if n.enum != nil && !n.allows('0', string(literal)) {
		return false
	}
	if len(literal) > 17 {
		return integral && len(literal) < 300 && n.min == nil && n.max == nil && n.types&isInteger == 0
	}
	if n.min == nil && n.max == nil {
		return true
	}
	f, err := strconv.ParseFloat(string(literal), 64)
	return err == nil && (n.min == nil || f >= *n.min) && (n.max == nil || f <= *n.max)
}
