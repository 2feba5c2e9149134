package modelserver

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"rein/model"
)

// gemini is the generateContent protocol of Google.
type gemini struct {
	q        Quirks
	streamed bool
}

// geminiPart is one part of a content.
type geminiPart struct {
	Text      *string
	Inline    *blob  `json:"inlineData"`
	Signature string `json:"thoughtSignature"`
	Call      *struct {
		ID, Name string
		Args     json.RawMessage
	} `json:"functionCall"`
	Response *geminiResponse `json:"functionResponse"`
}

type geminiResponse struct {
	ID, Name string
	Response map[string]json.RawMessage
	Parts    []struct {
		Inline *blob `json:"inlineData"`
	}
}

func (p gemini) read(body []byte) (r request, err error) {
	var in struct {
		Contents []struct {
			Role  string
			Parts []geminiPart
		}
	}
	if err := json.Unmarshal(body, &in); err != nil {
		return r, refuse("the body is not a request: %v", err)
	}
	r.stream, r.named = p.streamed, true
	for i, c := range in.Contents {
		list, err := p.content(c.Role, c.Parts)
		if err != nil {
			return r, refuse("contents.%d: %v", i, err)
		}
		r.entries = append(r.entries, list...)
	}
	return r, nil
}

// content returns the results of a content, then the rest of it.
func (p gemini) content(role string, parts []geminiPart) (list []entry, err error) {
	if len(parts) == 0 {
		return nil, fmt.Errorf("parts is empty")
	}
	own := entry{role: role}
	if role == "model" {
		own.role = "assistant"
	}
	for _, part := range parts {
		own.thought += part.Signature
		file, err := part.Inline.words()
		if err != nil {
			return nil, err
		}
		own.text += file
		switch {
		case part.Text != nil:
			own.text += *part.Text
		case part.Call != nil:
			own.calls = append(own.calls, called{part.Call.ID, part.Call.Name, string(part.Call.Args)})
		case part.Response != nil:
			s, err := part.Response.entry()
			if err != nil {
				return nil, err
			}
			list = append(list, s)
		case part.Inline == nil && part.Signature == "":
			return nil, fmt.Errorf("a part of no known kind")
		}
	}
	if len(list) == 0 || own.text != "" {
		list = append(list, own)
	}
	return list, nil
}

func (g *geminiResponse) entry() (entry, error) {
	output, failed := g.Response["output"], g.Response["error"]
	s := entry{role: "result", text: text(output) + text(failed), failed: failed != nil, answers: g.Name}
	for _, inner := range g.Parts {
		file, err := inner.Inline.words()
		if err != nil {
			return entry{}, fmt.Errorf("functionResponse: %w", err)
		}
		s.text += file
	}
	return s, nil
}

func (p gemini) stream(out *stream, a answer) {
	chunk := func(parts, more string) {
		out.event("", fmt.Appendf(nil, `{"candidates":[{"content":{"parts":[%s],"role":"model"},"index":0%s}],"usageMetadata":%s,"modelVersion":"scripted"}`, parts, more, p.usage(a)))
	}
	for _, piece := range a.script.Pieces(a.turn.Think) {
		chunk(`{"text":`+quote(piece)+`,"thought":true}`, "")
	}
	for _, piece := range a.script.Pieces(a.turn.Text) {
		chunk(`{"text":`+quote(piece)+`}`, "")
	}
	calls := p.calls(a)
	switch {
	case p.q["partial-args"]:
		for i := range calls {
			p.partial(chunk, a, i)
		}
		calls = nil
	case p.q["spread"]:
		for _, c := range calls {
			chunk(c, "")
		}
		calls = nil
	}
	if a.turn.Think != "" && len(a.turn.Calls) == 0 {
		calls = append(calls, fmt.Sprintf(`{"text":"","thoughtSignature":%q}`, prove(a.at)))
	}
	chunk(strings.Join(calls, ","), fmt.Sprintf(`,"finishReason":%q%s`, p.reason(a), p.message(a)))
}

