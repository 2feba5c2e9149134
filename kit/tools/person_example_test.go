package tools

import (
	"fmt"

	"rein/tool"
)

// The tools that reach the person.
func Example_person() {
	for _, t := range []*tool.Tool{AskUser(), Notify([]string{"desktop"}, nil)} {
		fmt.Println(t.Name)
	}
	// Output:
	// ask_user
	// notify
}
