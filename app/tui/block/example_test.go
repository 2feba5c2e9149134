package block

import (
	"fmt"
	"strings"
)

func Example() {
	lines, _ := Lines(Parse("@@ -1,2 +1,2 @@\n package a\n-var x = 1\n+var x = 2\n"), "a.go", 40, 0)
	for _, l := range lines {
		fmt.Println(strings.TrimRight(l.String(), " "))
	}
	// Output:
	//  1    package a
	//  2  - var x = 1
	//  2  + var x = 2
}
