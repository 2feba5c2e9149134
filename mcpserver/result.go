package mcpserver

import (
	"cmp"
	"encoding/json"
	"strings"
	"unicode/utf8"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"rein/tool"
)

// result is a result as the protocol has it.
func result(r tool.Result) *sdk.CallToolResult {
	out := &sdk.CallToolResult{IsError: r.Failed}
	if r.Text != "" || len(r.Parts) == 0 {
		out.Content = []sdk.Content{&sdk.TextContent{Text: r.Text}}
	}
	for _, p := range r.Parts {
		switch p.Kind {
		case tool.ImagePart:
			out.Content = append(out.Content, &sdk.ImageContent{MIMEType: p.MediaType, Data: p.Data})
		case tool.DocumentPart:
			out.Content = append(out.Content, document(r.ID, p))
		case tool.LinkPart:
			out.Content = append(out.Content, &sdk.ResourceLink{URI: p.URI, Name: p.Name, Description: p.Text, MIMEType: p.MediaType})
		}
	}
	if r.Cut != nil && r.Cut.Ref != "" {
		out.Content = append(out.Content, &sdk.ResourceLink{URI: outputPrefix + r.Cut.Ref, Name: "the whole output", MIMEType: "text/plain", Size: &r.Cut.Total})
	}
	var object map[string]any
	if json.Unmarshal(r.Detail, &object) == nil && object != nil {
		out.StructuredContent = object
	}
	return out
}

// document is a document as the protocol has it: audio is a kind of its own, others are resources.
func document(call string, p tool.Part) sdk.Content {
	if strings.HasPrefix(p.MediaType, "audio/") && p.URI == "" {
		return &sdk.AudioContent{MIMEType: p.MediaType, Data: p.Data}
	}
	r := &sdk.ResourceContents{URI: cmp.Or(p.URI, "rein://document/"+call), MIMEType: p.MediaType, Blob: p.Data}
	if strings.HasPrefix(p.MediaType, "text/") && utf8.Valid(p.Data) {
		r.Text, r.Blob = string(p.Data), nil
	}
	return &sdk.EmbeddedResource{Resource: r}
}
