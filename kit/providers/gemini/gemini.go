// Package gemini implements the generateContent protocol of Google's Gemini, and gets access tokens for Google's clouds.
package gemini

import (
	"cmp"
	"context"
	"iter"
	"net/http"
	"strconv"
	"strings"

	"rein/internal/jsontext"
	"rein/kit/providers/wire"
	"rein/model"
)

// Gemini asks a model by the generateContent protocol. It must not be copied after its first use.
type Gemini struct {
	wire.HTTP
	// Models is the path before the name of the model; empty means "/v1beta/models/". Google's cloud has another one.
	Models string
	tools  wire.ToolCache
}

var samplingNames = model.SamplingNames{Temperature: "temperature", TopP: "topP", Seed: "seed", Stop: "stopSequences", Extra: true}

// SamplingNames are the fields in which the protocol has a sampling.
func (g *Gemini) SamplingNames() model.SamplingNames { return samplingNames }

// Stream implements model.Model.
func (g *Gemini) Stream(ctx context.Context, r *model.Request) iter.Seq2[model.Chunk, error] {
	return g.HTTP.Stream(ctx, func() wire.Post {
		var key http.Header
		if g.Key != "" {
			key = http.Header{"X-Goog-Api-Key": {g.Key}}
		}
		thinking, note := g.thinking(r.Effort)
		body, sent := g.body(r, thinking)
		return wire.Post{
			Refused: samplingNames.Refuse(g.Who.Provider, r.Sampling),
			Notices: g.tools.First(note),
			Path:    cmp.Or(g.Models, "/v1beta/models/") + strings.TrimPrefix(g.Who.Name, "models/") + ":streamGenerateContent?alt=sse",
			Header:  key,
			Body:    body,
			Sent:    sent,
			Decoder: &decoder{http: &g.HTTP, sent: sent, draft: model.Draft{Before: r.Messages}},
		}
	})
}

// body returns the request in pieces: what comes before the messages, each message as it was kept, and what follows.
func (g *Gemini) body(r *model.Request, thinking string) (pieces [][]byte, sent *wire.Sent) {
	head := []byte{'{'}
	if r.System != "" {
		head = jsontext.AppendField(append(head, `"systemInstruction":{"parts":[{`...), "text", r.System)
		head = append(head, `}]},`...)
	}
	head = append(head, `"contents":[`...)
	tools, sent := g.tools.Get(r.Tools, "gemini", encodeTools)
	to := target{to: g.Who, signs: g.signs(), sent: sent}
	pieces = wire.Pieces(head, r.Messages, "gemini:"+g.Who.String()+sent.Key(), to.encode)
	tail := append([]byte{']'}, config(r, thinking)...)
	if r.Search != nil {
		return append(pieces, append(tail, `,"tools":[{"googleSearch":{}}]}`...)), sent
	}
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
func config(r *model.Request, thinking string) []byte {
	out := []byte(`,"generationConfig":{`)
	empty := len(out)
	if r.MaxTokens > 0 {
		out = strconv.AppendInt(jsontext.AppendKey(out, "maxOutputTokens"), int64(r.MaxTokens), 10)
	}
	out = samplingNames.Append(out, r.Sampling)
	if thinking != "" {
		out = append(jsontext.AppendKey(out, "thinkingConfig"), thinking...)
	}
	if len(out) == empty {
		return nil
	}
	return append(out, '}')
}

// thinking returns the value of thinkingConfig for an effort, or nothing, and a note where the model takes another one.
func (g *Gemini) thinking(effort string) (config, note string) {
	if effort == "" {
		return "", ""
	}
	shown := `{"includeThoughts":` + strconv.FormatBool(effort != "none") + `,`
	if t := g.Who.Thinking; t != nil && !t.Budget || t == nil && g.signs() {
		level := effort
		if level, note = g.Who.Effort(effort); t == nil {
			level, _ = model.Info{Thinking: &model.Thinking{Efforts: []string{"low", "medium", "high"}}}.Effort(effort)
		}
		if level == "" {
			return "", note
		}
		return shown + `"thinkingLevel":"` + level + `"}`, note
	}
	budget := map[string]int{"none": 0, "minimal": 512, "low": 2048, "medium": 8192, "high": 24576, "xhigh": 24576, "max": 24576}[effort]
	return shown + `"thinkingBudget":` + strconv.Itoa(g.Who.Thinking.Tokens(budget)) + "}", ""
}

func choice(tool string, sent *wire.Sent) string {
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
	return wire.EncodeTools(tools, "{", `,"parametersJsonSchema":`, "}")
}
