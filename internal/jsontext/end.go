package jsontext

import "bytes"

// endsString reports whether a string may end before pos, judged by what follows.
func (r *reader) endsString(pos int) bool {
	pos, newline := r.skip(pos)
	depth := len(r.stack)
	for depth > 0 && pos < len(r.src) && isCloser(r.src[pos]) {
		depth = r.closed(depth, r.src[pos])
		if depth < 0 {
			return false
		}
		pos, newline = r.skip(pos + 1)
	}
	rest := r.src[pos:]
	if r.endsAt(pos) {
		return true
	}
	if depth == 0 {
		return spaceSize(r.src[pos-1:]) > 0 && startsProse(rest) && pos >= r.lastQuote
	}
	list := r.stack[depth-1] == '['
	if n := separatorSize(rest); n > 0 {
		pos, _ = r.skip(pos + n)
		return r.continues(pos, list)
	}
	if depth < len(r.stack) {
		return r.continues(pos, list) && rest[0] != ':'
	}
	return r.joinsNext(rest) || r.continuesWithoutComma(pos, list, newline)
}

// closed reports how deep we are after a closing bracket at the given depth, or -1 when it does not belong.
func (r *reader) closed(depth int, c byte) int {
	for depth > 0 {
		depth--
		if list := r.stack[depth] == '['; list == (c != '}') {
			return depth
		}
		if c != '}' {
			return -1
		}
	}
	return -1
}

// continues reports whether the text at pos can be the next item of a list, the next member of an object, or an end.
func (r *reader) continues(pos int, list bool) bool {
	rest := r.src[min(pos, len(r.src)):]
	if len(rest) == 0 || isCloser(rest[0]) || separatorSize(rest) > 0 {
		return true
	}
	if list {
		return startsValue(rest)
	}
	return r.namesMember(rest)
}

// continuesWithoutComma is the same where the comma is missing, which needs more evidence.
func (r *reader) continuesWithoutComma(pos int, list, newline bool) bool {
	rest := r.src[pos:]
	if list {
		_, quote := openingQuote(rest)
		return pos > 0 && spaceSize(r.src[pos-1:]) > 0 && quote > 0 && !newline && startsWord(rest[quote:])
	}
	return r.namesMember(rest)
}

// startsWord reports whether a list's next string seems to begin here and not the blank after a closing quote.
func startsWord(text []byte) bool {
	return len(text) > 0 && spaceSize(text) == 0 && !isCloser(text[0]) && text[0] != ','
}

// namesMember reports whether text begins with a name and a colon. Which names the schema lists does not matter: a name that
// is misspelt or an alias is one all the same, and schema.Check reports it to the model.
func (r *reader) namesMember(text []byte) bool {
	const longest = 128
	text = text[:min(len(text), longest+longest)]
	quote, size := openingQuote(text)
	if size == 0 {
		n := bareNameSize(text)
		if n == 0 || text[0] >= '0' && text[0] <= '9' {
			return false
		}
		after := bytes.TrimLeft(text[n:], " \t")
		return len(after) > 0 && after[0] == ':' && startsValue(bytes.TrimLeft(after[1:], " \t"))
	}
	end, closer := closingQuote(text[size:], r.closers(quote))
	if end < 0 || end > longest {
		return false
	}
	after := bytes.TrimLeft(text[size+end+closer:], " \t\r\n")
	return len(after) > 0 && (after[0] == ':' || bytes.HasPrefix(after, []byte("=>")) || bytes.HasPrefix(after, []byte("：")))
}

// skip passes white space and comments from pos on and reports whether a line ended there.
func (r *reader) skip(pos int) (after int, newline bool) {
	for pos < len(r.src) {
		rest := r.src[pos:]
		n := spaceSize(rest)
		switch {
		case n > 0:
			newline = newline || rest[0] == '\n'
		default:
			if n = r.commentSize(pos); n == 0 {
				return pos, newline
			}
			newline = newline || rest[1] != '*'
		}
		pos += n
	}
	return pos, newline
}
