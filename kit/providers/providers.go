// Package providers opens models by name and probes what they can do: it holds the table of providers, where each is reached
// and which variables hold its key.
package providers

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net/http"
	"os"
	"slices"
	"strings"
	"time"

	"rein/internal/plaintext"
	"rein/kit/catalog"
	"rein/kit/providers/wire"
	"rein/kit/script"
	"rein/model"
)

// Options hold the sources of keys and addresses. The zero value reads the environment.
type Options struct {
	Getenv    func(string) string // nil: os.Getenv
	Addresses map[string]Address  // by provider; a name that is not in the table is a compatible server
	Transport http.RoundTripper   // carries what is sent to models, and never the requests for keys: a recorder may be in it; nil: the network
	Idle      time.Duration       // longest silence of a stream; 0: 120 s
	Patience  time.Duration       // how long a local server may take for an answer about its models; 0: 0.3 s while one is looked for, 2 s when it is named
	Retry     *model.RetryOptions // nil: the defaults

	// Models holds what the user knows of models, by "provider/name": it comes before what the server and the catalogue say.
	Models map[string]catalog.Model
	// Sampling says how models choose their words, by "provider/name" and, for all others, "*". Run comes before it. A model whose protocol does
	// not take what is set is not opened.
	Sampling map[string]model.Sampling
	Run      model.Sampling
	// Warn receives a line when nothing is known of the model that is opened; nil drops it.
	Warn func(string)
}

// Address is where a provider is reached. Empty fields leave the provider's own.
type Address struct {
	BaseURL string
	KeyEnv  string // the variable that holds the key

	TextOnly bool // its models take no images and no documents

	// ThinkingFields are the fields with thinking that a compatible server takes back: see openai.Flavour.Returns. Nil leaves
	// those of its row.
	ThinkingFields []string
	// ThinkingSwitch: a compatible server switches thinking by a field of its own: see openai.Flavour.Switch.
	ThinkingSwitch bool
	// NoStreamOptions: a compatible server refuses a field of streams: see openai.Flavour.NoStreamOptions.
	NoStreamOptions bool
}

// Open returns the model that ref names, "provider/name", with retries. "provider" alone takes the provider's usual model;
// "" takes the first provider with a key, else a local Ollama with a model, else it fails with *NoModel. "script/FILE" is a
// scripted model. A missing key is a *model.Error of the kind Auth. Nothing is sent except to ask local servers for their
// models.
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
		if errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("a scripted model plays a file, named as script/FILE.yaml, and there is no file %s: rein help scripted_model shows one", name)
		}
		if err != nil {
			return nil, err
		}
		return model.Retry(o.scripted(s, name), o.Retry), nil
	}
	p, err := o.find(provider)
	if err != nil {
		return nil, err
	}
	return o.open(ctx, p, name)
}

