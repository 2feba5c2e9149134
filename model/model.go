// Package model defines requests to a language model and its answers: one interface, messages of ordered parts, an answer
// that streams in chunks, errors that say whether a retry can help, one place for retries, and the rules that a history must
// follow so that every provider accepts it.
package model

import (
	"context"
	"encoding/json"
	"iter"

	"rein/internal/jsontext"
)

// Model is one language model.
//
// Stream sends r and yields the answer as it comes. The rules for implementations:
//   - The last chunk of an answer that came whole has Kind Done and carries the finished Message, why the model stopped
//     and the usage; nothing is yielded after it. An answer that did not come whole ends in exactly one error and
//     has no Done.
//   - Errors are *Error, except that a context's own end is returned as context.Cause(ctx).
//   - Leaving the loop cancels the request; when the loop has ended nothing of it is left running.
//   - Nothing is sent before the loop starts, and each loop sends once: a Model does not try again by itself (Retry does).
//   - Every call of an answer has an ID of ours that is unique in the session; the provider's own is kept beside it.
//   - r and its messages are only read. They may be shared with other streams at the same time.
//
// Stream may be called from many goroutines at once.
type Model interface {
	Info() Info
	Stream(ctx context.Context, r *Request) iter.Seq2[Chunk, error]
}

// Info identifies a model. A number that is not known is zero.
type Info struct {
	Provider string // the provider's name as in "provider/name"
	Name     string // the model's name as the provider knows it; may hold slashes

	Context   int // tokens that a request and its answer may have together
	MaxInput  int // tokens that a request may have, where that is less than Context
	MaxOutput int // tokens that an answer may have

	Assumed bool // nothing is known of the model: the numbers of tokens are cautious guesses

	// What a million tokens cost in US dollars, not read from a cache; 0: not known.
	InputPrice, OutputPrice float64

	Thinking *Thinking // nil: it is not known how the model thinks

	TextOnly bool // the model takes no images and no documents: a text that reports this is sent in their place
}

// String returns "provider/name", the form that --model takes.
func (i Info) String() string { return i.Provider + "/" + i.Name }

// Request is one request to a model. The zero values of the options leave the choice to the provider.
type Request struct {
	System   string
	Messages []*Message // in order; the last one is the user's or carries results
	Tools    []ToolSpec // what the model may call; kept in this order on the wire

	MaxTokens   int      // of the answer; where a provider demands a number, zero means its largest safe one
	Temperature *float64 // nil: the provider's own
	Effort      string   // how long to think: "", "none", "minimal", "low", "medium", "high", "xhigh", "max"; see Info.Effort
	Choice      string   // which tool must be called: "" any or none, "none", "required", or a tool's name
	Fields      []Field  // further fields of the options, as the provider names them
	Sampling    Sampling // how the model chooses its words; a model of kit/providers that cannot take all of it fails
	Search      *Search  // the provider searches the web first; nil: it does not

	// Session names the conversation, so that a provider can find what it cached. Never a secret; may be empty.
	Session string
}

// Field is one field of a request: a name that needs no escapes, and JSON.
type Field struct {
	Name  string
	Value json.RawMessage
}

// AppendFields appends the further fields of the options, with commas.
func (r *Request) AppendFields(out []byte) []byte {
	for _, f := range r.Fields {
		out = append(jsontext.AppendKey(out, f.Name), f.Value...)
	}
	return out
}

// ToolSpec is a tool as a model sees it.
type ToolSpec struct {
	Name        string
	Description string
	Schema      json.RawMessage // JSON Schema of the arguments: an object
}

// Parameters returns the schema, or that of a tool without arguments when there is none.
func (t *ToolSpec) Parameters() json.RawMessage {
	if len(t.Schema) == 0 {
		return json.RawMessage(`{"type":"object","properties":{}}`)
	}
	return t.Schema
}
