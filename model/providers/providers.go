// Package providers opens models by name: it holds the table of providers, where each is reached and which variables hold
// its key.
package providers

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"rein/internal/httpstream"
	"rein/model"
	"rein/model/anthropic"
	"rein/model/gemini"
	"rein/model/openai"
	"rein/model/script"
)

// Options say where keys and addresses come from. Nil options know no environment.
type Options struct {
	Getenv    func(string) string // nil: no environment
	Addresses map[string]Address  // by provider; a name that is not in the table is a compatible server
	Transport http.RoundTripper   // nil: the network
	Idle      time.Duration       // longest silence of a stream; 0: 120 s
	Retry     *model.RetryOptions // nil: the defaults
}

// Address is where a provider is reached. Empty fields leave the provider's own.
type Address struct {
	BaseURL string
	KeyEnv  string // the variable that holds the key
}

// Provider is one row of the table.
type Provider struct {
	Name  string
	Keys  []string // variables that may hold the key, the first one that is set counts
	Bases []string // variables that may hold the base URL
	Base  string   // the base URL otherwise
	Model string   // asked for when only the provider is named
	Local bool     // needs no key

	open func(model.HTTP) model.Model
}

// Table returns the providers in the order in which they are tried when none is named.
func Table() []Provider {
	return []Provider{
		{Name: "anthropic", Keys: []string{"ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN"}, Bases: []string{"ANTHROPIC_BASE_URL"}, Base: "https://api.anthropic.com", Model: "claude-sonnet-4-5", open: openAnthropic},
		{Name: "openai", Keys: []string{"OPENAI_API_KEY"}, Bases: []string{"OPENAI_BASE_URL"}, Base: "https://api.openai.com/v1", Model: "gpt-5", open: openChat(openai.Flavour{NewFields: true})},
		{Name: "openai-responses", Keys: []string{"OPENAI_API_KEY"}, Bases: []string{"OPENAI_BASE_URL"}, Base: "https://api.openai.com/v1", Model: "gpt-5", open: openResponses},
		{Name: "gemini", Keys: []string{"GEMINI_API_KEY", "GOOGLE_API_KEY"}, Bases: []string{"GOOGLE_GEMINI_BASE_URL"}, Base: "https://generativelanguage.googleapis.com", Model: "gemini-2.5-pro", open: openGemini},
		{Name: "openrouter", Keys: []string{"OPENROUTER_API_KEY"}, Bases: []string{"OPENROUTER_BASE_URL"}, Base: "https://openrouter.ai/api/v1", Model: "openrouter/auto", open: openChat(openai.Flavour{Reasoning: true})},
		{Name: "ollama", Keys: []string{"OLLAMA_API_KEY"}, Bases: []string{"OLLAMA_HOST"}, Base: "http://127.0.0.1:11434", Local: true, open: openOllama},
		{Name: "compatible", Keys: []string{"COMPATIBLE_API_KEY"}, Bases: []string{"COMPATIBLE_BASE_URL"}, Local: true, open: openChat(openai.Flavour{})},
	}
}

func openChat(f openai.Flavour) func(model.HTTP) model.Model {
	return func(h model.HTTP) model.Model {
		f := f
		f.Profile = profile(h.Base)
		return &openai.Chat{HTTP: h, Flavour: f}
	}
}

// profile returns whose rules for schemas a compatible server follows, where they are known to be its own.
func profile(base string) string {
	for _, name := range []string{"groq", "mistral", "cohere"} {
		if strings.Contains(base, "api."+name+".") {
			return name
		}
	}
	return ""
}

func openResponses(h model.HTTP) model.Model { return &openai.Responses{HTTP: h} }

func openGemini(h model.HTTP) model.Model {
	h.Base = strings.TrimSuffix(h.Base, "/v1beta")
	return &gemini.Gemini{HTTP: h}
}

func openAnthropic(h model.HTTP) model.Model {
	h.Base = strings.TrimSuffix(h.Base, "/v1")
	return &anthropic.Messages{HTTP: h, Bearer: strings.HasPrefix(h.Key, "sk-ant-oat")}
}

// openOllama speaks to the compatible side of Ollama.
func openOllama(h model.HTTP) model.Model {
	h.Base = strings.TrimSuffix(ollamaBase(h.Base), "/v1") + "/v1"
	return &openai.Chat{HTTP: h, Flavour: openai.Flavour{Profile: "ollama"}}
}

