package agent

import (
	"fmt"
)

func ExampleEstimate() {
	fmt.Println(estimateTokens("The quick brown fox jumps over the lazy dog."))
	// Output:
	// 10
}
