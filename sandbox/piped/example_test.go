package piped_test

import (
	"context"
	"fmt"

	"rein/sandbox"
	"rein/sandbox/piped"
)

// A program gets its input whole and returns its two outputs apart.
func Example() {
	result, err := piped.Run(context.Background(), sandbox.None{}, sandbox.Spec{Argv: []string{"tr", "a-z", "A-Z"}}, []byte("hello"))
	if err != nil {
		panic(err)
	}
	fmt.Println(result.Stdout, result.Code)
	// Output: HELLO 0
}
