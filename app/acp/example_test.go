package acp_test

import (
	"context"
	"fmt"
	"strings"

	"rein/app/acp"
)

// An editor starts the agent and writes to its standard input. Here it leaves at once.
func Example() {
	var out strings.Builder
	fmt.Println(acp.Serve(context.Background(), acp.Options{}, strings.NewReader(""), &out), out.Len())
	// Output: <nil> 0
}
