package modelserver

import (
	"encoding/json"
	"fmt"
	"strings"

	"rein/model"
)

// interactions is the interactions protocol of the Gemini API.
type interactions struct{ q Quirks }

// interactionBlock is a text, an image or a document of a step.
type interactionBlock struct {
	Type, Text, Data string
	MimeType         string `json:"mime_type"`
}

type interactionStep struct {
	Type, ID, Name, Signature string
	Content, Result           []interactionBlock
	Arguments                 json.RawMessage
	CallID                    string `json:"call_id"`
	Failed                    bool   `json:"is_error"`
}

func (p interactions) read(body []byte) (r request, err error) {
	var in struct {
		Model  string
		Store  *bool
		Stream bool
		Input  []interactionStep
	}
	if err := json.Unmarshal(body, &in); err != nil {
		return r, refuse("the body is not a request: %v", err)
	}
	if in.Model == "" || in.Store == nil || *in.Store {
		return r, refuse("this server keeps nothing: store must be false, and model is needed")
	}
	r.stream = in.Stream
	names := map[string]string{}
	for i, s := range in.Input {
		e, err := p.entry(s, names)
		if err != nil {
			return r, refuse("input[%d]: %v", i, err)
		}
		r.entries = append(r.entries, e)
	}
	return r, nil
}

// entry reads a step. names are those of the calls before it, by their ids: a result has to name its call.
func (p interactions) entry(s interactionStep, names map[string]string) (e entry, err error) {
	switch s.Type {
	case "user_input":
		e.role = "user"
		e.text, err = p.words(s.Content)
	case "model_output":
		e.role = "assistant"
		e.text, err = p.words(s.Content)
	case "thought":
		e = entry{role: "assistant", thought: s.Signature}
		if s.Signature == "" {
			err = fmt.Errorf("a thought without its signature")
		}
	case "function_call":
		names[s.ID] = s.Name
		e = entry{role: "assistant", calls: []called{{s.ID, s.Name, string(s.Arguments)}}}
	case "function_result":
		if names[s.CallID] != s.Name {
			return e, fmt.Errorf("the result for %q has the name %q", s.CallID, s.Name)
		}
		e = entry{role: "result", answers: s.CallID, failed: s.Failed}
		e.text, err = p.words(s.Result)
	default:
		err = fmt.Errorf("unknown step %q", s.Type)
	}
	return e, err
}

func (p interactions) words(all []interactionBlock) (text string, err error) {
	for _, b := range all {
		if b.Type == "text" {
			text += b.Text
			continue
		}
		file, err := (&blob{b.MimeType, b.Data}).words()
		if err != nil {
			return "", err
		}
		text += file
	}
	return text, nil
}

func (p interactions) stream(out *stream, a answer) {
	event := func(kind, fields string) {
		out.event(kind, fmt.Appendf(nil, `{%s,"event_type":%q}`, fields, kind))
	}
	event("interaction.created", `"interaction":{"id":"v1_1","status":"in_progress","object":"interaction"}`)
	index := 0
	step := func(start string, deltas ...string) {
		event("step.start", fmt.Sprintf(`"index":%d,"step":%s`, index, start))
		for _, d := range deltas {
			event("step.delta", fmt.Sprintf(`"index":%d,"delta":%s`, index, d))
		}
		event("step.stop", fmt.Sprintf(`"index":%d`, index))
		index++
	}
	if a.turn.Think != "" {
		var deltas []string
		for _, piece := range a.script.Pieces(a.turn.Think) {
			deltas = append(deltas, `{"type":"thought_summary","content":{"type":"text","text":`+quote(piece)+`}}`)
		}
		step(`{"type":"thought"}`, append(deltas, `{"type":"thought_signature","signature":`+quote(prove(a.at))+`}`)...)
	}
	if a.turn.Text != "" {
		var deltas []string
		for _, piece := range a.script.Pieces(a.turn.Text) {
			deltas = append(deltas, `{"type":"text","text":`+quote(piece)+`}`)
		}
		step(`{"type":"model_output"}`, deltas...)
	}
	for i, c := range a.turn.Calls {
		var deltas []string
		for _, piece := range a.script.Pieces(a.args(i)) {
			deltas = append(deltas, `{"type":"arguments_delta","arguments":`+quote(piece)+`}`)
		}
		step(fmt.Sprintf(`{"type":"function_call","id":%s,"name":%s,"arguments":{}}`, quote(a.id(i, p.q, "")), quote(c.Name)), deltas...)
	}
	event("interaction.completed", `"interaction":`+p.interaction(a, ""))
}

// interaction is the answer; steps is empty in a stream.
func (p interactions) interaction(a answer, steps string) string {
	status := "completed"
	switch a.turn.StopReason() {
	case model.StopLength:
		status = `incomplete`
	case model.StopRefusal:
		status = `failed","errors":[{"code":"safety","message":"blocked"}],"x":"`
	case model.StopMalformed:
		status = `failed","errors":[{"code":"malformed_function_call","message":"Malformed function call"}],"x":"`
	case model.StopCalls:
		status = "requires_action"
	}
	u := a.turn.Tokens(nil)
	return fmt.Sprintf(`{"id":"v1_1","object":"interaction","status":"%s"%s,"usage":{"total_input_tokens":%d,"total_cached_tokens":%d,"total_output_tokens":%d,"total_thought_tokens":%d}}`,
		status, steps, u.Input, u.CacheRead, u.Output-u.Thinking, u.Thinking)
}

func (p interactions) whole(a answer) any {
	var steps []string
	if a.turn.Think != "" {
		steps = append(steps, fmt.Sprintf(`{"type":"thought","signature":%q,"summary":[{"type":"text","text":%s}]}`, prove(a.at), quote(a.turn.Think)))
	}
	if a.turn.Text != "" {
		steps = append(steps, `{"type":"model_output","content":[{"type":"text","text":`+quote(a.turn.Text)+`}]}`)
	}
	for i, c := range a.turn.Calls {
		steps = append(steps, fmt.Sprintf(`{"type":"function_call","id":%s,"name":%s,"arguments":%s}`, quote(a.id(i, p.q, "")), quote(c.Name), a.object(i)))
	}
	return json.RawMessage(p.interaction(a, `,"steps":[`+strings.Join(steps, ",")+`]`))
}

func (p interactions) fault(f fault) any { return gemini{}.fault(f) }
