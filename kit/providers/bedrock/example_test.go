package bedrock_test

import (
	"fmt"

	"rein/kit/providers/bedrock"
	"rein/kit/providers/wire"
	"rein/model"
)

// A model of Bedrock. Its transport signs the requests (see SigningTransport), or a bearer key is set.
func Example() {
	var m model.Model = &bedrock.Converse{HTTP: wire.HTTP{Who: model.Info{Provider: "bedrock", Name: "anthropic.claude-sonnet-4"}}}
	fmt.Println(m.Info().Provider, m.Info().Name)
	// Output: bedrock anthropic.claude-sonnet-4
}
