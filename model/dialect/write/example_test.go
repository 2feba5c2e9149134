package write_test

import (
	"fmt"

	"rein/model/dialect"
	"rein/model/dialect/write"
)

// A call and its result, as Kimi K2 writes and gets them.
func Example() {
	d, err := dialect.Find("kimi_k2")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(write.Calls(d, []dialect.Call{{Name: "read", Args: []byte(`{"path":"a.go"}`)}}, nil, 0))
	fmt.Println(write.Results(d, []write.Result{{Name: "read", Text: "package main"}}))
	// Output:
	// <|tool_calls_section_begin|><|tool_call_begin|>functions.read:0<|tool_call_argument_begin|>{"path": "a.go"}<|tool_call_end|><|tool_calls_section_end|>
	// ## Return of functions.read:0
	// package main
}
