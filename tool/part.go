package tool

import (
	"fmt"
	"slices"
	"strings"
)

// Part is a piece of a result beside its text: an image, a document, a link.
type Part struct {
	Kind      PartKind `json:"kind"`
	Text      string   `json:"text,omitempty"`       // of a text; of a link, what it is
	MediaType string   `json:"media_type,omitempty"` // "image/png", "application/pdf", …
	Data      []byte   `json:"data,omitempty"`       // the bytes of the file
	Name      string   `json:"name,omitempty"`       // of a document or a link, for people
	URI       string   `json:"uri,omitempty"`        // of a link; of an image or a document, where it came from
}

// PartKind says what a part is.
type PartKind string

// The kinds of parts. The comment names the fields that must be set.
const (
	TextPart     PartKind = "text"     // Text
	ImagePart    PartKind = "image"    // MediaType, Data
	DocumentPart PartKind = "document" // MediaType, Data
	LinkPart     PartKind = "link"     // URI
)

// The defaults of ReplyOptions.Parts and ReplyOptions.PartBytes.
const (
	DefaultParts     = 20
	DefaultPartBytes = 8 << 20
)

// check refuses a part that no model could take.
func (p *Part) check() error {
	switch {
	case p.Kind == LinkPart && p.URI != "", p.Kind == DocumentPart && p.MediaType != "" && len(p.Data) > 0:
		return nil
	case p.Kind == ImagePart && strings.HasPrefix(p.MediaType, "image/") && len(p.Data) > 0:
		return nil
	}
	return &Error{Kind: Failed, Text: fmt.Sprintf("a %s with the media type %q, %d bytes and the URI %q cannot be attached", p.Kind, p.MediaType, len(p.Data), p.URI)}
}

// Attach adds an image, a document or a link to the reply. A text is written. It fails with TooLarge when the reply has
// more parts or bytes than it may, and after the call has ended.
func (r *Reply) Attach(p Part) error {
	if p.Kind == TextPart {
		_, err := r.WriteString(p.Text)
		return err
	}
	if err := p.check(); err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case r.closed:
		return errClosed
	case len(r.parts) >= r.mostParts:
		return &Error{Kind: TooLarge, Text: fmt.Sprintf("A result may have at most %d attachments: images, documents, links.", r.mostParts), Hint: "Ask for fewer in one call."}
	case r.partBytes+len(p.Data) > r.mostPartBytes:
		return &Error{Kind: TooLarge, Text: fmt.Sprintf("The images and documents of a result may have %d bytes together; this one has %d.", r.mostPartBytes, len(p.Data)), Hint: "Ask for a smaller one, or for fewer in one call."}
	}
	r.partBytes += len(p.Data)
	p.Data = slices.Clone(p.Data)
	r.parts = append(r.parts, p)
	return nil
}

// Parts returns what was attached, in order.
func (r *Reply) Parts() []Part {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.parts
}
