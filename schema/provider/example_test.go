package provider_test

import (
	"encoding/json"
	"fmt"

	"rein/schema/provider"
)

// A provider takes only a part of JSON Schema. What it cannot check becomes a part of the description, and is listed.
func Example() {
	profile, ok := provider.ProfileOf("anthropic-strict")
	if !ok {
		panic("no such profile")
	}
	sent, err := provider.Normalise(json.RawMessage(`{"type":"object","properties":{"n":{"type":"integer","minimum":1}},"required":["n"]}`), profile)
	if err != nil {
		panic(err)
	}
	fmt.Println(string(sent.Schema))
	fmt.Println("left out:", len(sent.Lost))
	// Output:
	// {"type":"object","properties":{"n":{"type":"integer","description":"(at least 1)"}},"required":["n"],"additionalProperties":false}
	// left out: 1
}
