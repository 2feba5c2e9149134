// Package anthropic implements the messages protocol of Anthropic.
package anthropic

import (
	"cmp"
	"context"
	"iter"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"rein/internal/jsontext"
	"rein/kit/providers/wire"
	"rein/model"
)

// Messages asks a model by the messages protocol. It must not be copied after its first use.
type Messages struct {
	wire.HTTP
	// Bearer: the key is a token that goes into the Authorization header.
	Bearer bool
	// Path is where requests go at a cloud whose address names the model; they have Version, that of the cloud, instead of the name
	// ("vertex-2023-10-16", "bedrock-2023-05-31"). Empty: the API of Anthropic.
	Path, Version string
	tools         wire.ToolCache
}

var samplingNames = model.SamplingNames{Temperature: "temperature", TopP: "top_p", Stop: "stop_sequences", Extra: true}

// SamplingNames are the fields in which the protocol has a sampling.
func (a *Messages) SamplingNames() model.SamplingNames { return samplingNames }

// Stream implements model.Model.
func (a *Messages) Stream(ctx context.Context, r *model.Request) iter.Seq2[model.Chunk, error] {
	return a.HTTP.Stream(ctx, func() wire.Post {
		most := r.MaxTokens
		if most <= 0 {
			most = a.maxTokens()
		}
		thinking, note := a.thinking(r.Effort, most)
		body, sent := a.body(r, most, thinking)
		return wire.Post{
			Refused: samplingNames.Refuse(a.Who.Provider, r.Sampling),
			Notices: a.tools.First(note),
			Path:    cmp.Or(a.Path, "/v1/messages"),
			Header:  a.header(),
			Body:    body,
			Sent:    sent,
			Decoder: &decoder{http: &a.HTTP, sent: sent, draft: model.Draft{Before: r.Messages}},
		}
	})
}

func (a *Messages) header() http.Header {
	h := http.Header{}
	switch {
	case a.Bearer:
		h = a.HTTP.Bearer()
	case a.Key != "":
		h.Set("X-Api-Key", a.Key)
	}
	h.Set("Anthropic-Version", "2023-06-01")
	return h
}

// cached marks a block up to which the provider keeps the request for the next one.
const cached = `,"cache_control":{"type":"ephemeral"}`

// body returns the request in pieces: what comes before the messages, each message as it was kept, and what follows.
func (a *Messages) body(r *model.Request, most int, thinking string) (pieces [][]byte, sent *wire.Sent) {
	tools, sent := a.tools.Get(r.Tools, "anthropic", encodeTools)
	if r.Search != nil {
		tools = searchTool(r.Search)
	}
	head := a.head(r, most, thinking, tools, sent)
	pieces = append(make([][]byte, 0, len(r.Messages)+8), head...)
	key := "anthropic:" + a.Who.String() + sent.Key()
	marks := 2
	marked := make(map[int]bool, marks)
	for i := len(r.Messages) - 1; i >= 0 && marks > 0; i-- {
		if r.Messages[i].Role != model.Assistant {
			marked[i] = true
			marks--
		}
	}
	for i, m := range r.Messages {
		b := m.Encoded(key, func(m *model.Message) []byte { return encode(m, a.Who, sent) })
		if i == 0 {
			b = b[1:]
		}
		if !marked[i] {
			pieces = append(pieces, b)
			continue
		}
		end := len(b) - len("}]}") // the last block's own end: the mark goes into it
		pieces = append(pieces, b[:end], []byte(cached), b[end:])
	}
	return append(pieces, []byte("]}")), sent
}

// head returns all that comes before the messages; the tools may be large.
func (a *Messages) head(r *model.Request, most int, thinking string, tools []byte, sent *wire.Sent) [][]byte {
	out := []byte{'{'}
	if a.Version == "" {
		out = jsontext.AppendField(out, "model", a.Who.Name)
	} else {
		out = jsontext.AppendField(out, "anthropic_version", a.Version)
	}
	out = strconv.AppendInt(jsontext.AppendKey(out, "max_tokens"), int64(most), 10)
	if !strings.HasPrefix(a.Version, "bedrock") { // there the address says it, and the field is refused
		out = append(out, `,"stream":true`...)
	}
	out = append(out, thinking...)
	out = samplingNames.Append(out, r.Sampling)
	if strings.TrimSpace(r.System) != "" {
		out = jsontext.AppendField(append(out, `,"system":[{"type":"text"`...), "text", r.System)
		out = append(append(out, cached...), '}', ']')
	}
	if tools == nil {
		return [][]byte{append(out, `,"messages":[`...)}
	}
	if thinking == "" {
		out = append(out, choice(r.Choice, sent)...)
	}
	return [][]byte{append(out, `,"tools":`...), tools, []byte(`,"messages":[`)}
}

func choice(tool string, sent *wire.Sent) string {
	switch tool = sent.Choice(tool); tool {
	case "":
		return ""
	case "none":
		return `,"tool_choice":{"type":"none"}`
	case "required":
		return `,"tool_choice":{"type":"any"}`
	}
	return `,"tool_choice":{"type":"tool","name":"` + sent.Wire(tool) + `"}`
}

// The models whose thinking is asked for by a number of tokens; those after them set their own.
var budgeted = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`claude-(3-7|(opus|sonnet|haiku)-4(-[015])?(-\d{8}|$|-latest|@))`)
})

// thinking returns the fields for an effort, or nothing, and a note where the model takes another one.
func (a *Messages) thinking(effort string, most int) (fields, note string) {
	tokens := map[string]int{"minimal": 1024, "low": 4096, "medium": 10000, "high": 24000, "xhigh": 31000, "max": 31000}[effort]
	if tokens == 0 {
		return "", ""
	}
	if t := a.Who.Thinking; budgeted().MatchString(a.Who.Name) && (t == nil || t.Budget) {
		if tokens = min(t.Tokens(tokens), most-1024); tokens < 1024 {
			return "", ""
		}
		return `,"thinking":{"type":"enabled","budget_tokens":` + strconv.Itoa(tokens) + `}`, ""
	}
	if effort, note = a.Who.Effort(effort); effort == "" {
		return "", note
	}
	kind := `{"type":"adaptive","display":"summarized"}` // else later models think without a word
	if strings.Contains(a.Who.Name, "-4-6") {
		kind = `{"type":"adaptive"}`
	}
	return `,"thinking":` + kind + `,"output_config":{"effort":"` + effort + `"}`, note
}

// maxTokens returns how long an answer may be when no limit is given: the protocol demands a number.
func (a *Messages) maxTokens() int {
	name := a.Who.Name
	switch {
	case a.Who.MaxOutput > 0:
		return min(a.Who.MaxOutput, 32000)
	case strings.Contains(name, "claude-3-5"):
		return 8192
	case strings.Contains(name, "claude-3-7"):
		return 32000
	case strings.Contains(name, "claude-3"), !strings.Contains(name, "claude"):
		return 4096
	}
	return 32000
}

func encodeTools(tools []model.ToolSpec) []byte {
	return wire.EncodeTools(tools, "{", `,"input_schema":`, "}")
}
