package settings

import (
	"os"

	"rein/toolkit/search"
)

// Search says which search engines web_search asks. The zero value asks those whose keys are in the environment, then
// DuckDuckGo.
type Search struct {
	Order   []string                `json:"order,omitempty"`   // their names, the first one first; others are not asked
	Engines map[string]search.Setup `json:"engines,omitempty"` // by name: brave, tavily, exa, kagi, google, searxng
}

// Look finds the engines that can be asked.
func (s Search) Look() []search.State { return search.Look(s.Order, s.Engines, os.Getenv) }
