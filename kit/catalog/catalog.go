// Package catalog knows facts of models: how many tokens they take, what they cost, what they can read. The facts of known
// providers are embedded; settings and servers can report others.
package catalog

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"slices"
	"sort"
	"strings"
)

//go:embed models.json
var embedded []byte

// Source says where facts come from.
type Source string

// The sources.
const (
	Listed   Source = "catalogue" // the embedded list has the model of this provider
	Similar  Source = "similar"   // the list has a model of this name at another provider: the price is not known
	Server   Source = "server"    // the server reported the limits
	Settings Source = "settings"  // the user's settings name the limits or the price
	Assumed  Source = "assumed"   // nothing is known: cautious defaults
)

// Model holds the facts of one model. The JSON form is that of models.dev. Zero means that a fact is not known.
type Model struct {
	Provider   string     `json:"provider,omitempty"` // as rein names it
	ID         string     `json:"id,omitempty"`       // as the provider names it
	Source     Source     `json:"source,omitempty"`
	Limit      Limit      `json:"limit,omitzero"`
	Cost       *Cost      `json:"cost,omitempty"` // nil: not known
	Modalities Modalities `json:"modalities,omitzero"`
	Reasoning  bool       `json:"reasoning,omitempty"`         // it can think before it answers
	Options    []Option   `json:"reasoning_options,omitempty"` // how a request chooses how long it thinks; nil: not known
	ToolCall   bool       `json:"tool_call,omitempty"`         // its protocol carries tool calls
	Knowledge  string     `json:"knowledge,omitempty"`         // when its knowledge ends: "2025-07-31"
}

// Option is one way in which a request chooses how long a model thinks.
type Option struct {
	Type   string   `json:"type"`             // "effort", "toggle", "budget_tokens"
	Values []string `json:"values,omitempty"` // of an effort
	Min    int      `json:"min,omitempty"`    // of a budget; zero: no bound is known
	Max    int      `json:"max,omitempty"`
}

// Limit holds how many tokens a model takes.
type Limit struct {
	Context int `json:"context,omitempty"` // of a request and its answer together
	Input   int `json:"input,omitempty"`   // of a request, where that is less
	Output  int `json:"output,omitempty"`  // of an answer, thinking included
}

// Modalities are the kinds of content that a model reads: "text", "image", "pdf", "audio", "video".
type Modalities struct {
	Input []string `json:"input,omitempty"`
}

// The facts of a model of which nothing is known.
const (
	AssumedContext = 32 << 10
	AssumedOutput  = 4 << 10
)

// Assume returns cautious facts for a model of which nothing is known: little context, text only, no price.
func Assume(provider, id string) Model {
	return Model{Provider: provider, ID: id, Source: Assumed, ToolCall: true,
		Limit: Limit{Context: AssumedContext, Output: AssumedOutput}, Modalities: Modalities{Input: []string{"text"}}}
}

// TextOnly reports whether the model is known to read nothing but text.
func (m Model) TextOnly() bool {
	return len(m.Modalities.Input) > 0 && !slices.Contains(m.Modalities.Input, "image") && !slices.Contains(m.Modalities.Input, "pdf")
}

// With returns m with the facts that over knows in place of its own.
func (m Model) With(over Model) Model {
	set := func(into *int, value int) {
		if value > 0 {
			*into = value
		}
	}
	set(&m.Limit.Context, over.Limit.Context)
	set(&m.Limit.Input, over.Limit.Input)
	set(&m.Limit.Output, over.Limit.Output)
	if over.Cost != nil {
		m.Cost = over.Cost
	}
	if len(over.Modalities.Input) > 0 {
		m.Modalities = over.Modalities
	}
	m.Reasoning, m.ToolCall = m.Reasoning || over.Reasoning, m.ToolCall || over.ToolCall
	if over.Options != nil {
		m.Options = over.Options
	}
	if over.Knowledge != "" {
		m.Knowledge = over.Knowledge
	}
	if over.Source != "" {
		m.Source = over.Source
	}
	m.Limit.Input, m.Limit.Output = atMost(m.Limit.Input, m.Limit.Context), atMost(m.Limit.Output, m.Limit.Context)
	return m
}

