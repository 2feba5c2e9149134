package modelserver

import (
	"encoding/json"
	"fmt"
	"strings"

	"rein/model"
)

// converse is the protocol of Amazon Bedrock. Its streams have frames.
type converse struct {
	q      Quirks
	framed bool
}

// converseBlock is one block of a message.
type converseBlock struct {
	Text  *string
	Image *struct {
		Format string
		Source struct{ Bytes string }
	}
	Document *struct {
		Format, Name string
		Source       struct{ Bytes string }
	}
	ToolUse *struct {
		ID    string `json:"toolUseId"`
		Name  string
		Input json.RawMessage
	} `json:"toolUse"`
	ToolResult *struct {
		ID      string `json:"toolUseId"`
		Content []converseBlock
		Status  string
	} `json:"toolResult"`
	Reasoning *struct {
		Text struct{ Text, Signature string } `json:"reasoningText"`
	} `json:"reasoningContent"`
	CachePoint *struct{ Type string } `json:"cachePoint"`
}

func (p converse) read(body []byte) (r request, err error) {
	var in struct {
		Messages []struct {
			Role    string
			Content []converseBlock
		}
		ToolConfig *struct{ Tools []any } `json:"toolConfig"`
	}
	if err := json.Unmarshal(body, &in); err != nil {
		return r, refuse("the body is not a request: %v", err)
	}
	r.stream = p.framed
	for i, m := range in.Messages {
		list, err := p.message(m.Role, m.Content)
		if err != nil {
			return r, refuse("messages.%d: %v", i, err)
		}
		for _, e := range list {
			if (len(e.calls) > 0 || e.role == "result") && in.ToolConfig == nil {
				return r, refuse("The toolConfig field must be defined when using toolUse and toolResult content blocks.")
			}
		}
		r.entries = append(r.entries, list...)
	}
	return r, nil
}

func (p converse) message(role string, blocks []converseBlock) ([]entry, error) {
	own := entry{role: role}
	var list []entry
	for _, b := range blocks {
		switch {
		case b.CachePoint != nil:
		case b.ToolResult != nil:
			text, err := p.words(b.ToolResult.Content)
			if err != nil || b.ToolResult.Status != "success" && b.ToolResult.Status != "error" {
				return nil, fmt.Errorf("a result with the status %q: %v", b.ToolResult.Status, err)
			}
			list = append(list, entry{role: "result", text: text, failed: b.ToolResult.Status == "error", answers: b.ToolResult.ID})
		case b.ToolUse != nil:
			own.calls = append(own.calls, called{b.ToolUse.ID, b.ToolUse.Name, string(b.ToolUse.Input)})
		case b.Reasoning != nil:
			own.thought += b.Reasoning.Text.Signature
		default:
			text, err := p.words([]converseBlock{b})
			if err != nil {
				return nil, err
			}
			own.text += text
		}
	}
	if own.text != "" || own.calls != nil || own.thought != "" {
		list = append(list, own)
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("content is empty")
	}
	return list, nil
}

// words returns the texts and the files of blocks.
func (p converse) words(blocks []converseBlock) (string, error) {
	var b strings.Builder
	for _, c := range blocks {
		switch {
		case c.Text != nil && strings.TrimSpace(*c.Text) == "":
			return "", fmt.Errorf("a blank text")
		case c.Text != nil:
			b.WriteString(*c.Text)
		case c.Image != nil:
			text, err := attached("image/"+c.Image.Format, c.Image.Source.Bytes, webImages)
			if err != nil {
				return "", err
			}
			b.WriteString(text)
		case c.Document != nil && c.Document.Name != "":
			text, err := attached("application/"+c.Document.Format, c.Document.Source.Bytes, webFiles)
			if err != nil {
				return "", err
			}
			b.WriteString(text)
		default:
			return "", fmt.Errorf("an unknown block")
		}
	}
	return b.String(), nil
}

func (p converse) stream(out *stream, a answer) {
	out.event("messageStart", []byte(`{"role":"assistant"}`))
	index := 0
	block := func(start string, deltas func(delta func(field, value string))) {
		if start != "" {
			out.event("contentBlockStart", fmt.Appendf(nil, `{"contentBlockIndex":%d,"start":%s}`, index, start))
		}
		deltas(func(field, value string) {
			out.event("contentBlockDelta", fmt.Appendf(nil, `{"contentBlockIndex":%d,"delta":`+field+`}`, index, quote(value)))
		})
		out.event("contentBlockStop", fmt.Appendf(nil, `{"contentBlockIndex":%d}`, index))
		index++
	}
	if a.turn.Think != "" {
		block("", func(delta func(field, value string)) {
			for _, piece := range a.script.Pieces(a.turn.Think) {
				delta(`{"reasoningContent":{"text":%s}}`, piece)
			}
			delta(`{"reasoningContent":{"signature":%s}}`, prove(a.at))
		})
	}
	if a.turn.Text != "" {
		block("", func(delta func(field, value string)) {
			for _, piece := range a.script.Pieces(a.turn.Text) {
				delta(`{"text":%s}`, piece)
			}
		})
	}
	for i, c := range a.turn.Calls {
		block(fmt.Sprintf(`{"toolUse":{"toolUseId":%s,"name":%s}}`, quote(a.id(i, p.q, "tooluse_")), quote(c.Name)), func(delta func(field, value string)) {
			for _, piece := range a.script.Pieces(a.args(i)) {
				delta(`{"toolUse":{"input":%s}}`, piece)
			}
		})
	}
	out.event("messageStop", fmt.Appendf(nil, `{"stopReason":%q}`, p.reason(a)))
	out.event("metadata", map[string]any{"usage": p.usage(a), "metrics": map[string]int{"latencyMs": 1}})
}

func (p converse) usage(a answer) any {
	u := a.turn.Tokens(nil)
	return map[string]int64{"inputTokens": u.Input - u.CacheRead - u.CacheWrite, "cacheReadInputTokens": u.CacheRead, "cacheWriteInputTokens": u.CacheWrite,
		"outputTokens": u.Output, "totalTokens": u.Input + u.Output}
}

func (p converse) reason(a answer) string {
	switch a.turn.StopReason() {
	case model.StopLength:
		return "max_tokens"
	case model.StopRefusal:
		return "guardrail_intervened"
	case model.StopCalls:
		return "tool_use"
	}
	return "end_turn"
}

func (p converse) whole(a answer) any {
	list := []any{}
	if a.turn.Think != "" {
		list = append(list, map[string]any{"reasoningContent": map[string]any{"reasoningText": map[string]any{"text": a.turn.Think, "signature": prove(a.at)}}})
	}
	if a.turn.Text != "" {
		list = append(list, map[string]any{"text": a.turn.Text})
	}
	for i, c := range a.turn.Calls {
		list = append(list, map[string]any{"toolUse": map[string]any{"toolUseId": a.id(i, p.q, "tooluse_"), "name": c.Name, "input": a.object(i)}})
	}
	return map[string]any{"output": map[string]any{"message": map[string]any{"role": "assistant", "content": list}}, "stopReason": p.reason(a), "usage": p.usage(a)}
}

func (p converse) fault(f fault) any { return map[string]any{"message": f.text} }