// calls returns the parts of all calls; the first is signed when the turn thinks.
func (p gemini) calls(a answer) []string {
	var parts []string
	for i, c := range a.turn.Calls {
		part := `{"functionCall":{"name":` + quote(c.Name)
		if c.ID != "" {
			part += `,"id":` + quote(a.id(i, p.q, ""))
		}
		if c.Args != "" {
			part += `,"args":` + string(a.object(i))
		}
		part += "}" + p.signature(a, i) + "}"
		parts = append(parts, part)
	}
	return parts
}

func (p gemini) signature(a answer, i int) string {
	if i > 0 || a.turn.Think == "" {
		return ""
	}
	return `,"thoughtSignature":` + quote(prove(a.at))
}

// partial streams a call's arguments by their paths. The piece that closes the call is left out for the last one.
func (p gemini) partial(chunk func(parts, more string), a answer, i int) {
	chunk(`{"functionCall":{"name":`+quote(a.turn.Calls[i].Name)+`,"willContinue":true}`+p.signature(a, i)+`}`, "")
	var args map[string]any
	_ = json.Unmarshal(a.object(i), &args)
	keys := make([]string, 0, len(args))
	for k := range args {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	piece := func(path, field, value string) {
		chunk(`{"functionCall":{"partialArgs":[{"jsonPath":`+quote(path)+`,`+quote(field)+`:`+value+`,"willContinue":true}],"willContinue":true}}`, "")
	}
	for _, k := range keys {
		p.value(piece, a, "$."+k, args[k])
	}
	if i+1 < len(a.turn.Calls) {
		chunk(`{"functionCall":{}}`, "")
	}
}

func (p gemini) value(piece func(path, field, value string), a answer, path string, v any) {
	switch v := v.(type) {
	case string:
		for _, text := range a.script.Pieces(v) {
			piece(path, "stringValue", quote(text))
		}
	case []any:
		for i, item := range v {
			p.value(piece, a, fmt.Sprintf("%s[%d]", path, i), item)
		}
	case map[string]any:
		for k, item := range v {
			p.value(piece, a, path+"."+k, item)
		}
	case nil:
		piece(path, "nullValue", `"NULL_VALUE"`)
	case bool:
		piece(path, "boolValue", fmt.Sprint(v))
	default:
		piece(path, "numberValue", string(encode(v)))
	}
}

func (p gemini) reason(a answer) string {
	switch a.turn.StopReason() {
	case model.StopLength:
		return "MAX_TOKENS"
	case model.StopRefusal:
		return "SAFETY"
	case model.StopMalformed:
		return "MALFORMED_FUNCTION_CALL"
	}
	return "STOP"
}

func (p gemini) message(a answer) string {
	if a.turn.StopReason() != model.StopMalformed {
		return ""
	}
	return `,"finishMessage":"Malformed function call: print(default_api.f(x=1))"`
}

func (p gemini) usage(a answer) string {
	u := a.turn.Tokens(nil)
	return fmt.Sprintf(`{"promptTokenCount":%d,"candidatesTokenCount":%d,"thoughtsTokenCount":%d,"cachedContentTokenCount":%d}`, u.Input, u.Output-u.Thinking, u.Thinking, u.CacheRead)
}

func (p gemini) whole(a answer) any {
	var parts []string
	if a.turn.Text != "" {
		parts = append(parts, `{"text":`+quote(a.turn.Text)+`}`)
	}
	parts = append(parts, p.calls(a)...)
	if a.turn.Think != "" && len(a.turn.Calls) == 0 {
		parts = append(parts, fmt.Sprintf(`{"text":"","thoughtSignature":%q}`, prove(a.at)))
	}
	return json.RawMessage(fmt.Sprintf(`{"candidates":[{"content":{"parts":[%s],"role":"model"},"finishReason":%q%s}],"usageMetadata":%s}`,
		strings.Join(parts, ","), p.reason(a), p.message(a), p.usage(a)))
}

func (p gemini) fault(f fault) any {
	status := map[int]string{400: "INVALID_ARGUMENT", 401: "UNAUTHENTICATED", 403: "PERMISSION_DENIED", 404: "NOT_FOUND", 429: "RESOURCE_EXHAUSTED", 503: "UNAVAILABLE"}[f.status]
	if status == "" {
		status = strings.ToUpper(http.StatusText(f.status))
	}
	return map[string]any{"error": map[string]any{"code": f.status, "message": f.text, "status": status}}
}
