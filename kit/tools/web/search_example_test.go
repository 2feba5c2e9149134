package web

import (
	"encoding/json"
	"fmt"
)

// The engines are asked in their order, until one gives results. The intent of a call names all that may be asked.
func Example() {
	tools, err := NewSearch(SearchOptions{Engines: []SearchEngine{{Name: "brave", Key: "…"}, {Name: "duckduckgo"}}})
	if err != nil {
		fmt.Println(err)
		return
	}
	intent, _ := tools.Search().Intent(json.RawMessage(`{"query":"go maps"}`))
	fmt.Println(intent.Hosts)
	// Output:
	// [api.search.brave.com:443 html.duckduckgo.com:443]
}
