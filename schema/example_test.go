package schema_test

import (
	"fmt"

	"rein/schema"
)

type searchArgs struct {
	Query string `json:"query" jsonschema:"words to look for"`
	Limit int    `json:"limit,omitempty" minimum:"1" maximum:"100"`
}

// A schema made from a Go type checks a model's arguments. What cannot be misread is changed to fit, with a note for
// the model; everything else is refused with a message that names the problem.
func Example() {
	s, err := schema.For[searchArgs]()
	if err != nil {
		panic(err)
	}
	fmt.Println(string(s.Raw()))

	checked, err := s.Check([]byte(`{"query":"todo","limit":"20"}`))
	fmt.Println(string(checked.Args), checked.Notes, err)

	_, err = s.Check([]byte(`{"querry":"todo"}`))
	fmt.Println(err)
	// Output:
	// {"type":"object","properties":{"query":{"type":"string","description":"words to look for"},"limit":{"type":"integer","minimum":1,"maximum":100}},"required":["query"],"additionalProperties":false}
	// {"query":"todo","limit":20} [limit: read the string as 20] <nil>
	// querry: unknown argument; did you mean "query"?; query: required argument is missing (a string); you sent "querry", did you mean that? (arguments: {query: string, limit?: integer})
}

// Each provider accepts another part of JSON Schema. Normalise writes the schema for one of them; Undo turns the
// arguments that its model writes back into arguments of the original schema.
func Example_provider() {
	s, err := schema.For[searchArgs]()
	if err != nil {
		panic(err)
	}
	profile, _ := schema.ProfileOf("openai-strict")
	n, err := schema.Normalise(s.Raw(), profile)
	if err != nil {
		panic(err)
	}
	fmt.Println(n.Strict)
	fmt.Println(string(n.Schema))
	fmt.Println(string(n.Undo([]byte(`{"query":"todo","limit":null}`))))
	// Output:
	// true
	// {"type":"object","properties":{"query":{"type":"string","description":"words to look for"},"limit":{"type":["integer","null"],"minimum":1,"maximum":100}},"required":["query","limit"],"additionalProperties":false}
	// {"query":"todo"}
}
