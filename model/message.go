package model

import (
	"encoding/json"
	"slices"
	"sync"

	"rein/internal/jsontext"
)

// Role is the author of a message.
type Role string

// The roles. The system prompt is in Request.System.
const (
	User      Role = "user"
	Assistant Role = "assistant"
	Results   Role = "results" // the results of the calls of the assistant's message before it, and nothing else
)

// Message is one message of a conversation: a role and its parts in order. It is not changed after it was made and is
// shared by pointer: what an adapter encodes of it is kept with it, so that a long history is encoded once.
//
// It encodes to JSON and back without loss; that form is kept stable, because journals hold it.
type Message struct {
	Role  Role   `json:"role"`
	Parts []Part `json:"parts"`

	// From is the Info.String of the model that wrote an assistant's message; on a Results message the one that made the calls.
	// The provider's own ids and Raw are only sent to the model that they came from.
	From string `json:"from,omitempty"`
	// Raw holds the provider's own form of an assistant's message, as it sent it, where Parts cannot hold all of it
	// (signatures, encrypted thinking, items that we do not know). Empty: the parts hold it all.
	Raw json.RawMessage `json:"raw,omitempty"`

	mu      sync.Mutex
	encoded []encoding
}

// mostEncodings bounds what is kept with a message when its model or its tools change often.
const mostEncodings = 4

// encoding is a message as one adapter sends it.
type encoding struct {
	key   string
	bytes []byte
}

// UserText returns a message of the user with one text.
func UserText(text string) *Message { return UserParts(Text(text)) }

// UserParts returns a message of the user with these parts: texts, images and documents.
func UserParts(parts ...Part) *Message { return &Message{Role: User, Parts: parts} }

// Answer returns the message that carries the results of the calls in asked, which must be an assistant's message. Each
// result is matched with its call by ID and gets the call's name and the provider's id. A result that belongs to no
// call of asked is kept as it is: Repair deals with it.
func Answer(asked *Message, results ...Part) *Message {
	parts := make([]Part, len(results))
	for i, r := range results {
		for j := range asked.Parts {
			call := &asked.Parts[j]
			if call.Kind == CallKind && call.ID == r.ID && r.Kind == ResultKind {
				r.Name, r.ProviderID = call.Name, call.ProviderID
				break
			}
		}
		parts[i] = r
	}
	return &Message{Role: Results, Parts: parts, From: asked.From}
}

// Calls returns the calls of a message in order, also those that were cut (see Part.Truncated).
func (m *Message) Calls() []Part {
	var calls []Part
	for _, p := range m.Parts {
		if p.Kind == CallKind {
			calls = append(calls, p)
		}
	}
	return calls
}

// Text returns all text parts of a message, one after the other; thinking is not text.
func (m *Message) Text() string {
	var text string
	for _, p := range m.Parts {
		if p.Kind == TextKind {
			text += p.Text
		}
	}
	return text
}

// KeepRaw sets Raw, before the message is given to anyone. What is no JSON is not kept: no journal could hold it.
func (m *Message) KeepRaw(raw json.RawMessage) {
	if jsontext.Valid(raw) {
		m.Raw = raw
	}
}

// Encoded returns what encode makes of the message, and keeps it: for one key encode runs once, unless many keys take turns. It is for adapters; the
// key names the wire protocol and all else that the bytes depend on. The bytes are not to be changed.
func (m *Message) Encoded(key string, encode func(*Message) []byte) []byte {
	m.mu.Lock()
	defer m.mu.Unlock()
	for i := range m.encoded {
		if m.encoded[i].key == key {
			return m.encoded[i].bytes
		}
	}
	if len(m.encoded) >= mostEncodings {
		m.encoded = slices.Delete(m.encoded, 0, 1)
	}
	b := encode(m)
	m.encoded = append(m.encoded, encoding{key, b})
	return b
}
