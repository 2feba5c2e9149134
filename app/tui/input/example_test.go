package input

import (
	"fmt"
)

func Example() {
	files := NewList([]string{"README.md", "guard/rule.go", "guard/rule_test.go"})
	for _, m := range files.Find("grul", 2) {
		fmt.Println(m.Name)
	}
	// Output:
	// guard/rule.go
	// guard/rule_test.go
}
