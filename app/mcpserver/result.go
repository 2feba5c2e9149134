package mcpserver

import (
	"cmp"
	"encoding/json"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"rein/tool"
)

// detailKey names in _meta what a face shows of a result beside its text, such as differences of files. It is no structured content:
// clients such as Codex give the model that in place of the text.
const detailKey = "rein/detail"

// result is a result as the protocol has it. The structured content of a tool server behind a proxy stays what it was.
func result(r tool.Result, proxied bool) *sdk.CallToolResult {
	out := &sdk.CallToolResult{IsError: r.Failed}
	if r.Text != "" || len(r.Parts) == 0 {
		out.Content = []sdk.Content{&sdk.TextContent{Text: r.Text}}
	}
	for _, p := range r.Parts {
		out.Content = append(out.Content, content(r.ID, p))
	}
	if r.Cut != nil && r.Cut.Ref != "" {
		out.Content = append(out.Content, &sdk.ResourceLink{URI: outputPrefix + r.Cut.Ref, Name: "the whole output", MIMEType: "text/plain", Size: &r.Cut.Total})
	}
	var object map[string]any
	switch {
	case json.Unmarshal(r.Detail, &object) != nil || object == nil:
	case proxied:
		out.StructuredContent = object
	default:
		out.Meta = sdk.Meta{detailKey: object}
	}
	return out
}

// content is a part as the protocol has it. from names what it came from.
func content(from string, p tool.Part) sdk.Content {
	switch p.Kind {
	case tool.ImagePart:
		return &sdk.ImageContent{MIMEType: p.MediaType, Data: p.Data}
	case tool.DocumentPart:
		return document(from, p)
	case tool.LinkPart:
		return &sdk.ResourceLink{URI: p.URI, Name: p.Name, Description: p.Text, MIMEType: p.MediaType}
	}
	return &sdk.TextContent{Text: p.Text}
}

// document is a document as the protocol has it: audio is a kind of its own, others are resources.
func document(from string, p tool.Part) sdk.Content {
	if strings.HasPrefix(p.MediaType, "audio/") && p.URI == "" {
		return &sdk.AudioContent{MIMEType: p.MediaType, Data: p.Data}
	}
	r := &sdk.ResourceContents{URI: cmp.Or(p.URI, "rein://document/"+from), MIMEType: p.MediaType, Blob: p.Data}
	if isText(p) {
		r.Text, r.Blob = string(p.Data), nil
	}
	return &sdk.EmbeddedResource{Resource: r}
}
