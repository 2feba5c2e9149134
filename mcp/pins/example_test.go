package pins_test

import (
	"fmt"

	"rein/mcp/pins"
)

// The description of a tool can hide text from its reader.
func Example() {
	for _, s := range pins.Suspicions("Adds two numbers.\u200b") {
		fmt.Println(s)
	}
	// Output:
	// it has hidden characters: U+200B (1)
}
