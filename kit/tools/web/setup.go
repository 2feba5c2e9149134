package web

import "slices"

// SearchSetup is what the user's settings say about an engine. Keys are in the environment.
type SearchSetup struct {
	KeyEnv string `json:"keyEnv,omitempty"` // the environment variable that holds the key
	URL    string `json:"url,omitempty"`    // of a SearXNG instance, or of an API at another address than usual
	ID     string `json:"id,omitempty"`     // of a Google search engine (cx)
}

// variables are the environment variables of the keys; searxng's has the address.
func variables() map[string]string {
	return map[string]string{"brave": "BRAVE_API_KEY", "tavily": "TAVILY_API_KEY", "exa": "EXA_API_KEY", "kagi": "KAGI_API_KEY",
		"google": "GOOGLE_SEARCH_API_KEY", "searxng": "SEARXNG_URL"}
}

const googleID = "GOOGLE_CSE_ID"

// SearchState says how an engine is set up.
type SearchState struct {
	SearchEngine
	Ready bool   // it can be asked
	Needs string // what the user must set, in words; "" where it is ready
}

// SearchEngines finds the engines that can be asked: all, in the given order, then the others. order may be nil; where it is not, only
// its engines are ready.
func SearchEngines(order []string, set map[string]SearchSetup, getenv func(string) string) (all []SearchState) {
	names := slices.Clone(order)
	for _, name := range engineNames() {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	for _, name := range names {
		s, variable := set[name], variables()[name]
		if s.KeyEnv != "" {
			variable = s.KeyEnv
		}
		state := SearchState{SearchEngine: SearchEngine{Name: name, URL: s.URL, ID: s.ID}}
		switch {
		case name == "searxng" && s.URL == "":
			state.URL = getenv(variable)
		case name != byModel && name != "searxng" && name != "duckduckgo":
			state.Key = getenv(variable)
		}
		if name == "google" && state.ID == "" {
			state.ID = getenv(googleID)
		}
		_, err := state.open()
		switch {
		case err == nil && len(order) > 0 && !slices.Contains(order, name):
			state.Needs = "it is not in the setting search.order"
		case err == nil:
			state.Ready = true
		case name == byModel && state.ID == "":
			state.Needs = "set search.model to a model of Anthropic, OpenAI or Gemini: its provider searches then"
		case name == "searxng" && state.URL == "":
			state.Needs = "set " + variable + " to the address of an instance"
		case name == "google":
			state.Needs = "set " + variable + " and " + googleID
		case variable != "" && state.Key == "" && name != "searxng":
			state.Needs = "set " + variable
		default:
			state.Needs = err.Error()
		}
		all = append(all, state)
	}
	return all
}

// ReadyEngines returns the engines that can be asked, in order.
func ReadyEngines(all []SearchState) (engines []SearchEngine) {
	for _, s := range all {
		if s.Ready {
			engines = append(engines, s.SearchEngine)
		}
	}
	return engines
}
