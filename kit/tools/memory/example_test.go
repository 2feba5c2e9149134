package memory_test

import (
	"fmt"

	"rein/kit/tools/memory"
)

// The tools over a store of remembered facts. Package app/memory has a store; any other works too.
func Example() {
	for _, t := range (memory.Tools{Project: "/home/ada/project"}).All() {
		fmt.Println(t.Name)
	}
	// Output:
	// memory_store
	// memory_recall
	// memory_list
	// memory_forget
}
