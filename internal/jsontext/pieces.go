package jsontext

import "bytes"

// tripled reads a Python string in three quotes: up to the next three of the same kind.
func (r *reader) tripled(quote rune) error {
	mark := r.rest()[:3]
	content := r.rest()[3:]
	end := bytes.Index(content, mark)
	if end < 0 {
		return r.cutOff("a string in three quotes has no end")
	}
	// A fourth quote belongs to the text: """say "hi"""" ends with the last three.
	for bytes.HasPrefix(content[end+1:], mark) {
		end++
	}
	r.pos += 3 + end + 3
	if bytes.Contains(content[end+3:], mark) || !r.endsString(r.pos) {
		return refuse(ambiguous, r.pos, "a string in three quotes could end in two places")
	}
	r.note("read three quotes as one")
	var err error
	r.out, err = r.quotedWith(quote, content[:end], r.out)
	return err
}

// joinsNext reports whether a plus and another string follow.
func (r *reader) joinsNext(rest []byte) bool {
	if rest[0] != '+' {
		return false
	}
	_, size := openingQuote(bytes.TrimLeft(rest[1:], " \t\r\n"))
	return size > 0
}

// joined appends the strings that a plus adds to the one just written.
func (r *reader) joined() error {
	for {
		pos, _ := r.skip(r.pos)
		if pos >= len(r.src) || !r.joinsNext(r.src[pos:]) {
			return nil
		}
		r.pos, _ = r.skip(pos + 1)
		quote, size := openingQuote(r.rest())
		end, closer := closingQuote(r.src[r.pos+size:], r.closers(quote))
		if end < 0 || !r.endsString(r.pos+size+end+closer) {
			return refuse(ambiguous, r.pos, "strings joined by + could end in two places")
		}
		r.note("joined strings that a plus added")
		r.out = r.out[:len(r.out)-1]
		mark := len(r.out)
		out, err := r.quotedWith(quote, r.src[r.pos+size:r.pos+size+end], r.out)
		if err != nil {
			return err
		}
		r.out = append(out[:mark], out[mark+1:]...)
		r.pos += size + end + closer
	}
}
