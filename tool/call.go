package tool

import (
	"encoding/json"
	"time"
)

// Call is one wish of a model.
type Call struct {
	ID   string          `json:"id"`   // unique in the session; made by us where the provider has none
	Name string          `json:"name"` // as the model said it
	Args json.RawMessage `json:"args"` // as the model said them; may be broken

	// Truncated means that the model was cut off while it wrote the arguments: the call must not run.
	Truncated bool `json:"truncated,omitempty"`
}

// Result is what the model is told about one call. Text is bounded and valid UTF-8.
type Result struct {
	ID       string          `json:"id"`
	Name     string          `json:"name"`
	Text     string          `json:"text"`
	Failed   bool            `json:"failed,omitempty"`
	Kind     Kind            `json:"kind,omitempty"`   // why it failed; "" when it did not
	Notes    []string        `json:"notes,omitempty"`  // what was mended on the way; part of Text already
	Detail   json.RawMessage `json:"detail,omitempty"` // for the screen, from Reply.Show; never told to the model
	Cut      *Cut            `json:"cut,omitempty"`    // set when Text does not hold all of the output
	Duration time.Duration   `json:"duration_ns,omitempty"`
}

// Cut says how much of an output is missing in a result's text, and where the whole is.
type Cut struct {
	Lines int64  `json:"lines"`         // whole or partial lines left out
	Bytes int64  `json:"bytes"`         // bytes left out
	Total int64  `json:"total"`         // bytes of the whole output
	Ref   string `json:"ref,omitempty"` // what read_file opens; "" when the whole was not kept
}
