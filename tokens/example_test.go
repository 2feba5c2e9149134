package tokens_test

import (
	"fmt"

	"rein/tokens"
)

// A Correction learns from what the provider counted.
func Example() {
	text := "The quick brown fox jumps over the lazy dog."
	fmt.Println(tokens.Estimate(text))

	var c tokens.Correction
	c.Learn(10_000, 9_000) // 10,000 were estimated, the provider counted 9,000
	fmt.Println(c.Apply(1_000))
	// Output:
	// 10
	// 900
}
