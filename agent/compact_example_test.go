package agent

import (
	"fmt"
)

func Example_estimateTokens() {
	fmt.Println(estimateTokens("The quick brown fox jumps over the lazy dog."))
	// Output:
	// 10
}
