package settings

// Search says which search engines web_search asks. The zero value asks those whose keys are in the environment, then
// DuckDuckGo. A model comes first where one is set.
type Search struct {
	Order   []string                `json:"order,omitempty"`   // their names, the first one first; others are not asked
	Engines map[string]SearchEngine `json:"engines,omitempty"` // by name: brave, tavily, exa, kagi, google, searxng
	Model   string                  `json:"model,omitempty"`   // a model of anthropic, openai or gemini, as provider/name: the engine "model" lets its provider search
}

// SearchEngine says how one engine is reached.
type SearchEngine struct {
	KeyEnv string `json:"keyEnv,omitempty"` // the environment variable that holds the key
	URL    string `json:"url,omitempty"`    // of a SearXNG instance, or of an API at another address than usual
	ID     string `json:"id,omitempty"`     // of a Google search engine (cx)
}
