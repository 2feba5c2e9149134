package dialect

import (
	"fmt"
)

// A call and its result, as Kimi K2 writes and gets them.
func Example() {
	d, err := Find("kimi_k2")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(WriteCalls(d, []Call{{Name: "read", Args: []byte(`{"path":"a.go"}`)}}, nil, 0))
	fmt.Println(WriteResults(d, []CallResult{{Name: "read", Text: "package main"}}))
	// Output:
	// <|tool_calls_section_begin|><|tool_call_begin|>functions.read:0<|tool_call_argument_begin|>{"path": "a.go"}<|tool_call_end|><|tool_calls_section_end|>
	// ## Return of functions.read:0
	// package main
}
