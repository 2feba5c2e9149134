package gemini

import (
	"encoding/json"
	"io"
	"strings"

	"rein/kit/providers/wire"
	"rein/model"
)

// interactionDecoder reads the answer to one request: events, or one interaction that is whole.
type interactionDecoder struct {
	http  *wire.HTTP
	sent  *wire.Sent
	draft model.Draft

	began bool
	open  map[int]*interactionCall // by the index of the step
	stop  model.Stop
	why   string // what the provider says of a refusal
	usage model.Usage
}

// interactionCall is a call that is being written.
type interactionCall struct {
	call   int
	whole  json.RawMessage // as the step began; what comes in pieces replaces it
	pieces bool
}

// interactionEvent is an event of a stream, or an interaction without one.
type interactionEvent struct {
	interaction
	Kind  string           `json:"event_type"`
	Index int              `json:"index"`
	Step  interactionStep  `json:"step"`
	Delta interactionDelta `json:"delta"`
	About *interaction     `json:"interaction"`
	Error json.RawMessage  `json:"error"`
}

// interaction is one answer.
type interaction struct {
	Status string             `json:"status"`
	Steps  []interactionStep  `json:"steps"`
	Errors []interactionFault `json:"errors"`
	Usage  *struct {
		Input    int64 `json:"total_input_tokens"`
		Cached   int64 `json:"total_cached_tokens"`
		Output   int64 `json:"total_output_tokens"`
		Tools    int64 `json:"total_tool_use_tokens"`
		Thoughts int64 `json:"total_thought_tokens"`
	} `json:"usage"`
}

type interactionFault struct {
	Code    string `json:"code"`
	Message string `json:"message"`
}

// interactionStep is a thought, a text or a call.
type interactionStep struct {
	Type      string            `json:"type"`
	ID        string            `json:"id"`
	Name      string            `json:"name"`
	Arguments json.RawMessage   `json:"arguments"`
	Signature string            `json:"signature"`
	Summary   []interactionText `json:"summary"`
	Content   []interactionText `json:"content"`
}

type interactionText struct {
	Text string `json:"text"`
}

// interactionDelta is a piece of a step.
type interactionDelta struct {
	Type      string          `json:"type"`
	Text      string          `json:"text"`
	Signature string          `json:"signature"`
	Arguments string          `json:"arguments"`
	Content   interactionText `json:"content"`
}

// Event implements wire.Decoder.
func (d *interactionDecoder) Event(_, data []byte, emit func(model.Chunk)) error {
	if len(data) == 0 || string(data) == "[DONE]" {
		return nil
	}
	var e interactionEvent
	if err := json.Unmarshal(data, &e); err != nil {
		return d.http.Garbled(data, err)
	}
	switch e.Kind {
	case "":
		return d.whole(&e, data, emit)
	case "interaction.created":
		if d.began {
			d.stop = ""
			return d.http.Twice()
		}
		d.began = true
	case "step.start":
		d.begin(e.Index, e.Step, emit)
	case "step.delta":
		d.piece(e.Index, e.Delta, emit)
	case "step.stop":
		d.end(e.Index, emit)
	case "interaction.completed":
		if e.About == nil {
			return d.http.Garbled(data, io.ErrUnexpectedEOF)
		}
		return d.over(e.About, data)
	case "error":
		return d.http.Fault(data)
	}
	return nil
}

// whole takes an answer that did not come as a stream.
func (d *interactionDecoder) whole(e *interactionEvent, data []byte, emit func(model.Chunk)) error {
	switch {
	case e.Error != nil:
		return d.http.Fault(data)
	case e.Status == "":
		return nil // no answer of this protocol
	}
	for i, s := range e.Steps {
		d.begin(i, s, emit)
		d.end(i, emit)
	}
	return d.over(&e.interaction, data)
}

// begin takes the beginning of a step, with what it holds already.
func (d *interactionDecoder) begin(index int, s interactionStep, emit func(model.Chunk)) {
	switch s.Type {
	case "function_call":
		start := d.draft.Start(s.ID, d.sent.Name(s.Name))
		emit(start)
		if d.open == nil {
			d.open = map[int]*interactionCall{}
		}
		d.open[index] = &interactionCall{call: start.Call, whole: s.Arguments}
	case "thought":
		for _, t := range s.Summary {
			d.think(t.Text, emit)
		}
		d.sign(s.Signature)
	case "model_output":
		for _, t := range s.Content {
			d.text(t.Text, emit)
		}
	}
}

// piece takes a piece of a step. Kinds that are not known are for others.
func (d *interactionDecoder) piece(index int, p interactionDelta, emit func(model.Chunk)) {
	switch p.Type {
	case "text":
		d.text(p.Text, emit)
	case "thought_summary":
		d.think(p.Content.Text, emit)
	case "thought_signature":
		d.sign(p.Signature)
	case "arguments_delta":
		if c := d.open[index]; c != nil && p.Arguments != "" {
			c.pieces = true
			emit(d.draft.Args(c.call, []byte(p.Arguments)))
		}
	}
}

func (d *interactionDecoder) text(text string, emit func(model.Chunk)) {
	if text != "" {
		emit(d.draft.Text([]byte(text)))
	}
}

func (d *interactionDecoder) think(text string, emit func(model.Chunk)) {
	if text != "" {
		emit(d.draft.Thinking([]byte(text)))
	}
}

func (d *interactionDecoder) sign(signature string) {
	if signature != "" {
		d.draft.Sign(signature)
		d.draft.Split()
	}
}

// end takes the end of a step.
func (d *interactionDecoder) end(index int, emit func(model.Chunk)) {
	c := d.open[index]
	if c == nil {
		return
	}
	delete(d.open, index)
	if !c.pieces && len(c.whole) > 0 {
		emit(d.draft.Args(c.call, c.whole))
	}
	emit(d.draft.End(c.call))
}

// over takes how an answer ended.
func (d *interactionDecoder) over(i *interaction, data []byte) error {
	if u := i.Usage; u != nil {
		d.usage = model.Usage{Input: u.Input + u.Tools, CacheRead: u.Cached, Output: u.Output + u.Thoughts, Thinking: u.Thoughts}
	}
	var fault interactionFault
	if len(i.Errors) > 0 {
		fault = i.Errors[0]
	}
	code := strings.ToLower(fault.Code)
	switch {
	case i.Status == "completed" || i.Status == "requires_action":
		d.stop = model.StopEnd
	case i.Status == "incomplete" || i.Status == "budget_exceeded":
		d.stop = model.StopLength
	case strings.Contains(code, "malformed"):
		d.stop = model.StopMalformed
	case strings.Contains(code, "safety") || strings.Contains(code, "prohibited") || strings.Contains(code, "blocked") || strings.Contains(code, "recitation"):
		d.stop, d.why = model.StopRefusal, strings.TrimSpace("The provider refused to answer: "+fault.Message)
	case fault.Message != "":
		text, _ := json.Marshal(map[string]any{"error": fault}) // texts always can be encoded
		return d.http.Fault(text)
	default:
		return d.http.Fault(data)
	}
	return io.EOF
}

// Done implements wire.Decoder.
func (d *interactionDecoder) Done(emit func(model.Chunk)) (model.Chunk, error) {
	if d.stop == "" {
		return model.Chunk{}, wire.ErrUnfinished
	}
	if d.why != "" {
		emit(d.draft.Text([]byte(d.why)))
	}
	return d.draft.Done(d.http.Who.String(), d.stop, d.usage, nil), nil
}
