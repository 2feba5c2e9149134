package tool

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"time"
)

// Call is one tool call of a model.
type Call struct {
	ID   string          `json:"id"`   // unique in the session; we make it where the provider gives none
	Name string          `json:"name"` // as the model wrote it
	Args json.RawMessage `json:"args"` // as the model wrote them; may be broken

	// Truncated means that the model was cut off while it wrote the arguments: the call must not run.
	Truncated bool `json:"truncated,omitempty"`
}

// Result is what the model gets for one call. Text is bounded and valid UTF-8.
type Result struct {
	ID       string          `json:"id"`
	Name     string          `json:"name"`
	Text     string          `json:"text"`
	Parts    []Part          `json:"parts,omitempty"` // images, documents and links; Text names the links
	Failed   bool            `json:"failed,omitempty"`
	Kind     Kind            `json:"kind,omitempty"`   // why it failed; "" when it did not
	Notes    []string        `json:"notes,omitempty"`  // what was repaired, and what guards noted; part of Text already
	Detail   json.RawMessage `json:"detail,omitempty"` // for the screen, from Reply.Show; the model never gets it
	Cut      *Cut            `json:"cut,omitempty"`    // set when Text does not hold all of the output
	Duration time.Duration   `json:"duration_ns,omitempty"`
}

// Clone returns a copy that shares nothing with the call.
func (c Call) Clone() Call {
	c.Args = slices.Clone(c.Args)
	return c
}

// Clone returns a copy that shares nothing with the result.
func (r Result) Clone() Result {
	r.Notes, r.Detail, r.Parts = slices.Clone(r.Notes), slices.Clone(r.Detail), slices.Clone(r.Parts)
	for i := range r.Parts {
		r.Parts[i].Data = slices.Clone(r.Parts[i].Data)
	}
	if r.Cut != nil {
		cut := *r.Cut
		r.Cut = &cut
	}
	return r
}

// Cut says how much of an output a result's text leaves out, and where the whole output is.
type Cut struct {
	Lines int64  `json:"lines"`         // whole or partial lines left out
	Bytes int64  `json:"bytes"`         // bytes left out
	Total int64  `json:"total"`         // bytes of the whole output
	Ref   string `json:"ref,omitempty"` // what read_file opens; "" when the whole was not kept
}

// Open opens the whole output in a directory of kept outputs. It opens only outputs of the given session, whatever Ref says: a
// recorded result may come from elsewhere. It fails with os.ErrNotExist when there is no such output.
func (c *Cut) Open(dir, session string) (*os.File, error) {
	if session == "" || !strings.HasPrefix(c.Ref, OutputScheme+session+"-") {
		return nil, os.ErrNotExist
	}
	return (&OutputStore{Dir: dir, Prefix: session}).Open(c.Ref)
}
