package modelserver

import (
	"encoding/json"
	"maps"
	"strings"

	"rein/model"
)

// ollama is the own protocol of Ollama. Its streams are lines of JSON, and calls come whole.
type ollama struct{ q Quirks }

func (o ollama) read(body []byte) (r request, err error) {
	var in struct {
		Stream   *bool
		Messages []struct {
			Role, Content, Thinking string
			Images                  []string
			Calls                   []struct {
				ID       string
				Function struct {
					Name      string
					Arguments json.RawMessage
				}
			} `json:"tool_calls"`
			Name string `json:"tool_name"`
		}
	}
	if err := json.Unmarshal(body, &in); err != nil {
		return r, refuse("the body is not a request: %v", err)
	}
	r.stream, r.named = in.Stream == nil || *in.Stream, true
	for _, m := range in.Messages {
		e := entry{role: m.Role, text: m.Content, thought: m.Thinking, answers: m.Name}
		for _, image := range m.Images {
			text, err := attached(imageType(image), image, webImages)
			if err != nil {
				return r, refuse("%v", err)
			}
			e.text += text
		}
		for _, c := range m.Calls {
			e.calls = append(e.calls, called{c.ID, c.Function.Name, string(c.Function.Arguments)})
		}
		switch m.Role {
		case "system":
			continue
		case "tool":
			e.role = "result"
		case "user", "assistant":
		default:
			return r, refuse("unknown role %q", m.Role)
		}
		r.entries = append(r.entries, e)
	}
	return r, nil
}

// imageType finds the type of an image by how its data begin, in base64: the protocol does not name it.
func imageType(data string) string {
	for _, row := range [][2]string{{"iVBO", "image/png"}, {"/9j/", "image/jpeg"}, {"UklGR", "image/webp"}} {
		if strings.HasPrefix(data, row[0]) {
			return row[1]
		}
	}
	return "unknown"
}

// line is one line of an answer.
func (o ollama) line(fields map[string]any, message map[string]any) map[string]any {
	message["role"] = "assistant"
	if message["content"] == nil {
		message["content"] = ""
	}
	line := map[string]any{"model": "scripted", "created_at": "2026-01-01T00:00:00Z", "message": message, "done": false}
	maps.Copy(line, fields)
	return line
}

func (o ollama) stream(out *stream, a answer) {
	for _, p := range a.script.Pieces(a.thinks()) {
		out.event("", o.line(nil, map[string]any{"thinking": p}))
	}
	for _, p := range a.script.Pieces(a.turn.Text) {
		out.event("", o.line(nil, map[string]any{"content": p}))
	}
	if calls := o.calls(a); calls != nil {
		out.event("", o.line(nil, map[string]any{"tool_calls": calls}))
	}
	out.event("", o.line(o.end(a), map[string]any{}))
}

func (o ollama) calls(a answer) (calls []any) {
	for i, c := range a.turn.Calls {
		call := map[string]any{"function": map[string]any{"index": i, "name": c.Name, "arguments": a.object(i)}}
		if id := a.id(i, o.q, "call_"); id != "" {
			call["id"] = id
		}
		calls = append(calls, call)
	}
	return calls
}

// end has the fields of the last line.
func (o ollama) end(a answer) map[string]any {
	u := a.turn.Tokens(nil)
	reason := "stop"
	if a.turn.StopReason() == model.StopLength {
		reason = "length"
	}
	return map[string]any{"done": true, "done_reason": reason, "prompt_eval_count": u.Input, "eval_count": u.Output}
}

func (o ollama) whole(a answer) any {
	message := map[string]any{"content": a.turn.Text}
	if a.turn.Think != "" {
		message["thinking"] = a.thinks()
	}
	if calls := o.calls(a); calls != nil {
		message["tool_calls"] = calls
	}
	return o.line(o.end(a), message)
}

func (o ollama) fault(f fault) any { return map[string]any{"error": f.text} }
