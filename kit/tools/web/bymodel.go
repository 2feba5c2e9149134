package web

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"rein/kit/document"
	"rein/kit/network"
)

// byModel is the engine that is a model: its provider searches, with a tool of its own.
const byModel = "model"

// mostAnswerBytes is how much of a model's answer is shown.
const mostAnswerBytes = 4 << 10

// SearchQuestion is what a model is asked to search for.
type SearchQuestion struct {
	Prompt       string
	Domains, Not []string // only pages of these domains; no pages of these
}

// SearchPage is a page that the provider of a model found. Only the address is always there.
type SearchPage struct{ Title, URL, Text, Date string }

// Ask asks a model to search with the tool of its provider. said is its answer.
type Ask func(ctx context.Context, q SearchQuestion) (pages []SearchPage, said string, err error)

// openModel refuses a model whose provider has no search tool that rein knows.
func (s SearchEngine) openModel() (*engine, error) {
	provider, name, _ := strings.Cut(s.ID, "/")
	switch {
	case s.ID == "":
		return nil, errors.New("it needs a model")
	case name == "" || !slices.Contains([]string{"anthropic", "openai", "openai-responses", "gemini"}, provider):
		return nil, fmt.Errorf("%s cannot search: expected anthropic/NAME, openai/NAME or gemini/NAME", s.ID)
	}
	e := &engine{SearchEngine: s}
	if s.URL == "" { // it is only looked at
		return e, nil
	}
	var err error
	_, e.target, err = network.ParseURL(s.URL)
	return e, err
}

// title is how an engine is named to the model and the user.
func (e *engine) title() string {
	if e.Name == byModel {
		return e.ID
	}
	return e.Name
}

// redirects is the server through which Gemini's addresses lead to the pages. Their titles are the names of the hosts.
const redirects = "vertexaisearch.cloud.google.com"

// askModel lets the model search.
func (e *engine) askModel(ctx context.Context, q query) (found []result, said string, err error) {
	ctx, cancel := context.WithTimeout(ctx, modelTime)
	defer cancel()
	pages, said, err := e.Ask(ctx, SearchQuestion{Prompt: q.prompt(), Domains: q.domains, Not: q.not})
	if err != nil {
		if ctx.Err() != nil {
			err = errors.New("no answer in time")
		}
		return nil, "", err
	}
	if len(pages) == 0 {
		return nil, "", errors.New("the model named no page")
	}
	for _, p := range pages {
		found = append(found, result{p.Title, p.URL, p.Text, p.Date})
	}
	if said = document.Printable(said); len(said) > mostAnswerBytes {
		said = strings.ToValidUTF8(said[:mostAnswerBytes], "") + "…"
	}
	return found, strings.TrimSpace(said), nil
}

// prompt asks for pages and what they say, with the filters in words: not every provider has them as fields.
func (q query) prompt() string {
	var b strings.Builder
	fmt.Fprintf(&b, "Search the web for: %s\nThen name the best pages, at most %d, and say in one or two sentences what each says about it.", q.text, q.count)
	if len(q.domains) > 0 {
		b.WriteString(" Only pages of: " + strings.Join(q.domains, ", ") + ".")
	}
	if len(q.not) > 0 {
		b.WriteString(" No pages of: " + strings.Join(q.not, ", ") + ".")
	}
	if start := q.start(); start != "" {
		b.WriteString(" Only pages since " + start + ".")
	}
	return b.String()
}
