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

	"rein/model"
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
		if name == "" {
			return nil, errors.New("script: no file: name it as script/FILE.yaml")
		}
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
	key, keyFrom := o.key(p)
	h := model.HTTP{
		Base:      strings.TrimRight(o.base(p), "/"),
		Key:       key,
		Transport: o.Transport,
		Idle:      o.Idle,
	}
	if h.Base == "" {
		return nil, fmt.Errorf("%s: no base URL: set %s or the provider's baseURL in the settings", p.Name, strings.Join(p.Bases, " or "))
	}
	if !strings.Contains(h.Base, "://") {
		h.Base = "http://" + h.Base
	}
	named := o.Addresses[p.Name].KeyEnv
	if h.Key == "" && (named != "" || !p.Local && h.Base == p.Base) {
		return nil, &model.Error{Provider: p.Name, Kind: model.Auth, Text: "no key: set " + strings.Join(firstNamed(named, p.Keys), " or ")}
	}
	var err error
	if name == "" {
		if name, err = o.usual(ctx, p, h); err != nil {
			return nil, err
		}
	}
	h.Who = model.Info{Provider: p.Name, Name: name}
	return model.Retry(p.open(h, keyFrom), o.Retry), nil
}

// firstNamed puts a name before others, if there is one.
func firstNamed(name string, others []string) []string {
	if name == "" {
		return others
	}
	return append([]string{name}, others...)
}

func (o *Options) getenv(name string) string {
	if o.Getenv == nil || name == "" {
		return ""
	}
	return strings.TrimSpace(o.Getenv(name))
}

// key returns the key and the variable that held it: the one that the settings name, else the first of the usual ones.
func (o *Options) key(p Provider) (key, from string) {
	return o.any(append([]string{o.Addresses[p.Name].KeyEnv}, p.Keys...))
}

func (o *Options) base(p Provider) string {
	if base := o.Addresses[p.Name].BaseURL; base != "" {
		return base
	}
	if base, _ := o.any(p.Bases); base != "" {
		return base
	}
	return p.Base
}

// any returns the first of the variables that is set.
func (o *Options) any(names []string) (value, from string) {
	for _, name := range names {
		if value := o.getenv(name); value != "" {
			return value, name
		}
	}
	return "", ""
}

// first returns the first provider that can be used without being named.
func (o *Options) first(ctx context.Context) (model.Model, error) {
	for _, p := range Table() {
		if key, _ := o.key(p); key != "" && !p.Local {
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
		return newest(ctx, &http.Client{Transport: h.Transport}, ollamaBase(h.Base))
	case p.Model == "":
		return "", fmt.Errorf("%s: name the model too: --model %s/NAME", p.Name, p.Name)
	}
	return p.Model, nil
}
