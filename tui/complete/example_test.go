package complete_test

import (
	"fmt"

	"rein/tui/complete"
)

func Example() {
	files := complete.NewList([]string{"README.md", "guard/rule.go", "guard/rule_test.go"})
	for _, m := range files.Find("grul", 2) {
		fmt.Println(m.Name)
	}
	// Output:
	// guard/rule.go
	// guard/rule_test.go
}
