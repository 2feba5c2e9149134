package openai

import (
	"encoding/json"
	"strings"

	"rein/internal/jsontext"
	"rein/model"
)

// searchTool is the list of tools of a request that searches. The provider has no list of domains to leave out.
func searchTool(s *model.Search) []byte {
	out := []byte(`[{"type":"web_search"`)
	if len(s.Domains) > 0 {
		out = append(jsontext.AppendStrings(append(jsontext.AppendKey(out, "filters"), '{'), "allowed_domains", s.Domains), '}')
	}
	return append(out, "}]"...)
}

// sources returns the pages that the provider's search found: those that the answer cites, and the others.
func (d *responseDecoder) sources() []model.Source {
	var pages model.Sources
	type page struct{ Type, URL, Title string }
	for _, it := range d.items {
		if it.kind != "web_search_call" && it.kind != "message" {
			continue
		}
		var found struct {
			Action  struct{ Sources []page }
			Content []struct{ Annotations []page }
		}
		_ = json.Unmarshal(it.raw, &found)
		all := found.Action.Sources
		for _, c := range found.Content {
			all = append(all, c.Annotations...)
		}
		for _, p := range all {
			if p.Type == "url" || p.Type == "url_citation" {
				pages.Add(model.Source{Title: p.Title, URL: unmarked(p.URL)})
			}
		}
	}
	return pages.All()
}

// unmarked is an address without what the provider adds to count visits.
func unmarked(address string) string {
	for _, mark := range []string{"?utm_source=openai", "&utm_source=openai"} {
		address = strings.TrimSuffix(address, mark)
	}
	return address
}
