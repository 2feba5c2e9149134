package sessions

import (
	"encoding/base64"
	"encoding/json"
	"strings"
	"time"

	"rein/event"
	"rein/model"
)

// codexLine is a line of a file of Codex.
type codexLine struct {
	Time    time.Time       `json:"timestamp"`
	Type    string          `json:"type"`
	Payload json.RawMessage `json:"payload"`
}

// codexItem is the payload of any line, as far as it is read.
type codexItem struct {
	Type      string          `json:"type"`
	ID        string          `json:"id"`
	Dir       string          `json:"cwd"`
	Model     string          `json:"model"`
	Role      string          `json:"role"`
	Content   []codexContent  `json:"content"`
	Summary   []codexContent  `json:"summary"`
	Encrypted string          `json:"encrypted_content"`
	Name      string          `json:"name"`
	Namespace string          `json:"namespace"`
	Args      string          `json:"arguments"`
	Input     string          `json:"input"`
	CallID    string          `json:"call_id"`
	Output    json.RawMessage `json:"output"`
	Action    json.RawMessage `json:"action"`
	Info      *struct {
		Last *struct {
			Input    int64 `json:"input_tokens"`
			Cached   int64 `json:"cached_input_tokens"`
			Output   int64 `json:"output_tokens"`
			Thinking int64 `json:"reasoning_output_tokens"`
		} `json:"last_token_usage"`
	} `json:"info"`
}

type codexContent struct {
	Type  string `json:"type"`
	Text  string `json:"text"`
	Image string `json:"image_url"`
}

// readCodex reads a session of Codex. The conversation is in the response items; other lines have it again. What was compacted
// is there before the line of the compaction.
func readCodex(b *builder, lines [][]byte) (*Transcript, error) {
	b.Program = "codex"
	name := ""
	for _, text := range lines {
		var l codexLine
		var it codexItem
		if json.Unmarshal(text, &l) != nil || len(l.Payload) > 0 && json.Unmarshal(l.Payload, &it) != nil {
			b.lose("lines that cannot be read", 1)
			continue
		}
		switch {
		case l.Type == "session_meta" && b.ID == "":
			b.ID, b.Dir = it.ID, it.Dir
		case l.Type == "turn_context":
			name = it.Model
		case l.Type == "compacted":
			b.lose("summaries of compactions", 1)
		case l.Type == "event_msg" && it.Type == "token_count" && it.Info != nil && it.Info.Last != nil:
			u := it.Info.Last
			b.usage(event.Usage{Input: u.Input, CacheRead: u.Cached, Output: u.Output, Thinking: u.Thinking})
		case l.Type == "response_item":
			b.codexItem(&it, l.Time, name)
		}
	}
	return b.done()
}

// usage gives the last answer its tokens.
func (b *builder) usage(u event.Usage) {
	if b.draft != nil {
		b.draft.usage = &u
		return
	}
	for i := len(b.Events) - 1; i >= 0; i-- {
		if b.Events[i].Kind == event.Responded {
			b.Events[i].Usage = &u
			return
		}
	}
}

func (b *builder) codexItem(it *codexItem, at time.Time, name string) {
	own := func() *draft {
		d := b.answer("", at)
		d.model = name
		return d
	}
	switch it.Type {
	case "message":
		b.codexMessage(it, at, own)
	case "reasoning":
		var texts []string
		for _, s := range it.Summary {
			texts = append(texts, s.Text)
		}
		if len(texts) > 0 {
			d := own()
			d.parts = append(d.parts, model.Part{Kind: model.ThinkingKind, Text: strings.Join(texts, "\n")})
		} else if it.Encrypted != "" {
			b.lose("pieces of encrypted thinking", 1)
		}
	case "function_call":
		if it.Namespace != "" {
			it.Name = it.Namespace + "__" + it.Name
		}
		b.call(own(), it.CallID, it.Name, json.RawMessage(it.Args))
	case "custom_tool_call":
		args, _ := json.Marshal(map[string]string{"input": it.Input})
		b.call(own(), it.CallID, it.Name, args)
	case "local_shell_call":
		b.call(own(), it.CallID, "local_shell", it.Action)
	case "function_call_output", "custom_tool_call_output", "local_shell_call_output":
		b.result(it.CallID, codexOutput(it.Output), false, nil, at)
	default:
		b.lose("items of the type "+it.Type, 1)
	}
}

func (b *builder) codexMessage(it *codexItem, at time.Time, own func() *draft) {
	var parts []model.Part
	for _, c := range it.Content {
		switch {
		case c.Type == "input_text" || c.Type == "output_text" || c.Type == "text":
			if it.Role == "user" && isHarnessText(c.Text) {
				b.lose("messages of the program", 1)
				continue
			}
			parts = append(parts, model.Text(c.Text))
		case c.Type == "input_image":
			parts = append(parts, b.codexImage(c.Image)...)
		default:
			b.lose("pieces of the type "+c.Type, 1)
		}
	}
	switch {
	case len(parts) == 0:
	case it.Role == "user":
		b.user(at, parts...)
	case it.Role == "assistant":
		d := own()
		d.parts = append(d.parts, parts...)
	default:
		b.lose("messages of the program", 1)
	}
}

// isHarnessText reports whether the program wrote a text in the user's place.
func isHarnessText(text string) bool {
	text = strings.TrimSpace(text)
	for _, begin := range []string{"<environment_context>", "<user_instructions>", "# AGENTS.md instructions", "<permissions", "<turn_aborted>", "<skills", "<INSTRUCTIONS>"} {
		if strings.HasPrefix(text, begin) {
			return true
		}
	}
	return false
}

// codexImage reads an image from its data URL.
func (b *builder) codexImage(url string) []model.Part {
	head, data, ok := strings.Cut(strings.TrimPrefix(url, "data:"), ";base64,")
	bytes, err := base64.StdEncoding.DecodeString(data)
	if !ok || err != nil || !strings.HasPrefix(head, "image/") {
		b.lose("images without data", 1)
		return nil
	}
	return []model.Part{model.Image(head, bytes)}
}

// codexOutput returns the text of an output: a string, a list of pieces, or an object with the text in it.
func codexOutput(output json.RawMessage) string {
	var text string
	if json.Unmarshal(output, &text) == nil {
		var inner struct {
			Output *string `json:"output"`
		}
		if json.Unmarshal([]byte(text), &inner) == nil && inner.Output != nil {
			return *inner.Output
		}
		return text
	}
	var pieces []codexContent
	if json.Unmarshal(output, &pieces) == nil {
		for _, p := range pieces {
			text += p.Text
		}
		return text
	}
	return string(output)
}
