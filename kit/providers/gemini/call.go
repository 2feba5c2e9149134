package gemini

import (
	"bytes"

	"rein/model"
)

// functionCall is the content of a functionCall. The bytes are windows into the event.
type functionCall struct {
	id, name, args []byte
	partial        []byte // partialArgs
	more           bool   // willContinue
}

func (d *decoder) call(p part, emit func(model.Chunk)) {
	f := d.readCall(p.call)
	if len(f.name) > 0 || f.args != nil {
		d.close(emit)
		d.begin(f, p.signature, emit)
	}
	if d.growing != nil {
		d.growing.add(f.partial)
		if !f.more {
			d.close(emit)
		}
	}
}

func (d *decoder) readCall(raw []byte) (f functionCall) {
	d.inner.Reset(raw)
	for key := range d.inner.Fields() {
		switch string(key) {
		case "id":
			f.id = bytes.Clone(d.inner.Str())
		case "name":
			f.name = bytes.Clone(d.inner.Str())
		case "args":
			if d.inner.Kind() == '{' {
				f.args = d.inner.Raw()
			}
		case "partialArgs":
			f.partial = d.inner.Raw()
		case "willContinue":
			f.more = d.inner.Bool()
		}
	}
	return f
}

func (d *decoder) begin(f functionCall, signature []byte, emit func(model.Chunk)) {
	start := d.draft.Start(string(f.id), d.sent.Name(string(f.name)))
	emit(start)
	d.kept.parts = append(d.kept.parts, keptPart{call: start.Call, signature: bytes.Clone(signature)})
	d.kept.special = d.kept.special || signature != nil
	if f.partial != nil || f.more {
		d.growing = &partial{call: start.Call}
		return
	}
	if len(f.args) > 0 {
		emit(d.draft.Args(start.Call, f.args))
	}
	emit(d.draft.End(start.Call))
}

// close ends the call whose arguments came in pieces, if there is one.
func (d *decoder) close(emit func(model.Chunk)) {
	if d.growing == nil {
		return
	}
	g := d.growing
	d.growing = nil
	if d.stop == model.StopLength {
		emit(d.draft.Args(g.call, bytes.TrimSuffix(g.root.append(nil), []byte{'}'}))) // cut: it must not look whole
		return
	}
	emit(d.draft.Args(g.call, g.root.append(nil)))
	emit(d.draft.End(g.call))
}
