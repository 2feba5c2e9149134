package mcp

import (
	"fmt"
)

// A file with tool servers, as many programs write it.
func Example() {
	entries, warnings, err := parseConfig([]byte(`{"mcpServers": {"files": {"command": "npx", "args": ["server-files"]}, "docs": {"url": "https://docs.example/mcp"}}}`), "user", "mcp.json")
	if err != nil || len(warnings) > 0 {
		panic(fmt.Sprint(err, warnings))
	}
	for _, e := range entries {
		fmt.Println(e.Name, e.Command+e.URL)
	}
	// Output:
	// docs https://docs.example/mcp
	// files npx
}
