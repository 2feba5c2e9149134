// Package gemini implements the generateContent protocol of Google's Gemini.
package gemini

import (
	"context"
	"iter"
	"net/http"
	"strconv"
	"strings"

	"rein/internal/jsonwrite"
	"rein/model"
)

// Gemini asks a model by the generateContent protocol. It must not be copied after its first use.
type Gemini struct {
	model.HTTP
	tools model.ToolCache
}

// Stream implements model.Model.
func (g *Gemini) Stream(ctx context.Context, r *model.Request) iter.Seq2[model.Chunk, error] {
	return g.HTTP.Stream(ctx, func() model.Post {
		var key http.Header
		if g.Key != "" {
			key = http.Header{"X-Goog-Api-Key": {g.Key}}
		}
		body, sent := g.body(r)
		return model.Post{
			Path:    "/v1beta/models/" + strings.TrimPrefix(g.Who.Name, "models/") + ":streamGenerateContent?alt=sse",
			Header:  key,
			Body:    body,
			Sent:    sent,
			Decoder: &decoder{http: &g.HTTP, sent: sent, draft: model.Draft{Before: r.Messages}},
		}
	})
}

// body returns the request in pieces: what comes before the messages, each message as it was kept, and what follows.
func (g *Gemini) body(r *model.Request) (pieces [][]byte, sent *model.Sent) {
	head := []byte{'{'}
	if r.System != "" {
		head = jsonwrite.Field(append(head, `"systemInstruction":{"parts":[{`...), "text", r.System)
		head = append(head, `}]},`...)
	}
	head = append(head, `"contents":[`...)
	tools, sent := g.tools.Get(r.Tools, "gemini", encodeTools)
	to := target{to: g.Who, signs: g.signs(), sent: sent}
	pieces = model.Pieces(head, r.Messages, "gemini:"+g.Who.String()+sent.Key(), to.encode)
	tail := append([]byte{']'}, g.config(r)...)
	if tools == nil {
		return append(pieces, append(tail, '}')), sent
	}
	tail = append(append(tail, choice(r.Choice, sent)...), `,"tools":[{"functionDeclarations":`...)
	return append(pieces, tail, tools, []byte("}]}")), sent
}

// signs reports whether the model refuses calls in the history that no model of its kind signed.
func (g *Gemini) signs() bool {
	return strings.HasPrefix(g.Who.Name, "gemini-") && !strings.HasPrefix(g.Who.Name, "gemini-1") && !strings.HasPrefix(g.Who.Name, "gemini-2")
}

// config returns the options of the request, with a comma before them.
func (g *Gemini) config(r *model.Request) []byte {
	out := []byte(`,"generationConfig":{`)
	empty := len(out)
	if r.MaxTokens > 0 {
		out = strconv.AppendInt(jsonwrite.Key(out, "maxOutputTokens"), int64(r.MaxTokens), 10)
	}
	if r.Temperature != nil {
		out = strconv.AppendFloat(jsonwrite.Key(out, "temperature"), *r.Temperature, 'g', -1, 64)
	}
	out = append(out, g.thinking(r.Effort, len(out) > empty)...)
	if len(out) == empty {
		return nil
	}
	return append(out, '}')
}

func (g *Gemini) thinking(effort string, follows bool) string {
	field := ""
	switch budget := map[string]int{"none": 0, "minimal": 512, "low": 2048, "medium": 8192, "high": 24576, "xhigh": 24576, "max": 24576}; {
	case effort == "":
		return ""
	case !g.signs():
		field = `"thinkingBudget":` + strconv.Itoa(budget[effort])
	case effort == "none" || effort == "minimal":
		field = `"thinkingLevel":"low"`
	case effort == "xhigh" || effort == "max":
		field = `"thinkingLevel":"high"`
	default:
		field = `"thinkingLevel":"` + effort + `"`
	}
	out := `"thinkingConfig":{"includeThoughts":` + strconv.FormatBool(effort != "none") + "," + field + "}"
	if follows {
		return "," + out
	}
	return out
}

func choice(tool string, sent *model.Sent) string {
	mode := ""
	switch tool = sent.Choice(tool); tool {
	case "":
		return ""
	case "none":
		mode = `"NONE"`
	case "required":
		mode = `"ANY"`
	default:
		mode = `"ANY","allowedFunctionNames":["` + sent.Wire(tool) + `"]`
	}
	return `,"toolConfig":{"functionCallingConfig":{"mode":` + mode + `}}`
}

func encodeTools(tools []model.ToolSpec) []byte {
	out := []byte{'['}
	for _, t := range tools {
		out = jsonwrite.Field(append(jsonwrite.Comma(out), '{'), "name", t.Name)
		out = jsonwrite.Field(out, "description", t.Description)
		out = append(append(jsonwrite.Key(out, "parametersJsonSchema"), t.Schema...), '}')
	}
	return append(out, ']')
}
