package settings

import (
	"maps"
	"os"

	"rein/kit/tools/web"
)

// Search says which search engines web_search asks. The zero value asks those whose keys are in the environment, then
// DuckDuckGo. A model comes first where one is set.
type Search struct {
	Order   []string                   `json:"order,omitempty"`   // their names, the first one first; others are not asked
	Engines map[string]web.SearchSetup `json:"engines,omitempty"` // by name: brave, tavily, exa, kagi, google, searxng
	Model   string                     `json:"model,omitempty"`   // a model of anthropic, openai or gemini, as provider/name: the engine "model" lets its provider search
}

// Look finds the engines that can be asked.
func (s Search) Look() []web.SearchState {
	set := maps.Clone(s.Engines)
	if s.Model != "" {
		if set == nil {
			set = map[string]web.SearchSetup{}
		}
		set["model"] = web.SearchSetup{ID: s.Model}
	}
	return web.SearchEngines(s.Order, set, os.Getenv)
}
