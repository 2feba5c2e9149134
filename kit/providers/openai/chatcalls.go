package openai

import (
	"encoding/json"
	"strings"

	"rein/internal/jsontext"
	"rein/kit/providers/wire"
	"rein/model"
)

// chatCalls finds the call that a piece belongs to. The protocol's key is the index; servers leave it out, give the same to
// all, or give only ids.
type chatCalls struct {
	byIndex map[int]int // index on the wire → call of the draft
	ids     []string    // of each call of the draft, as the server gave it
}

// piece is one item of tool_calls. Its bytes are windows into the event.
type piece struct {
	index int // -1: none
	id    []byte
	name  []byte
	args  []byte
	extra callFields

	text bool          // args was a string
	at   jsontext.Span // where
}

func (d *chatDecoder) toolCall(emit func(model.Chunk)) {
	p := d.readPiece()
	if d.scan.Err() != nil {
		return
	}
	call, known := d.calls.find(&d.draft, d.sent, p)
	if !known {
		if len(p.name) == 0 && len(p.id) == 0 && len(p.args) == 0 {
			return
		}
		call = d.start(p, emit)
	} else if d.draft.Named(call) == "" && len(p.name) > 0 {
		d.draft.Rename(call, d.sent.Name(string(p.name)))
	}
	d.extra.call(call, p.extra)
	d.again.pieces, d.again.call, d.again.at = d.again.pieces+1, call, p.at
	d.again.other = d.again.other || !known || len(p.name) > 0 || p.extra.outer.keys != nil || p.extra.inner.keys != nil || !p.text
	if len(p.args) > 0 {
		emit(d.draft.Args(call, p.args))
	}
}

func (d *chatDecoder) start(p piece, emit func(model.Chunk)) int {
	start := d.draft.Start(string(p.id), d.sent.Name(string(p.name)))
	d.calls.ids = append(d.calls.ids, string(p.id))
	if p.index >= 0 {
		if d.calls.byIndex == nil {
			d.calls.byIndex = make(map[int]int)
		}
		d.calls.byIndex[p.index] = start.Call
	}
	emit(start)
	return start.Call
}

// readPiece reads an item of tool_calls, or a function_call, which has its fields one level higher.
func (d *chatDecoder) readPiece() (p piece) {
	p.index = -1
	for key := range d.scan.Fields() {
		switch string(key) {
		case "index":
			if k := d.scan.Kind(); k >= '0' && k <= '9' {
				p.index = d.scan.Int()
			}
		case "id":
			p.id = kept(p.id, d.scan.Str())
		case "function":
			for key := range d.scan.Fields() {
				d.function(key, &p, &p.extra.inner)
			}
		case "type":
		default:
			d.function(key, &p, &p.extra.outer)
		}
	}
	return p
}

// function reads what belongs to the function of a piece. What else is signed goes to extra.
func (d *chatDecoder) function(key []byte, p *piece, extra *fields) {
	switch string(key) {
	case "name":
		p.name = kept(p.name, d.scan.Str())
	case "arguments":
		if d.scan.Kind() == '{' {
			p.args = d.scan.Raw() // an object where a string belongs
		} else {
			p.text = d.scan.Kind() == '"'
			p.args = d.scan.Str()
			p.at = d.scan.Last()
		}
	default:
		name := string(key)
		extra.keep(name, d.scan.Raw())
	}
}

// kept returns what was read now, unless it is nothing.
func kept(before, now []byte) []byte {
	if len(now) == 0 {
		return before
	}
	return now
}

// find returns the call of a piece, or false when it begins a new one.
func (c *chatCalls) find(draft *model.Draft, sent *wire.Sent, p piece) (call int, known bool) {
	call, known = c.candidate(p)
	if !known {
		return 0, false
	}
	id := c.ids[call]
	if len(p.id) > 0 && id != "" && string(p.id) != id && len(p.name) > 0 {
		return 0, false // the same index for another call
	}
	if name := draft.Named(call); len(p.name) > 0 && name != "" && sent.Name(string(p.name)) != name {
		return 0, false // the same place for a call of another tool
	}
	if len(p.name) > 0 && len(p.args) > 0 && p.args[0] == '{' && whole(draft.Written(call)) {
		return 0, false // whole arguments cannot continue: a call without an id of its own
	}
	if id == "" && len(p.id) > 0 {
		c.ids[call] = string(p.id)
	}
	return call, true
}

func (c *chatCalls) candidate(p piece) (call int, known bool) {
	if p.index >= 0 {
		call, known = c.byIndex[p.index]
		return call, known
	}
	if len(p.id) > 0 {
		for i := len(c.ids) - 1; i >= 0; i-- {
			if c.ids[i] == string(p.id) {
				return i, true
			}
		}
		return 0, false
	}
	return len(c.ids) - 1, len(c.ids) > 0
}

func whole(args string) bool {
	return strings.HasSuffix(strings.TrimSpace(args), "}") && json.Valid([]byte(args))
}
