package model

import (
	"strings"

	"rein/internal/jsontext"
)

// PartKind is the kind of a part.
type PartKind string

// The kinds of parts. The comment names the fields of Part that are set.
const (
	TextKind     PartKind = "text"     // Text
	ThinkingKind PartKind = "thinking" // Text (a summary, may be empty); Signature where the provider signed it
	CallKind     PartKind = "call"     // ID, ProviderID, Name, Args, Truncated
	ResultKind   PartKind = "result"   // ID, ProviderID, Name, Text, Failed
	ImageKind    PartKind = "image"    // MediaType, Data; ID when it belongs to the result with this ID
	DocumentKind PartKind = "document" // MediaType, Data, Name; ID when it belongs to the result with this ID
)

// Part is one piece of a message.
type Part struct {
	Kind PartKind `json:"kind"`
	Text string   `json:"text,omitempty"`

	// Signature proves to the provider that thinking is its own.
	Signature string `json:"signature,omitempty"`

	ID         string `json:"id,omitempty"`          // ours: unique in the session, 9 letters and digits
	ProviderID string `json:"provider_id,omitempty"` // theirs: may be empty, repeated or hostile
	Name       string `json:"name,omitempty"`        // of the tool, as the model wrote it; of a document, its file

	// Args are the arguments of a call, byte for byte as the model wrote them, so possibly no JSON at all. A model that
	// gave none is read as "{}".
	Args string `json:"args,omitempty"`
	// Truncated: the answer was cut inside this call. It must never run.
	Truncated bool `json:"truncated,omitempty"`
	Failed    bool `json:"failed,omitempty"`

	MediaType string `json:"media_type,omitempty"` // of the data: "image/png", "application/pdf", "text/plain"
	Data      []byte `json:"data,omitempty"`
}

// Text returns a text part.
func Text(text string) Part { return Part{Kind: TextKind, Text: text} }

// Image returns an image part; data are the bytes of the file.
func Image(mediaType string, data []byte) Part {
	return Part{Kind: ImageKind, MediaType: mediaType, Data: data}
}

// Document returns a document part; name is the file's and data are its bytes.
func Document(mediaType, name string, data []byte) Part {
	return Part{Kind: DocumentKind, MediaType: mediaType, Name: name, Data: data}
}

// Result returns what a call with this ID (ours) gave.
func Result(id, text string, failed bool) Part {
	return Part{Kind: ResultKind, ID: id, Text: text, Failed: failed}
}

// WireID returns the call id that is sent: the provider's own when the message came from it, else ours.
func (p *Part) WireID(own bool) string {
	if own && p.ProviderID != "" {
		return p.ProviderID
	}
	return p.ID
}

// Object returns a call's arguments as one JSON object, which is what providers take. Arguments that were cut are sent as
// none, since their result reports it; other text that is no object is sent as the value of the one key "text".
func (p *Part) Object() string {
	switch {
	case JSONObject(p.Args):
		return p.Args
	case p.Truncated || strings.TrimSpace(p.Args) == "":
		return "{}"
	}
	return string(append(jsontext.AppendString([]byte(`{"text":`), p.Args), '}'))
}

// ResultText returns a result's text for protocols that have no field for failure; an empty text is replaced by words.
func (p *Part) ResultText() string {
	switch {
	case p.Text == "" && p.Failed:
		return "The call failed without output."
	case p.Text == "":
		return "(no output)"
	}
	return p.Text
}

// WithTexts returns a result's text with the texts that belong to it, for protocols that take results as one text.
func (p *Part) WithTexts(attached []Part) string {
	text := p.ResultText()
	for _, a := range attached {
		if a.Kind == TextKind {
			text += "\n\n" + a.Text
		}
	}
	return text
}

// Attachment reports whether p is an image or a document.
func (p *Part) Attachment() bool { return p.Kind == ImageKind || p.Kind == DocumentKind }

// Attached returns the parts of a Results message that belong to the result with this ID, in order: images, documents, and
// texts that replace some (see Sendable).
func Attached(parts []Part, id string) []Part {
	var own []Part
	for _, p := range parts {
		if p.ID == id && (p.Attachment() || p.Kind == TextKind) {
			own = append(own, p)
		}
	}
	return own
}

// JSONObject reports whether text is one whole JSON object.
func JSONObject(text string) bool {
	var s jsontext.Scan
	s.Reset([]byte(text))
	return s.Kind() == '{' && jsontext.Valid([]byte(text))
}
