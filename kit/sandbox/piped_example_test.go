package sandbox

import (
	"context"
	"fmt"
)

// A program gets its input whole and returns its two outputs apart.
func Example() {
	result, err := RunToEnd(context.Background(), None{}, Spec{Argv: []string{"tr", "a-z", "A-Z"}}, []byte("hello"))
	if err != nil {
		panic(err)
	}
	fmt.Println(result.Stdout, result.Code)
	// Output: HELLO 0
}
