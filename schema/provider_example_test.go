package schema

import (
	"encoding/json"
	"fmt"
)

// A provider takes only a part of JSON Schema. What it cannot check becomes a part of the description, and is listed.
func Example() {
	profile, ok := ProfileOf("anthropic-strict")
	if !ok {
		panic("no such profile")
	}
	sent, err := Normalise(json.RawMessage(`{"type":"object","properties":{"n":{"type":"integer","minimum":1}},"required":["n"]}`), profile)
	if err != nil {
		panic(err)
	}
	fmt.Println(string(sent.Schema))
	fmt.Println("left out:", len(sent.Lost))
	// Output:
	// {"type":"object","properties":{"n":{"type":"integer","description":"(at least 1)"}},"required":["n"],"additionalProperties":false}
	// left out: 1
}
