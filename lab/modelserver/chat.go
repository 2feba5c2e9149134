package modelserver

import (
	"encoding/json"
	"fmt"
	"strings"

	"rein/internal/jsontext"
	"rein/model"
)

// chat is the chat completions protocol.
type chat struct{ q Quirks }

func (c chat) read(body []byte) (r request, err error) {
	var in struct {
		Model    string
		Stream   bool
		Messages []struct {
			Role, Name string
			Content    json.RawMessage
			ToolCalls  []struct {
				ID, Type string
				Function struct{ Name, Arguments string }
			} `json:"tool_calls"`
			CallID    string `json:"tool_call_id"`
			Reasoning string `json:"reasoning_content"`
			Details   []struct{ Text, Signature string }
		}
	}
	if err := json.Unmarshal(body, &in); err != nil {
		return r, refuse("the body is not a request: %v", err)
	}
	r.stream = in.Stream
	for _, m := range in.Messages {
		if m.Role == "tool" && !strings.HasPrefix(string(m.Content), `"`) {
			return r, refuse("a message of the role tool takes one text as its content")
		}
		content, err := openaiContent(m.Content)
		if err != nil {
			return r, refuse("%v", err)
		}
		s := entry{role: m.Role, text: content, answers: m.CallID}
		switch m.Role {
		case "system", "developer":
			continue
		case "tool":
			s.role = "result"
		case "assistant":
			s.thought = m.Reasoning
			for _, t := range m.ToolCalls {
				if t.Type != "function" {
					return r, refuse("a call without type")
				}
				s.calls = append(s.calls, called{t.ID, t.Function.Name, t.Function.Arguments})
			}
		case "user":
			if string(m.Content) == `""` {
				return r, refuse("an empty message")
			}
		default:
			return r, refuse("unknown role %q", m.Role)
		}
		r.entries = append(r.entries, s)
	}
	return r, chatProofs(body, &r)
}

// chatProofs reads reasoning_details, which are signed. What came as reasoning_content is its own proof.
func chatProofs(body []byte, r *request) error {
	var in struct {
		Messages []struct {
			Role    string
			Details []struct{ Text, Signature string } `json:"reasoning_details"`
		}
	}
	if err := json.Unmarshal(body, &in); err != nil {
		return err
	}
	at := 0
	for _, m := range in.Messages {
		if m.Role == "system" {
			continue
		}
		for _, d := range m.Details {
			r.entries[at].thought = d.Text + d.Signature
		}
		at++
	}
	return nil
}

// thinks returns what a turn thinks. This protocol signs nothing: the proof is part of the text.
func (a answer) thinks() string {
	if a.turn.Think == "" {
		return ""
	}
	return prove(a.at)
}

func (c chat) stream(out *stream, a answer) {
	delta := func(body string) {
		usage := "null"
		if c.q["usage-beside"] {
			usage = c.usage(a)
		}
		out.event("", fmt.Appendf(nil, `{"id":"chatcmpl-%d","object":"chat.completion.chunk","created":1763683200,"model":"scripted","system_fingerprint":"fp_1","choices":[{"index":0,"delta":{%s},"logprobs":null,"finish_reason":null}],"usage":%s}`, a.at, body, usage))
	}
	delta(`"role":"assistant","content":""`)
	for _, p := range a.script.Pieces(a.thinks()) {
		if c.q["details"] {
			delta(`"reasoning":` + quote(p) + `,"reasoning_details":[{"type":"reasoning.text","text":` + quote(p) + `,"signature":null,"format":"x","index":0}]`)
		} else {
			delta(`"content":null,"reasoning_content":` + quote(p))
		}
	}
	if c.q["details"] && a.turn.Think != "" {
		delta(`"reasoning_details":[{"type":"reasoning.text","signature":"","index":0}]`)
	}
	for _, p := range a.script.Pieces(a.turn.Text) {
		if c.q["content-list"] {
			delta(`"content":[{"type":"text","text":` + quote(p) + `}]`)
		} else {
			delta(`"content":` + quote(p))
		}
	}
	for i := range a.turn.Calls {
		c.call(delta, a, i)
	}
	c.end(out, a)
}

