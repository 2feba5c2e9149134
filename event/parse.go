package event

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"

	"rein/internal/jsontext"
	"rein/tool"
)

// Parse sets the event to what a line of JSON has, as encoding/json does. A session may have hundreds of megabytes of such
// lines, so Parse reads by itself, in one pass, what is long or is in many lines. It leaves a line with anything unusual to
// encoding/json.
func (e *Event) Parse(line []byte) error {
	*e = Event{}
	p := parser{jsontext.Cursor{In: line}}
	if p.event(e) && p.end() {
		return nil
	}
	*e = Event{}
	return plain(json.Unmarshal(line, e))
}

// plain says in the words of a user why a line is no event.
func plain(err error) error {
	if _, ok := errors.AsType[*json.SyntaxError](err); ok {
		return errors.New("it is not JSON")
	}
	if t, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		return fmt.Errorf("%s has the wrong kind of value, a JSON %s", cmp.Or(t.Field, "it"), t.Value)
	}
	return err
}

// parser reads an event. Its methods step over what they read, and report false where the line is unusual, or no JSON.
type parser struct{ jsontext.Cursor }

func (p *parser) event(e *Event) bool {
	return p.object(func(key []byte) bool {
		switch string(key) {
		case "kind":
			return p.text((*string)(&e.Kind))
		case "time":
			value, ok := p.any()
			return ok && e.Time.UnmarshalJSON(value) == nil
		case "seq":
			return p.number(&e.Seq)
		case "turn":
			return p.integer(&e.Turn)
		case "session":
			return p.text(&e.Session)
		case "text":
			return p.text(&e.Text)
		case "call":
			return p.call(made(&e.Call))
		case "result":
			return p.result(made(&e.Result))
		case "message":
			return p.raw(&e.Message)
		case "usage":
			return p.usage(made(&e.Usage))
		case "stop":
			return p.text((*string)(&e.Stop))
		}
		return p.decode(e.field(key))
	})
}

// field returns where the value of a field goes that Parse leaves to encoding/json; nil: there is no such field.
func (e *Event) field(key []byte) any {
	switch string(key) {
	case "format":
		return &e.Format
	case "parent":
		return &e.Parent
	case "parent_call":
		return &e.ParentCall
	case "within":
		return &e.Within
	case "intent":
		return &e.Intent
	case "verdict":
		return &e.Verdict
	case "grant":
		return &e.Grant
	case "answer":
		return &e.Answer
	case "child":
		return &e.Child
	case "sub_agent":
		return &e.SubAgent
	case "request":
		return &e.Request
	case "start":
		return &e.Start
	case "compaction":
		return &e.Compaction
	case "files":
		return &e.Files
	case "at":
		return &e.At
	case "blobs":
		return &e.Blobs
	}
	return nil
}

func (p *parser) call(c *tool.Call) bool {
	return p.object(func(key []byte) bool {
		switch string(key) {
		case "id":
			return p.text(&c.ID)
		case "name":
			return p.text(&c.Name)
		case "args":
			return p.raw(&c.Args)
		case "truncated":
			return p.decode(&c.Truncated)
		}
		return false
	})
}

func (p *parser) result(r *tool.Result) bool {
	return p.object(func(key []byte) bool {
		switch string(key) {
		case "id":
			return p.text(&r.ID)
		case "name":
			return p.text(&r.Name)
		case "text":
			return p.text(&r.Text)
		case "parts":
			return p.decode(&r.Parts)
		case "failed":
			return p.decode(&r.Failed)
		case "kind":
			return p.text((*string)(&r.Kind))
		case "notes":
			return p.decode(&r.Notes)
		case "detail":
			return p.raw(&r.Detail)
		case "cut":
			return p.decode(&r.Cut)
		case "duration_ns":
			return p.number((*int64)(&r.Duration))
		}
		return false
	})
}

func (p *parser) usage(u *Usage) bool {
	return p.object(func(key []byte) bool {
		switch string(key) {
		case "input":
			return p.number(&u.Input)
		case "output":
			return p.number(&u.Output)
		case "cache_read":
			return p.number(&u.CacheRead)
		case "cache_write":
			return p.number(&u.CacheWrite)
		case "thinking":
			return p.number(&u.Thinking)
		case "cost":
			return p.decode(&u.Cost)
		}
		return false
	})
}

// made returns what a pointer points at, which is made where there is nothing.
func made[T any](at **T) *T {
	if *at == nil {
		*at = new(T)
	}
	return *at
}

// object reads an object: field reads the value of each of its fields.
func (p *parser) object(field func(key []byte) bool) bool {
	p.Space()
	if !p.Take('{') {
		return false
	}
	if p.Space(); p.Take('}') {
		return true
	}
	for {
		p.Space()
		from := p.At + 1
		if escaped, ok := p.StrictText(); escaped || !ok {
			return false
		}
		key := p.In[from : p.At-1]
		if p.Space(); !p.Take(':') {
			return false
		}
		if p.Space(); !field(key) {
			return false
		}
		if p.Space(); !p.Take(',') {
			return p.Take('}')
		}
	}
}

func (p *parser) end() bool {
	p.Space()
	return p.At == len(p.In)
}

func (p *parser) text(to *string) bool {
	from := p.At + 1
	escaped, ok := p.StrictText()
	if !ok {
		return false
	}
	inside := p.In[from : p.At-1]
	if escaped {
		*to = jsontext.Text(inside)
	} else {
		*to = string(inside)
	}
	return true
}

func (p *parser) number(to *int64) bool {
	from := p.At
	if !p.Number() {
		return false
	}
	n, err := strconv.ParseInt(string(p.In[from:p.At]), 10, 64)
	*to = n
	return err == nil
}

func (p *parser) integer(to *int) bool {
	var n int64
	ok := p.number(&n)
	*to = int(n)
	return ok && int64(*to) == n
}

// any reads any value. It stays in the line.
func (p *parser) any() (value []byte, ok bool) {
	from := p.At
	ok = p.Value()
	return p.In[from:p.At], ok
}

func (p *parser) raw(to *json.RawMessage) bool {
	value, ok := p.any()
	*to = append([]byte(nil), value...)
	return ok
}

func (p *parser) decode(to any) bool {
	value, ok := p.any()
	return ok && to != nil && json.Unmarshal(value, to) == nil
}
