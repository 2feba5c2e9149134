package code_test

import (
	"fmt"

	"rein/kit/tools/code"
	"rein/tool"
)

// The tool that runs code in a sandbox with a directory of its own.
func Example() {
	for _, t := range []*tool.Tool{(&code.Runner{}).Tool()} {
		fmt.Println(t.Name, t.Effect)
	}
	// Output:
	// run_code reads+writes+runs
}