// call streams one call in the way that the quirks ask for.
func (c chat) call(delta func(string), a answer, i int) {
	id, name, args := a.id(i, c.q, "call_"), a.turn.Calls[i].Name, a.args(i)
	index := fmt.Sprintf(`"index":%d,`, i)
	if c.q["same-index"] {
		index = `"index":0,`
	}
	if c.q["no-index"] {
		index = ""
	}
	head := `"id":` + quote(id) + `,"type":"function",`
	if c.q["no-ids"] {
		head = `"type":"function",`
	}
	piece := func(head, name, args string) {
		delta(`"tool_calls":[{` + index + head + `"function":{` + name + args + `}}]`)
	}
	named := `"name":` + quote(name) + `,`
	switch {
	case c.q["object-args"]:
		piece(head, named, `"arguments":`+string(a.object(i)))
		return
	case c.q["whole-calls"]:
		piece(head, named, `"arguments":`+quote(args))
		return
	case c.q["null-args"]:
		piece(head, named, `"arguments":null`)
	default:
		piece(head, named, `"arguments":""`)
	}
	later, laterName := "", ""
	switch {
	case c.q["repeat-names"]:
		later, laterName = head, named
	case c.q["empty-ids"]:
		later, laterName = `"id":"",`, `"name":"",`
	case c.q["no-index"]:
		later = head
	}
	for _, p := range a.script.Pieces(args) {
		piece(later, laterName, `"arguments":`+quote(p))
	}
}

func (c chat) end(out *stream, a answer) {
	out.event("", fmt.Appendf(nil, `{"id":"chatcmpl-%d","object":"chat.completion.chunk","choices":[{"index":0,"delta":{"tool_calls":null},"finish_reason":%q}]}`, a.at, c.reason(a)))
	out.event("", fmt.Appendf(nil, `{"id":"chatcmpl-%d","object":"chat.completion.chunk","choices":[],"usage":%s}`, a.at, c.usage(a)))
	if !c.q["no-done"] {
		out.event("", []byte("[DONE]"))
	}
}

func (c chat) reason(a answer) string {
	switch stop := a.turn.StopReason(); {
	case stop == model.StopLength:
		return "length"
	case stop == model.StopRefusal:
		return "content_filter"
	case stop == model.StopCalls && !c.q["always-stop"]:
		return "tool_calls"
	}
	return "stop"
}

func (c chat) usage(a answer) string {
	u := a.turn.Tokens(nil)
	return fmt.Sprintf(`{"prompt_tokens":%d,"completion_tokens":%d,"total_tokens":%d,"prompt_tokens_details":{"cached_tokens":%d,"cache_write_tokens":%d},"completion_tokens_details":{"reasoning_tokens":%d},"cost":%g}`,
		u.Input, u.Output, u.Input+u.Output, u.CacheRead, u.CacheWrite, u.Thinking, u.Cost)
}

func (c chat) whole(a answer) any {
	message := map[string]any{"role": "assistant", "content": a.turn.Text}
	if a.turn.Think != "" {
		message["reasoning_content"] = a.thinks()
	}
	var calls []any
	for i, call := range a.turn.Calls {
		calls = append(calls, map[string]any{"id": a.id(i, c.q, "call_"), "type": "function", "function": map[string]any{"name": call.Name, "arguments": a.args(i)}})
	}
	if calls != nil {
		message["tool_calls"] = calls
	}
	return map[string]any{
		"id": "chatcmpl-1", "object": "chat.completion",
		"choices": []any{map[string]any{"index": 0, "message": message, "finish_reason": c.reason(a)}},
		"usage":   json.RawMessage(c.usage(a)),
	}
}

func (c chat) fault(f fault) any {
	return map[string]any{"error": map[string]any{"message": f.text, "type": "api_error", "code": nil, "param": nil}}
}

func quote(s string) string { return string(jsontext.AppendString(nil, s)) }
