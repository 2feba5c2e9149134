package wire

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"rein/model"
)

// Sendable returns parts with a text in place of each image and document that the model does not take. types are the media
// types that the protocol carries; "text/*" covers a group. A document of text becomes that text with its name; anything
// else becomes a sentence with what was not sent and why. The text keeps the ID, so it stays with its result.
func Sendable(parts []model.Part, who model.Info, types ...string) []model.Part {
	fits := func(p model.Part) bool {
		return !p.Attachment() || !who.TextOnly && len(p.Data) > 0 && slices.ContainsFunc(types, func(t string) bool { return covers(t, p.MediaType) })
	}
	if !slices.ContainsFunc(parts, func(p model.Part) bool { return !fits(p) }) {
		return parts
	}
	parts = slices.Clone(parts)
	for i, p := range parts {
		if !fits(p) {
			parts[i] = model.Part{Kind: model.TextKind, ID: p.ID, Text: inWords(&p, who)}
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
func inWords(p *model.Part, who model.Info) string {
	if p.Kind == model.DocumentKind && textual(p.MediaType) && utf8.Valid(p.Data) {
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
