package compact_test

import (
	"fmt"

	"rein/agent/compact"
)

func ExampleEstimate() {
	fmt.Println(compact.Estimate("The quick brown fox jumps over the lazy dog."))
	// Output:
	// 10
}
