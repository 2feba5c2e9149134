package event

import "encoding/json"

// MessagePart is a part of a message, as far as a screen shows it.
type MessagePart struct {
	Kind      string `json:"kind"` // "text", "thinking", "image", …
	Text      string `json:"text"`
	MediaType string `json:"media_type"`
	Name      string `json:"name"`
	Data      []byte `json:"data"`
}

// MessageParts returns the parts of Message; none where it cannot be read.
func (e *Event) MessageParts() []MessagePart {
	var m struct {
		Parts []MessagePart `json:"parts"`
	}
	_ = json.Unmarshal(e.Message, &m) // Text has the text
	return m.Parts
}
