package gemini

import (
	"bytes"
	"encoding/json"

	"rein/internal/jsontext"
	"rein/kit/providers/wire"
	"rein/model"
)

// keptParts are the parts as they go back. Most answers need them not: only signatures, and kinds that we do not know.
type keptParts struct {
	parts   []keptPart
	special bool
}

// keptPart is a part: a text that may grow, a call, or bytes as they came.
type keptPart struct {
	text      []byte
	grows     bool
	call      int // -1: none
	signature []byte
	raw       []byte
}

func (k *keptParts) text(raw []byte, p part) {
	k.special = k.special || p.signature != nil || p.other
	switch n := len(k.parts); {
	case p.other:
		k.parts = append(k.parts, keptPart{call: -1, raw: bytes.Clone(raw)})
	case p.signature != nil:
		k.parts = append(k.parts, keptPart{call: -1, raw: bytes.Clone(raw)})
	case p.thought || len(p.text) == 0: // thinking without a signature need not go back
	case n > 0 && k.parts[n-1].grows:
		k.parts[n-1].text = append(k.parts[n-1].text, p.text...)
	default:
		k.parts = append(k.parts, keptPart{call: -1, grows: true, text: bytes.Clone(p.text)})
	}
}

func (k *keptParts) raw(draft *model.Draft, sent *wire.Sent) json.RawMessage {
	if !k.special {
		return nil
	}
	out := []byte{'['}
	for _, p := range k.parts {
		out = jsontext.AppendComma(out)
		switch {
		case p.raw != nil:
			out = append(out, p.raw...)
		case p.grows:
			out = append(jsontext.AppendField(append(out, '{'), "text", string(p.text)), '}')
		default:
			asked := draft.Call(p.call)
			asked.Args = draft.Written(p.call)
			out = append(call(append(out, '{'), asked, true, sent), '}')
			if p.signature != nil {
				out = append(jsontext.AppendKey(out, "thoughtSignature"), p.signature...)
			}
			out = append(out, '}')
		}
	}
	return append(out, ']')
}