// atMost returns n, or the bound where one is known and n is more.
func atMost(n, bound int) int {
	if bound > 0 {
		return min(n, bound)
	}
	return n
}

// section returns the models of a provider in the embedded list, a line for each. lab/facts writes the list in
// lines, so that one model is found without decoding 100 kB; a test compares this with the list as JSON.
func section(provider string) []byte {
	_, rest, ok := bytes.Cut(embedded, []byte("\n\""+provider+`":{"models":{`))
	if !ok {
		return nil
	}
	models, _, _ := bytes.Cut(rest, []byte("\n}}"))
	return models
}

// lookUp returns the line of a model.
func lookUp(models []byte, id string) []byte {
	name, err := json.Marshal(id)
	if err != nil {
		return nil
	}
	_, rest, ok := bytes.Cut(models, append(append([]byte{'\n'}, name...), ':'))
	if !ok {
		return nil
	}
	line, _, _ := bytes.Cut(rest, []byte{'\n'})
	return bytes.TrimSuffix(line, []byte{','})
}

// listName returns a provider's name in the list.
func listName(provider string) string {
	switch provider {
	case "gemini", "gemini-interactions":
		return "google"
	case "openai-responses":
		return "openai"
	case "moonshot":
		return "moonshotai"
	}
	return provider
}

// makers are the providers whose lists are searched for a model that another one serves, the most specific first.
var makers = [...]string{"anthropic", "openai", "google", "mistral", "deepseek", "xai", "moonshotai", "zai", "groq", "cerebras", "openrouter"}

// Find returns the facts that the list has of a model. It looks for this name, then for the name without the parts that
// do not change the facts (a date, a folder, a variant after a colon). Where only another provider has it, the price is
// left out.
func Find(provider, id string) (Model, bool) {
	for _, name := range spellings(id) {
		if m, ok := decode(lookUp(section(listName(provider)), name)); ok {
			m.Provider, m.ID, m.Source = provider, id, Listed
			return m, true
		}
	}
	for _, name := range spellings(id) {
		for _, maker := range makers {
			if m, ok := decode(lookUp(section(maker), name)); ok {
				m.Provider, m.ID, m.Source, m.Cost = provider, id, Similar, nil
				return m, true
			}
		}
	}
	return Model{}, false
}

func decode(raw []byte) (m Model, ok bool) {
	return m, raw != nil && json.Unmarshal(raw, &m) == nil
}

// spellings returns the names under which a list may have a model, the exact one first.
func spellings(id string) []string {
	names := []string{id}
	add := func(name string) {
		if name != "" && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	base, _, _ := strings.Cut(id, ":")
	base, _, _ = strings.Cut(base, "@")
	add(base)
	add(undated(base))
	short := base[strings.LastIndexByte(base, '/')+1:]
	add(short)
	add(undated(short))
	add(strings.ReplaceAll(undated(short), ".", "-"))
	return names
}

// undated returns a name without the date at its end: "-20250929", "-2025-08-07", "-latest".
func undated(name string) string {
	if short, ok := strings.CutSuffix(name, "-latest"); ok {
		return short
	}
	for _, form := range []string{"-00000000", "-0000-00-00"} {
		at := len(name) - len(form)
		if at > 0 && fits(name[at:], form) {
			return name[:at]
		}
	}
	return name
}

// fits reports whether a text has the form: digits where it has a 0, else the same bytes.
func fits(text, form string) bool {
	for i := range len(form) {
		if digit := text[i] >= '0' && text[i] <= '9'; form[i] == '0' && !digit || form[i] != '0' && text[i] != form[i] {
			return false
		}
	}
	return true
}

// Of returns all models of a provider that the list has, by name.
func Of(provider string) []Model {
	var rows map[string]Model
	if json.Unmarshal(slices.Concat([]byte{'{'}, section(listName(provider)), []byte{'}'}), &rows) != nil {
		return nil
	}
	all := make([]Model, 0, len(rows))
	for id, m := range rows {
		m.Provider, m.ID, m.Source = provider, id, Listed
		all = append(all, m)
	}
	sort.Slice(all, func(i, j int) bool { return all[i].ID < all[j].ID })
	return all
}
