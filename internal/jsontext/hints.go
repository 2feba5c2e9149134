package jsontext

import "encoding/json"

// hints are the types of the arguments that the schema declares, by name; a name without one type has "".
type hints map[string]string

// readHints takes from a schema what helps to read arguments. A schema that cannot be read helps in nothing.
func readHints(schema []byte) hints {
	var s struct {
		Properties map[string]struct {
			Type json.RawMessage `json:"type"`
		} `json:"properties"`
	}
	if len(schema) == 0 || json.Unmarshal(schema, &s) != nil {
		return nil
	}
	h := hints{}
	for name, p := range s.Properties {
		var kind string
		if json.Unmarshal(p.Type, &kind) != nil {
			kind = ""
		}
		h[name] = kind
	}
	return h
}

// wanted is the type of the argument whose value is read, if the schema has it.
func (r *reader) wanted() string {
	if len(r.stack) != 1 {
		return ""
	}
	return r.hints[r.atRoot]
}
