package person_test

import (
	"fmt"

	"rein/tool"
	"rein/toolkit/person"
)

// The tools that reach the person.
func Example() {
	for _, t := range []*tool.Tool{person.AskUser(), person.Notify([]string{"desktop"}, nil)} {
		fmt.Println(t.Name)
	}
	// Output:
	// ask_user
	// notify
}
