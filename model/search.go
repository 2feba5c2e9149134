package model

import (
	"cmp"
	"slices"
	"sort"
)

// Search asks the provider to search the web before the model answers, with a search tool of the provider's own. A request that
// has it has no tools of ours. Protocols without such a tool ignore it: the answer then has no sources.
type Search struct {
	Domains []string // only pages of these; nil: of all
	Not     []string // no pages of these
}

// Source is a page that the provider's search gave.
type Source struct {
	Title, URL string // the title may be empty
	Text       string // what the answer cites of the page, or says with it; may be empty
	Date       string // the age of the page, as the provider has it; may be empty
}

// Sources collects the pages of one answer, each once. The zero value is empty and ready.
type Sources struct{ all []Source }

// Add adds a page, or what is new about one that is there already.
func (s *Sources) Add(page Source) {
	if page.URL == "" {
		return
	}
	i := slices.IndexFunc(s.all, func(old Source) bool { return old.URL == page.URL })
	if i < 0 {
		s.all = append(s.all, page)
		return
	}
	old := &s.all[i]
	old.Title, old.Date = cmp.Or(old.Title, page.Title), cmp.Or(old.Date, page.Date)
	if old.Text != "" && page.Text != "" && old.Text != page.Text {
		old.Text += " … " + page.Text
	} else {
		old.Text = cmp.Or(old.Text, page.Text)
	}
}

// All returns the pages: first those with a text, then those with a title, each in the order in which they came.
func (s *Sources) All() []Source {
	rank := func(p Source) int {
		switch {
		case p.Text != "":
			return 0
		case p.Title != "":
			return 1
		}
		return 2
	}
	sort.SliceStable(s.all, func(i, j int) bool { return rank(s.all[i]) < rank(s.all[j]) })
	return s.all
}
