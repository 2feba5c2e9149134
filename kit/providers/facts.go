package providers

import (
	"cmp"
	"context"
	"iter"
	"strconv"
	"strings"

	"rein/kit/catalog"
	"rein/kit/script"
	"rein/model"
)

// Facts returns what is known of a model: what the user's settings say, then what a local server reports, then what the
// catalogue has, then cautious defaults. A server that does not answer within 0.3 s reports nothing.
func (o *Options) Facts(ctx context.Context, p Provider, name string) catalog.Model {
	facts, known := catalog.Find(p.Name, name)
	if !known {
		facts = catalog.Assume(p.Name, name)
	}
	if o == nil {
		return facts
	}
	if p.Name == "ollama" {
		facts.Limit.Context = min(facts.Limit.Context, ollamaAssumed) // until the server reports it
	}
	own := o.Models[p.Name+"/"+name]
	if p.Local && own.Limit.Context == 0 {
		facts = facts.With(o.reported(ctx, p, name))
	}
	if own.Limit != (catalog.Limit{}) || own.Cost != nil || len(own.Modalities.Input) > 0 {
		own.Source = catalog.Settings
		facts = facts.With(own)
	}
	return facts
}

// reported returns what a server says of a model; the zero value when it says nothing.
func (o *Options) reported(ctx context.Context, p Provider, name string) catalog.Model {
	base := o.address(p)
	if base == "" {
		return catalog.Model{}
	}
	l := o.lister(p, named)
	if p.Name == "ollama" {
		return ollamaShow(ctx, l, base, name, number(o.getenv("OLLAMA_CONTEXT_LENGTH")))
	}
	rows, err := l.rows(ctx, base)
	if err != nil {
		return catalog.Model{}
	}
	for _, r := range rows {
		if r.ID == name {
			return r.facts()
		}
	}
	return catalog.Model{}
}

// row is a model in the list of a compatible server. The servers name the same number differently.
type row struct {
	ID      string `json:"id"`
	Served  int    `json:"max_model_len"`         // vLLM
	Loaded  int    `json:"loaded_context_length"` // LM Studio
	Most    int    `json:"max_context_length"`    // LM Studio, Mistral
	Context int    `json:"context_length"`        // OpenRouter, Together, LiteLLM
	Window  int    `json:"context_window"`        // Groq
	Output  int    `json:"max_completion_tokens"` // Groq
	Meta    struct {
		Context int `json:"n_ctx"`       // llama.cpp, what it runs with
		Trained int `json:"n_ctx_train"` // llama.cpp
	} `json:"meta"`
	Architecture struct {
		Input []string `json:"input_modalities"` // OpenRouter
	} `json:"architecture"`
}

func (r row) facts() catalog.Model {
	m := catalog.Model{Limit: catalog.Limit{Output: r.Output}, Modalities: catalog.Modalities{Input: r.Architecture.Input}}
	for _, n := range []int{r.Served, r.Loaded, r.Meta.Context, r.Context, r.Window, r.Most, r.Meta.Trained} {
		if n > 0 {
			m.Limit.Context, m.Source = n, catalog.Server
			break
		}
	}
	return m
}

// ollamaAssumed is the context that an Ollama is asked for where nothing else names one: enough for the tools and some work,
// and little enough for most machines.
const ollamaAssumed = 32 << 10

// ollamaShow reads what an Ollama reports of a model: what it takes, and with how much context it is served or may be. usual is
// the context that the user has set for all models; 0: none.
func ollamaShow(ctx context.Context, l lister, base, name string, usual int) catalog.Model {
	base = strings.TrimSuffix(base, "/v1")
	var show struct {
		Parameters   string         `json:"parameters"`
		Info         map[string]any `json:"model_info"`
		Capabilities []string       `json:"capabilities"`
	}
	if l.post(ctx, base+"/api/show", map[string]string{"model": name}, &show) != nil {
		return catalog.Model{}
	}
	m := catalog.Model{Source: catalog.Server, Modalities: catalog.Modalities{Input: []string{"text"}}}
	for _, c := range show.Capabilities {
		switch c {
		case "vision":
			m.Modalities.Input = append(m.Modalities.Input, "image")
		case "tools":
			m.ToolCall = true
		case "thinking":
			m.Reasoning, m.Options = true, []catalog.Option{{Type: "toggle"}}
			if show.Info["general.architecture"] == "gptoss" {
				m.Options = []catalog.Option{{Type: "effort", Values: []string{"low", "medium", "high"}}}
			}
		}
	}
	m.Limit.Context = cmp.Or(parameter(show.Parameters, "num_ctx"), usual, ollamaAssumed)
	for key, value := range show.Info {
		if n, ok := value.(float64); ok && strings.HasSuffix(key, ".context_length") {
			m.Limit.Context = min(m.Limit.Context, int(n))
		}
	}
	var running struct {
		Models []struct {
			Name    string `json:"name"`
			Context int    `json:"context_length"`
		} `json:"models"`
	}
	if l.get(ctx, base+"/api/ps", &running) == nil {
		for _, r := range running.Models {
			if r.Name == name || r.Name == name+":latest" {
				m.Limit.Context = max(m.Limit.Context, r.Context) // a smaller one is loaded again
			}
		}
	}
	m.Limit.Output = m.Limit.Context / 4
	return m
}

// parameter reads a number from the parameters of a model: lines of a name and a value.
func parameter(text, name string) int {
	for line := range strings.Lines(text) {
		if f := strings.Fields(line); len(f) == 2 && f[0] == name {
			return number(f[1])
		}
	}
	return 0
}

// number reads a count of tokens; what is none is 0.
func number(text string) int {
	n, err := strconv.ParseUint(text, 10, 30)
	if err != nil {
		return 0
	}
	return int(n)
}

// scripted makes the model of a script. Its facts are in the script and in the settings.
func (o *Options) scripted(s *script.Script, name string) model.Model {
	own := o.Models["script/"+name]
	m := &script.Model{Script: s, Name: name}
	if own.Limit.Context > 0 {
		m.Context = own.Limit.Context
	}
	if own.Limit.Output > 0 {
		m.MaxOutput = own.Limit.Output
	}
	return priced(m, own.Cost)
}

// pricing adds the price to what a model's answers cost, where the provider does not report it.
type pricing struct {
	model.Model
	cost *catalog.Cost
}

func priced(m model.Model, c *catalog.Cost) model.Model {
	if c == nil {
		return m
	}
	return pricing{m, c}
}

// Stream implements model.Model.
func (p pricing) Stream(ctx context.Context, r *model.Request) iter.Seq2[model.Chunk, error] {
	return func(yield func(model.Chunk, error) bool) {
		for c, err := range p.Model.Stream(ctx, r) {
			if c.Kind == model.Done && c.Usage.Cost == 0 {
				c.Usage.Cost = p.cost.Price(c.Usage)
			}
			if !yield(c, err) {
				return
			}
		}
	}
}
