package code

import (
	"fmt"

	"rein/tool"
)

// The tool that runs a small program of the model, which calls other tools.
func Example() {
	for _, t := range []*tool.Tool{Program{}.Tool()} {
		fmt.Println(t.Name)
	}
	// Output:
	// program
}
