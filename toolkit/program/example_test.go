package program_test

import (
	"fmt"

	"rein/tool"
	"rein/toolkit/program"
)

// The tool that runs a small program of the model, which calls other tools.
func Example() {
	for _, t := range []*tool.Tool{program.Program{}.Tool()} {
		fmt.Println(t.Name)
	}
	// Output:
	// program
}
