package anthropic

import (
	"encoding/json"

	"rein/internal/jsontext"
	"rein/model"
)

// mostSearches is how often one answer may search.
const mostSearches = "3"

// searchTool is the list of tools of a request that searches. The provider takes one of the two lists of domains.
func searchTool(s *model.Search) []byte {
	out := []byte(`[{"type":"web_search_20250305","name":"web_search","max_uses":` + mostSearches)
	switch {
	case len(s.Domains) > 0:
		out = jsontext.AppendStrings(out, "allowed_domains", s.Domains)
	case len(s.Not) > 0:
		out = jsontext.AppendStrings(out, "blocked_domains", s.Not)
	}
	return append(out, "}]"...)
}

// searched is what is read of a block that has results or quotes them.
type searched struct {
	Content   json.RawMessage `json:"content"` // of results: a list, or an error
	Citations []citation      `json:"citations"`
}

type citation struct {
	URL   string `json:"url"`
	Title string `json:"title"`
	Text  string `json:"cited_text"`
}

// sources returns the pages that the provider's search found. A search that failed without any is an error.
func (d *decoder) sources() ([]model.Source, error) {
	var pages model.Sources
	failed := ""
	for _, b := range d.blocks {
		if b.kind != "web_search_tool_result" && b.kind != "text" {
			continue
		}
		var found searched
		_ = json.Unmarshal(b.start, &found)
		for _, raw := range b.citations {
			var c citation
			_ = json.Unmarshal(raw, &c)
			found.Citations = append(found.Citations, c)
		}
		for _, c := range found.Citations {
			pages.Add(model.Source{Title: c.Title, URL: c.URL, Text: c.Text})
		}
		var results []struct {
			URL, Title string
			Age        string `json:"page_age"`
		}
		var fault struct {
			Code string `json:"error_code"`
		}
		if b.kind == "text" || json.Unmarshal(found.Content, &results) != nil && json.Unmarshal(found.Content, &fault) == nil {
			if fault.Code != "" {
				failed = fault.Code
			}
			continue
		}
		for _, r := range results {
			pages.Add(model.Source{Title: r.Title, URL: r.URL, Date: r.Age})
		}
	}
	if all := pages.All(); len(all) > 0 || failed == "" {
		return all, nil
	}
	kind := map[string]model.ErrorKind{"too_many_requests": model.Rate, "unavailable": model.Overloaded}[failed]
	if kind == "" {
		kind = model.BadRequest
	}
	return nil, &model.Error{Provider: d.http.Who.Provider, Kind: kind, Text: "the search failed: " + failed}
}
