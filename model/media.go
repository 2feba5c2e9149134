package model

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

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

// Sendable returns parts with a text in place of each image and document that the model does not take. types are the media
// types that the protocol carries; "text/*" covers a group. A document of text becomes that text with its name; anything
// else becomes a sentence with what was not sent and why. The text keeps the ID, so it stays with its result.
func Sendable(parts []Part, who Info, types ...string) []Part {
	fits := func(p Part) bool {
		return !p.Attachment() || !who.TextOnly && len(p.Data) > 0 && slices.ContainsFunc(types, func(t string) bool { return covers(t, p.MediaType) })
	}
	if !slices.ContainsFunc(parts, func(p Part) bool { return !fits(p) }) {
		return parts
	}
	parts = slices.Clone(parts)
	for i, p := range parts {
		if !fits(p) {
			parts[i] = Part{Kind: TextKind, ID: p.ID, Text: inWords(&p, who)}
		}
	}
	return parts
}

func covers(pattern, mediaType string) bool {
	if group, ok := strings.CutSuffix(pattern, "*"); ok {
		return strings.HasPrefix(mediaType, group)
	}
	return pattern == mediaType
}

// inWords returns the text that replaces an image or a document.
func inWords(p *Part, who Info) string {
	if p.Kind == DocumentKind && textual(p.MediaType) && utf8.Valid(p.Data) {
		return fmt.Sprintf("<document name=%q>\n%s\n</document>", p.Name, strings.TrimSuffix(string(p.Data), "\n"))
	}
	why := fmt.Sprintf("%s takes no %ss of this type", who, p.Kind)
	if who.TextOnly {
		why = who.String() + " takes only text"
	}
	name := p.Name
	if name != "" {
		name = " " + name
	}
	return fmt.Sprintf("[The %s%s (%s, %s) was not sent: %s.]", p.Kind, name, p.MediaType, size(len(p.Data)), why)
}

// textual reports whether files of this media type are text.
func textual(mediaType string) bool {
	if strings.HasPrefix(mediaType, "text/") || strings.HasSuffix(mediaType, "+json") || strings.HasSuffix(mediaType, "+xml") {
		return true
	}
	switch mediaType {
	case "application/json", "application/xml", "application/yaml", "application/x-yaml", "application/toml", "application/javascript":
		return true
	}
	return false
}

func size(n int) string {
	switch {
	case n < 1000:
		return fmt.Sprintf("%d bytes", n)
	case n < 1_000_000:
		return fmt.Sprintf("%.1f kB", float64(n)/1000)
	}
	return fmt.Sprintf("%.1f MB", float64(n)/1_000_000)
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
