package gemini

import (
	"bytes"
	"encoding/json"

	"rein/internal/jsontext"
	"rein/kit/providers/wire"
	"rein/model"
)

// decoder reads the answer to one request: events, one value, or a list of values.
type decoder struct {
	http *wire.HTTP
	sent *wire.Sent

	scan, inner jsontext.Scan
	draft       model.Draft
	kept        keptParts
	growing     *partial // a call whose arguments come in pieces

	stop    model.Stop
	why     string // the provider's explanation of a stop
	reason  string // the provider's name of a stop that is a refusal
	counts  []byte // usageMetadata: every event has one, the last counts
	failure []byte

	grounding []byte // groundingMetadata: where the answer comes from; the last counts
}

// Event implements wire.Decoder.
func (d *decoder) Event(_, data []byte, emit func(model.Chunk)) error {
	if len(data) == 0 || string(data) == "[DONE]" {
		return nil
	}
	d.scan.Reset(data)
	if d.scan.Kind() == '[' {
		for range d.scan.Items() {
			d.read(emit)
		}
	} else {
		d.read(emit)
	}
	if err := d.scan.End(); err != nil {
		d.stop = "" // calls and texts may be missing
		return d.http.Garbled(data, err)
	}
	if d.failure != nil {
		return d.http.Fault(append(append([]byte(`{"error":`), d.failure...), '}'))
	}
	return nil
}

func (d *decoder) read(emit func(model.Chunk)) {
	for key := range d.scan.Fields() {
		switch string(key) {
		case "candidates":
			for i := range d.scan.Items() {
				if i == 0 {
					d.candidate(emit)
				}
			}
		case "usageMetadata":
			d.counts = append(d.counts[:0], d.scan.Raw()...)
		case "promptFeedback":
			d.feedback(d.scan.Raw())
		case "error":
			d.failure = bytes.Clone(d.scan.Raw())
		}
	}
}

func (d *decoder) candidate(emit func(model.Chunk)) {
	for key := range d.scan.Fields() {
		switch string(key) {
		case "content":
			d.content(emit)
		case "finishReason":
			d.readStop(string(d.scan.Str()))
		case "finishMessage":
			d.why = string(d.scan.Str())
		case "groundingMetadata":
			d.grounding = append(d.grounding[:0], d.scan.Raw()...)
		}
	}
}

func (d *decoder) content(emit func(model.Chunk)) {
	for key := range d.scan.Fields() {
		if string(key) == "parts" {
			d.parts(emit)
		}
	}
}

func (d *decoder) parts(emit func(model.Chunk)) {
	for range d.scan.Items() {
		d.part(d.scan.Raw(), emit)
	}
}

func (d *decoder) readStop(reason string) {
	switch reason {
	case "", "FINISH_REASON_UNSPECIFIED":
	case "MAX_TOKENS":
		d.stop = model.StopLength
	case "STOP":
		d.stop = model.StopEnd
	case "MALFORMED_FUNCTION_CALL", "UNEXPECTED_TOOL_CALL", "TOO_MANY_TOOL_CALLS", "MALFORMED_RESPONSE", "MISSING_THOUGHT_SIGNATURE":
		d.stop = model.StopMalformed
	default: // safety, recitation, a filter of the operator, and what is still to come
		d.stop, d.reason = model.StopRefusal, reason
	}
}

// feedback takes why a prompt was not answered.
func (d *decoder) feedback(raw []byte) {
	var f struct {
		Reason  string `json:"blockReason"`
		Message string `json:"blockReasonMessage"`
	}
	if json.Unmarshal(raw, &f) == nil && f.Reason != "" {
		d.stop, d.why = model.StopRefusal, "The provider refused the prompt: "+f.Reason+" "+f.Message
	}
}

// part is the content of one part.
type part struct {
	text      []byte
	hasText   bool
	thought   bool
	signature []byte
	call      []byte
	other     bool
}

func (d *decoder) part(raw []byte, emit func(model.Chunk)) {
	p := d.readPart(raw)
	if p.call != nil {
		d.call(p, emit)
		return
	}
	d.kept.text(raw, p)
	switch {
	case len(p.text) == 0:
	case p.thought:
		emit(d.draft.Thinking(p.text))
	default:
		emit(d.draft.Text(p.text))
	}
}

func (d *decoder) readPart(raw []byte) (p part) {
	d.inner.Reset(raw)
	for key := range d.inner.Fields() {
		switch string(key) {
		case "text":
			p.text, p.hasText = d.inner.Str(), true
		case "thought":
			p.thought = d.inner.Bool()
		case "thoughtSignature", "thought_signature":
			p.signature = d.inner.Raw()
		case "functionCall":
			p.call = d.inner.Raw()
		default:
			p.other = true
		}
	}
	return p
}

func (d *decoder) usage() (all model.Usage) {
	var u struct{ PromptTokenCount, CandidatesTokenCount, ThoughtsTokenCount, CachedContentTokenCount, ToolUsePromptTokenCount int64 }
	if json.Unmarshal(d.counts, &u) != nil {
		return all
	}
	return model.Usage{
		Input: u.PromptTokenCount + u.ToolUsePromptTokenCount, CacheRead: u.CachedContentTokenCount,
		Output: u.CandidatesTokenCount + u.ThoughtsTokenCount, Thinking: u.ThoughtsTokenCount,
	}
}

// Done implements wire.Decoder.
func (d *decoder) Done(emit func(model.Chunk)) (model.Chunk, error) {
	if d.stop == "" {
		return model.Chunk{}, wire.ErrUnfinished
	}
	d.close(emit)
	if d.why == "" && d.reason != "" {
		d.why = "The provider ended the answer: " + d.reason
	}
	if d.why != "" && d.stop != model.StopEnd {
		emit(d.draft.Text([]byte(d.why)))
	}
	done := d.draft.Done(d.http.Who.String(), d.stop, d.usage(), d.kept.raw(&d.draft, d.sent.Written()))
	done.Sources = sources(d.grounding)
	return done, nil
}