// Known refuses references to models whose provider does not exist. It asks nobody.
func (o *Options) Known(refs ...string) error {
	for _, ref := range refs {
		provider, _, _ := strings.Cut(ref, "/")
		if ref == "" || provider == "script" {
			continue
		}
		if _, err := o.find(provider); err != nil {
			return err
		}
	}
	return nil
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
	names := make([]string, 0, len(table)+1)
	for _, p := range table {
		names = append(names, p.Name)
	}
	for name, a := range o.Addresses {
		if a.BaseURL != "" && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	slices.Sort(names[len(table):])
	return Provider{}, unknown(name, append(names, "script"))
}

// ErrUnknown means that there is no provider of that name.
var ErrUnknown = errors.New("no provider")

// unknown lists the providers, and the one that was probably meant.
func unknown(name string, names []string) error {
	meant := ""
	if guess := plaintext.NearestNames(name, names); len(guess) > 0 {
		meant = "; did you mean " + strings.Join(guess, " or ") + "?"
	} else if p := familyOf(name); p != "" {
		meant = "; did you mean " + p + "/" + name + "?"
	}
	return fmt.Errorf("%w %q%s (a model is named provider/name; the providers are %s)", ErrUnknown, name, meant, strings.Join(names, ", "))
}

// familyOf returns the provider whose models have names like this one, for people who leave the provider out.
func familyOf(name string) string {
	for _, row := range [][2]string{{"claude", "anthropic"}, {"gpt-", "openai"}, {"o1", "openai"}, {"o3", "openai"}, {"o4", "openai"}, {"gemini", "gemini"}} {
		if strings.HasPrefix(name, row[0]) {
			return row[1]
		}
	}
	return ""
}

func (o *Options) open(ctx context.Context, p Provider, name string) (model.Model, error) {
	key, keyFrom := o.key(p)
	h := wire.HTTP{Base: o.address(p), Key: key, Transport: o.Transport, Idle: o.Idle}
	named := o.Addresses[p.Name].KeyEnv
	if p.reach != nil {
		if err := p.reach(o, &h, keyFrom); err != nil {
			return nil, &model.Error{Provider: p.Name, Kind: model.Auth, Text: err.Error()}
		}
	}
	if h.Base == "" {
		return nil, fmt.Errorf("%s: no base URL: set %s or the provider's baseURL in the settings", p.Name, strings.Join(p.Bases, " or "))
	}
	if h.Key == "" && (named != "" || !p.Local && p.reach == nil && h.Base == p.Base) {
		return nil, &model.Error{Provider: p.Name, Kind: model.Auth, Text: "no key: set " + strings.Join(firstNamed(named, p.Keys), " or ")}
	}
	name, err := o.named(ctx, p, name)
	if err != nil {
		return nil, err
	}
	facts := o.Facts(ctx, p, name)
	if facts.Source == catalog.Assumed && o.Warn != nil {
		o.Warn(fmt.Sprintf("nothing is known of %s/%s: rein assumes a context window of %d tokens, no images and no price, so limits in US dollars do not bound it; the setting \"models\" can name its facts",
			p.Name, name, facts.Limit.Context))
	}
	price := facts.Cost
	if price == nil {
		price = &catalog.Cost{}
	}
	h.Who = model.Info{InputPrice: price.Input, OutputPrice: price.Output,
		Provider: p.Name, Name: name, Assumed: facts.Source == catalog.Assumed, Context: facts.Limit.Context, MaxInput: facts.Limit.Input, MaxOutput: facts.Limit.Output,
		Thinking: thinking(facts), TextOnly: o.Addresses[p.Name].TextOnly || facts.TextOnly()}
	m, err := withSampling(o.Addresses[p.Name].quirks(p.open(h, keyFrom)), o.sampling(p.Name+"/"+name))
	if err != nil {
		return nil, err
	}
	return model.Retry(priced(m, facts.Cost), o.Retry), nil
}

// sampling is what holds for a model.
func (o *Options) sampling(ref string) model.Sampling {
	return o.Run.Over(o.Sampling[ref].Over(o.Sampling["*"]))
}

// thinking returns how a request may choose how long a model thinks, as the list knows it; nil where it does not.
func thinking(facts catalog.Model) *model.Thinking {
	listed := facts.Source == catalog.Listed || facts.Source == catalog.Similar
	if !facts.Reasoning && listed {
		return &model.Thinking{Never: true}
	}
	if facts.Options == nil {
		return nil
	}
	t := &model.Thinking{}
	for _, o := range facts.Options {
		switch o.Type {
		case "effort":
			t.Efforts = o.Values
		case "toggle":
			t.Switch = true
		case "budget_tokens":
			t.Budget, t.Min, t.Max = true, o.Min, o.Max
		}
	}
	return t
}

// firstNamed puts a name before others, if there is one.
func firstNamed(name string, others []string) []string {
	if name == "" {
		return others
	}
	return append([]string{name}, others...)
}

func (o *Options) getenv(name string) string {
	get := o.Getenv
	if get == nil {
		get = os.Getenv
	}
	return strings.TrimSpace(get(name))
}

// key returns the key and the variable that held it: the one that the settings name, else the first of the usual ones.
func (o *Options) key(p Provider) (key, from string) {
	return o.any(append([]string{o.Addresses[p.Name].KeyEnv}, p.Keys...))
}

// KeyVariables returns the environment variables that may hold keys of providers.
func (o *Options) KeyVariables() (names []string) {
	for _, p := range Table() {
		names = append(names, p.Keys...)
	}
	for _, a := range o.Addresses {
		if a.KeyEnv != "" {
			names = append(names, a.KeyEnv)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
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

// AddressOf returns the URL at which a model, "provider/name", is asked; "" where none is known without asking.
func (o *Options) AddressOf(ref string) string {
	name, _, _ := strings.Cut(ref, "/")
	p, err := o.find(name)
	if err != nil {
		return ""
	}
	return o.address(p)
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

// address returns the URL of a provider, or nothing where it has none.
func (o *Options) address(p Provider) string {
	base := strings.TrimRight(o.base(p), "/")
	if p.Name == "ollama" {
		return ollamaBase(base)
	}
	if base != "" && !strings.Contains(base, "://") {
		return "http://" + base
	}
	return base
}

// named returns the model to ask for: the one that is named, if the server has it, else the provider's usual one.
func (o *Options) named(ctx context.Context, p Provider, name string) (string, error) {
	switch {
	case p.list != nil && (name == "" || p.Name == "ollama"):
		return o.ask(ctx, p, named).choose(name)
	case name != "":
		return name, nil
	case p.Model == "":
		return "", fmt.Errorf("%s: name the model too: --model %s/NAME", p.Name, p.Name)
	}
	return p.Model, nil
}

// Available returns the models that can be asked here: those of each provider whose key is set, those of the local servers
// that answer, and those that only the settings know. Models that cannot call tools are left out.
func (o *Options) Available(ctx context.Context) []catalog.Model {
	var all []catalog.Model
	for _, p := range Table() {
		if key, _ := o.key(p); key == "" || p.Local {
			continue
		}
		for _, m := range catalog.Of(p.Name) {
			if m.ToolCall {
				all = append(all, o.Facts(ctx, p, m.ID))
			}
		}
	}
	for _, s := range Servers(ctx, o) {
		p, err := o.find(s.Provider)
		for _, name := range s.Models {
			if err == nil && !strings.Contains(name, "embed") {
				all = append(all, o.Facts(ctx, p, name))
			}
		}
	}
	for _, ref := range slices.Sorted(maps.Keys(o.Models)) {
		provider, name, _ := strings.Cut(ref, "/")
		if slices.ContainsFunc(all, func(m catalog.Model) bool { return m.Provider == provider && m.ID == name }) {
			continue
		}
		if p, err := o.find(provider); err == nil && o.address(p) != "" {
			all = append(all, o.Facts(ctx, p, name))
		}
	}
	return all
}
