package jsontext

import (
	"bytes"
)

// object reads an object whose brace is at hand.
func (r *reader) object() error {
	if bytes.HasPrefix(r.rest(), []byte("{{")) {
		r.note("dropped a doubled brace")
		r.pos++
	}
	r.pos++
	return r.members()
}

// members reads the inside of an object and its closing brace.
func (r *reader) members() error {
	r.stack = append(r.stack, '{')
	r.out = append(r.out, '{')
	var names Names
	count := 0
	for first := true; ; first = false {
		done, err := r.between(first)
		if err != nil {
			return err
		}
		if done {
			break
		}
		start := len(r.out)
		if !first {
			r.out = append(r.out, ',')
			start++
		}
		if err := r.name(); err != nil {
			return err
		}
		if !names.Add(r.out, start+1, len(r.out)-1) {
			return refuse(ambiguous, r.pos, "the name %.40s comes twice", r.out[start:])
		}
		if len(r.stack) == 1 {
			r.atRoot = string(Unescape(nil, r.out[start+1:len(r.out)-1]))
		}
		r.out = append(r.out, ':')
		if err := r.memberValue(); err != nil {
			return err
		}
		count++
	}
	r.stack = r.stack[:len(r.stack)-1]
	r.out = append(r.out, '}')
	r.closedObject(count > 1)
	return nil
}

// closedObject remembers the object that was just closed.
func (r *reader) closedObject(several bool) {
	if r.cut {
		return
	}
	between := bytes.TrimSpace(r.src[min(r.lastClosed, r.pos):r.pos])
	r.several = several || r.several && len(between) <= 1
	r.lastClosed = r.pos
}

func (r *reader) memberValue() error {
	r.space()
	if c := r.next(); c == ',' || c == '}' {
		return r.broken("%.40q has no value", r.atRoot)
	}
	return r.value()
}

// array reads a list or a Python tuple whose bracket is at hand.
func (r *reader) array() error {
	if r.next() == '(' {
		r.note("read a tuple as a list")
	}
	r.pos++
	r.stack = append(r.stack, '[')
	r.out = append(r.out, '[')
	for first := true; ; first = false {
		done, err := r.between(first)
		if err != nil {
			return err
		}
		if done {
			break
		}
		if !first {
			r.out = append(r.out, ',')
		}
		if err := r.value(); err != nil {
			return err
		}
	}
	r.stack = r.stack[:len(r.stack)-1]
	r.out = append(r.out, ']')
	return nil
}
