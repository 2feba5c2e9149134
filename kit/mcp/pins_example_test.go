package mcp

import (
	"fmt"
)

// The description of a tool can hide text from its reader.
func Example_pins() {
	for _, s := range findSuspicions("Adds two numbers.\u200b") {
		fmt.Println(s)
	}
	// Output:
	// it has hidden characters: U+200B (1)
}
