package schema

import (
	"encoding/json"

	jsonv2 "github.com/go-json-experiment/json"
)

// Decode reads checked arguments into a struct, as strictly as they were checked: names in their exact case, none
// twice. It is two to three times as fast as encoding/json on long strings, and whole files come as arguments.
func Decode(args json.RawMessage, into any) error { return jsonv2.Unmarshal(args, into) }
