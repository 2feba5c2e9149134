package jsontext

import (
	"bytes"
	"unicode/utf8"
)

// between passes what is before the next member or item: a comma, or too few or too many of them, or the bracket
// that ends the container. It reports whether the container is done.
func (r *reader) between(first bool) (bool, error) {
	commas := 0
	for {
		r.space()
		if n := separatorSize(r.rest()); n > 0 {
			if n > 1 || r.next() == ';' {
				r.note("read another sign as a comma")
			}
			commas++
			r.pos += n
			continue
		}
		break
	}
	switch {
	case r.ended():
		if commas > 0 || first {
			return false, r.cutOff("more was to come")
		}
		if r.several && len(bytes.TrimSpace(r.src[r.lastClosed:r.pos])) == 0 {
			return false, refuse(ambiguous, r.pos, "a closing bracket is missing, here or before")
		}
		r.cut = true
		r.note("added closing brackets that were missing at the end")
		return true, nil
	case r.nested():
		return false, refuse(ambiguous, r.pos, "a closing bracket is missing, here or before")
	case r.closes():
		if commas > 0 {
			r.note("dropped a superfluous comma")
		}
		return true, nil
	case isCloser(r.next()):
		return false, r.broken("a bracket closes what is not open")
	case commas == 0 && !first:
		r.note("added a missing comma")
	case commas > 1 || first && commas > 0:
		r.note("dropped a superfluous comma")
	}
	return false, nil
}

// separatorSize knows the comma, the semicolon and the comma of Chinese keyboards.
func separatorSize(text []byte) int {
	switch {
	case len(text) > 0 && (text[0] == ',' || text[0] == ';'):
		return 1
	case len(text) > 2 && text[0] >= utf8.RuneSelf && (bytes.HasPrefix(text, []byte("，")) || bytes.HasPrefix(text, []byte("、"))):
		return 3
	}
	return 0
}

func isCloser(c byte) bool { return c == '}' || c == ']' || c == ')' }

// nested reports whether a brace is at hand that leaves a list open behind the end of another list.
func (r *reader) nested() bool {
	return r.next() == '}' && r.stack[len(r.stack)-1] == '[' && bytes.HasSuffix(bytes.TrimSpace(r.out), []byte("]"))
}

// closes takes the current bracket if it ends the innermost container. A brace also ends the lists inside its object,
// which then lack their own brackets.
func (r *reader) closes() bool {
	c := r.next()
	if !isCloser(c) {
		return false
	}
	inList := r.stack[len(r.stack)-1] == '['
	switch {
	case c == '}' && !inList, c == ']' && inList:
	case c == ')' && inList:
		if r.src[r.pos] != ']' {
			r.note("read a round bracket as the end of a list")
		}
	case c == '}' && inList && bytes.IndexByte(r.stack, '{') >= 0:
		r.note("added a missing ]")
		return true // the brace is left for the object
	default:
		return false
	}
	r.pos++
	return true
}