// ErrNone is returned when no model was named and none was found.
var ErrNone = errors.New("no model: set ANTHROPIC_API_KEY, OPENAI_API_KEY, GEMINI_API_KEY or OPENROUTER_API_KEY, start Ollama, " +
	"or name one with --model provider/name. `rein demo` shows the whole trip without any")

// Open returns the model that ref names, "provider/name", with retries. "provider" alone takes the provider's usual model;
// "" takes the first provider with a key, else a local Ollama that answers, else ErrNone. "script/FILE" is a scripted model.
// A missing key is a *model.Error of the kind Auth. Nothing is sent except to ask Ollama what it has.
func Open(ctx context.Context, ref string, o *Options) (model.Model, error) {
	if o == nil {
		o = &Options{}
	}
	if ref == "" {
		return o.first(ctx)
	}
	provider, name, _ := strings.Cut(ref, "/")
	if provider == "script" {
		s, err := script.Open(name)
		if err != nil {
			return nil, err
		}
		return model.Retry(&script.Model{Script: s, Name: name}, o.Retry), nil
	}
	p, err := o.find(provider)
	if err != nil {
		return nil, err
	}
	return o.open(ctx, p, name)
}

// find returns the row of a provider; a name that only the settings know is a compatible server.
func (o *Options) find(name string) (Provider, error) {
	table := Table()
	i := slices.IndexFunc(table, func(p Provider) bool { return p.Name == name })
	if i >= 0 {
		return table[i], nil
	}
	if o.Addresses[name].BaseURL != "" {
		p := table[len(table)-1]
		p.Name, p.Keys, p.Bases = name, nil, nil
		return p, nil
	}
	names := make([]string, len(table))
	for i, p := range table {
		names[i] = p.Name
	}
	return Provider{}, fmt.Errorf("no provider %q: name a model as provider/name, with one of %s, script", name, strings.Join(names, ", "))
}

func (o *Options) open(ctx context.Context, p Provider, name string) (model.Model, error) {
	h := model.HTTP{
		Base:   strings.TrimRight(o.base(p), "/"),
		Key:    o.key(p),
		Client: httpstream.Client{HTTP: httpstream.NewHTTP(o.Transport), Idle: o.Idle},
	}
	if h.Base == "" {
		return nil, fmt.Errorf("%s: no base URL: set %s or the provider's baseURL in the settings", p.Name, strings.Join(p.Bases, " or "))
	}
	if !strings.Contains(h.Base, "://") {
		h.Base = "http://" + h.Base
	}
	if h.Key == "" && !p.Local && h.Base == p.Base {
		return nil, &model.Error{Provider: p.Name, Kind: model.Auth, Text: "no key: set " + strings.Join(p.Keys, " or ")}
	}
	var err error
	if name == "" {
		if name, err = o.usual(ctx, p, h); err != nil {
			return nil, err
		}
	}
	h.Who = model.Info{Provider: p.Name, Name: name}
	return model.Retry(p.open(h), o.Retry), nil
}

func (o *Options) getenv(name string) string {
	if o.Getenv == nil || name == "" {
		return ""
	}
	return strings.TrimSpace(o.Getenv(name))
}

// key returns the key, from the variable that the settings name, else from the usual ones.
func (o *Options) key(p Provider) string {
	if key := o.getenv(o.Addresses[p.Name].KeyEnv); key != "" {
		return key
	}
	return o.any(p.Keys)
}

func (o *Options) base(p Provider) string {
	if base := o.Addresses[p.Name].BaseURL; base != "" {
		return base
	}
	if base := o.any(p.Bases); base != "" {
		return base
	}
	return p.Base
}

func (o *Options) any(names []string) string {
	for _, name := range names {
		if value := o.getenv(name); value != "" {
			return value
		}
	}
	return ""
}

// first returns the first provider that can be used without being named.
func (o *Options) first(ctx context.Context) (model.Model, error) {
	for _, p := range Table() {
		if !p.Local && o.key(p) != "" {
			return o.open(ctx, p, "")
		}
	}
	p, err := o.find("ollama")
	if err != nil {
		return nil, err
	}
	if m, err := o.open(ctx, p, ""); err == nil {
		return m, nil
	}
	return nil, ErrNone
}

// usual returns the model that is asked for when only the provider is named.
func (o *Options) usual(ctx context.Context, p Provider, h model.HTTP) (string, error) {
	switch {
	case p.Name == "ollama":
		return newest(ctx, h.Client.HTTP, ollamaBase(h.Base))
	case p.Model == "":
		return "", fmt.Errorf("%s: name the model too: --model %s/NAME", p.Name, p.Name)
	}
	return p.Model, nil
}
