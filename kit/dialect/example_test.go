package dialect_test

import (
	"fmt"

	"rein/kit/dialect"
)

// A model without tool calls of its own writes them as text. Parse reads them.
func Example() {
	d, _ := dialect.For("qwen2.5:7b")
	answer := dialect.Parse(d, dialect.Options{}, "I look.\n<tool_call>\n{\"name\": \"read\", \"arguments\": {\"path\": \"a.go\"}}\n</tool_call>")
	fmt.Println(d.Name)
	fmt.Println(answer.Calls[0].Name, string(answer.Calls[0].Args))
	// Output:
	// hermes
	// read {"path": "a.go"}
}

// A Parser reads text while it streams. Pieces may end anywhere.
func ExampleParser() {
	d, _ := dialect.Find("hermes")
	p := dialect.New(d, dialect.Options{})
	defer p.Close()
	for _, piece := range []string{"I look.\n<tool", "_call>{\"name\": \"read\", ", "\"arguments\": {}}</tool_call>"} {
		for _, e := range p.Write(piece) {
			fmt.Printf("%q %q\n", e.Text, e.Call.Name)
		}
	}
	// Output:
	// "I look.\n" ""
	// "" "read"
}
