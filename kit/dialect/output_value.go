package dialect

import (
	"bytes"
	"encoding/json"
)

// Value finds the end of the JSON value at position i. When there is none, end is where the text stops being JSON. Raw
// line breaks in strings are let through: models write them, and clean turns them into JSON.
func (s *modelOutput) Value(i int) (end int, ok bool) {
	var stack []byte
	for {
		i = s.Blank(i)
		c, more := s.At(i)
		if !more {
			return i, false
		}
		closed := false
		switch {
		case c == '{' || c == '[':
			stack = append(stack, c)
			i = s.Blank(i + 1)
			if d, _ := s.At(i); d == c+2 { // an empty object or array
				closed = true
				break
			}
			if c == '{' {
				if i, ok = s.key(i); !ok {
					return i, false
				}
			}
			continue
		case c == '"':
			if i, ok = s.Text(i); !ok {
				return i, false
			}
		default:
			if i, ok = s.word(i); !ok {
				return i, false
			}
		}
		if i, ok, closed = s.after(i, &stack, closed); closed || !ok {
			return i, ok
		}
	}
}

// after reads what may follow a value: closing brackets, or a comma and the next key. done is true when the whole value ended.
func (s *modelOutput) after(i int, stack *[]byte, closing bool) (next int, ok, done bool) {
	for {
		n := len(*stack)
		if n == 0 {
			return i, true, true
		}
		open := (*stack)[n-1]
		i = s.Blank(i)
		c, more := s.At(i)
		switch {
		case !more:
			return i, false, false
		case c == open+2:
			*stack = (*stack)[:n-1]
			i, closing = i+1, false
		case c == ',' && !closing:
			i = s.Blank(i + 1)
			if open == '{' {
				i, ok = s.key(i)
				return i, ok, false
			}
			return i, true, false
		default:
			return i, false, false
		}
	}
}

// key reads a member's name and its colon.
func (s *modelOutput) key(i int) (int, bool) {
	if c, _ := s.At(i); c != '"' {
		return i, false
	}
	i, ok := s.Text(i)
	if !ok {
		return i, false
	}
	i = s.Blank(i)
	c, _ := s.At(i)
	if c != ':' {
		return i, false
	}
	return i + 1, true
}

// Text reads a JSON string.
func (s *modelOutput) Text(i int) (int, bool) {
	quote := 0 // position of the next quotation mark, or the end of what is there
	for i++; ; i++ {
		if i > quote || quote == 0 {
			quote = s.next(i, len(s.Buf), '"')
		}
		i = s.next(i, quote, '\\')
		c, ok := s.At(i)
		switch {
		case !ok:
			return i, false
		case c == '"':
			return i + 1, true
		case c == '\\':
			i++
			if _, ok := s.At(i); !ok {
				return i, false
			}
		}
	}
}

// next returns the position of c between i and end, or end.
func (s *modelOutput) next(i, end int, c byte) int {
	if i < end {
		if n := bytes.IndexByte(s.Buf[i:end], c); n >= 0 {
			return i + n
		}
	}
	return end
}

// word reads a number, true, false or null.
func (s *modelOutput) word(i int) (int, bool) {
	from := i
	for {
		c, ok := s.At(i)
		if !ok || !(c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c == 'E' || c == '+' || c == '-' || c == '.') || i-from > 400 {
			return i, json.Valid(s.Buf[from:i])
		}
		i++
	}
}
