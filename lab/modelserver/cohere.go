package modelserver

import (
	"encoding/json"
	"fmt"

	"rein/model"
)

// cohere is the protocol of Cohere, version 2.
type cohere struct{ q Quirks }

func (c cohere) read(body []byte) (r request, err error) {
	var in struct {
		Stream   bool
		Messages []struct {
			Role    string
			Content json.RawMessage
			Plan    string `json:"tool_plan"`
			Calls   []struct {
				ID, Type string
				Function struct{ Name, Arguments string }
			} `json:"tool_calls"`
			CallID string `json:"tool_call_id"`
		}
		Choice string `json:"tool_choice"`
	}
	if err := json.Unmarshal(body, &in); err != nil {
		return r, refuse("the body is not a request: %v", err)
	}
	if in.Choice != "" && in.Choice != "REQUIRED" && in.Choice != "NONE" {
		return r, refuse("tool_choice is REQUIRED or NONE, not %q", in.Choice)
	}
	r.stream = in.Stream
	for _, m := range in.Messages {
		e := entry{role: m.Role, answers: m.CallID}
		if e.text, e.thought, err = cohereContent(m.Content); err != nil {
			return r, refuse("%v", err)
		}
		switch m.Role {
		case "system":
			continue
		case "tool":
			e.role = "result"
		case "assistant":
			e.text += m.Plan
			for _, t := range m.Calls {
				if t.Type != "function" {
					return r, refuse("a call without type")
				}
				e.calls = append(e.calls, called{t.ID, t.Function.Name, t.Function.Arguments})
			}
			if len(e.calls) > 0 && e.text != m.Plan {
				return r, refuse("a message with calls has its words in tool_plan")
			}
		case "user":
		default:
			return r, refuse("unknown role %q", m.Role)
		}
		r.entries = append(r.entries, e)
	}
	return r, nil
}

// cohereContent returns the texts and files of a content, and its thinking.
func cohereContent(raw json.RawMessage) (text, thought string, err error) {
	var parts []struct{ Type, Thinking string }
	if json.Unmarshal(raw, &parts) != nil {
		text, err = openaiContent(raw)
		return text, "", err
	}
	var others []json.RawMessage
	var all []json.RawMessage
	_ = json.Unmarshal(raw, &all)
	for i, p := range parts {
		if p.Type == "thinking" {
			thought += p.Thinking
		} else {
			others = append(others, all[i])
		}
	}
	rest, err := json.Marshal(others)
	if err == nil && others != nil {
		text, err = openaiContent(rest)
	}
	return text, thought, err
}

func (c cohere) stream(out *stream, a answer) {
	event := func(kind string, index int, message string) {
		if message != "" {
			message = `,"delta":{"message":` + message + `}`
		}
		out.event(kind, fmt.Appendf(nil, `{"type":%q,"index":%d%s}`, kind, index, message))
	}
	event("message-start", 0, `{"role":"assistant","content":[],"tool_plan":"","tool_calls":[],"citations":[]}`)
	index := 0
	block := func(kind, words string) {
		event("content-start", index, `{"content":{"type":"`+kind+`","`+kind+`":""}}`)
		for _, p := range a.script.Pieces(words) {
			event("content-delta", index, `{"content":{"`+kind+`":`+quote(p)+`}}`)
		}
		event("content-end", index, "")
		index++
	}
	if a.turn.Think != "" {
		block("thinking", a.thinks())
	}
	switch {
	case len(a.turn.Calls) > 0:
		for _, p := range a.script.Pieces(a.turn.Text) {
			event("tool-plan-delta", 0, `{"tool_plan":`+quote(p)+`}`)
		}
	case a.turn.Text != "":
		block("text", a.turn.Text)
	}
	for i, call := range a.turn.Calls {
		event("tool-call-start", i, `{"tool_calls":{"id":`+quote(a.id(i, c.q, call.Name+"_"))+`,"type":"function","function":{"name":`+quote(call.Name)+`,"arguments":""}}}`)
		for _, p := range a.script.Pieces(a.args(i)) {
			event("tool-call-delta", i, `{"tool_calls":{"function":{"arguments":`+quote(p)+`}}}`)
		}
		event("tool-call-end", i, "")
	}
	out.event("message-end", map[string]any{"type": "message-end", "delta": map[string]any{"finish_reason": c.reason(a), "usage": c.usage(a)}})
}

func (c cohere) usage(a answer) any {
	u := a.turn.Tokens(nil)
	tokens := map[string]int64{"input_tokens": u.Input, "output_tokens": u.Output}
	return map[string]any{"billed_units": tokens, "tokens": tokens, "cached_tokens": u.CacheRead}
}

func (c cohere) reason(a answer) string {
	switch a.turn.StopReason() {
	case model.StopLength:
		return "MAX_TOKENS"
	case model.StopRefusal:
		return "ERROR_TOXIC"
	case model.StopCalls:
		return "TOOL_CALL"
	}
	return "COMPLETE"
}

func (c cohere) whole(a answer) any {
	var content []any
	message := map[string]any{"role": "assistant"}
	if a.turn.Think != "" {
		content = append(content, map[string]any{"type": "thinking", "thinking": a.thinks()})
	}
	switch {
	case len(a.turn.Calls) > 0:
		message["tool_plan"] = a.turn.Text
	case a.turn.Text != "":
		content = append(content, map[string]any{"type": "text", "text": a.turn.Text})
	}
	if content != nil {
		message["content"] = content
	}
	var calls []any
	for i, call := range a.turn.Calls {
		calls = append(calls, map[string]any{"id": a.id(i, c.q, call.Name+"_"), "type": "function", "function": map[string]any{"name": call.Name, "arguments": a.args(i)}})
	}
	if calls != nil {
		message["tool_calls"] = calls
	}
	return map[string]any{"id": "scripted", "finish_reason": c.reason(a), "message": message, "usage": c.usage(a)}
}

func (c cohere) fault(f fault) any { return map[string]any{"id": "scripted", "message": f.text} }
