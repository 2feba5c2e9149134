package mcp

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"rein/tool"
)

// write puts a result into the reply. A result that the server marks as an error is one.
func (s *Server) write(result *sdk.CallToolResult, r *tool.Reply) error {
	var text strings.Builder
	for _, c := range result.Content {
		if err := s.writeContent(c, &text, r); err != nil {
			r.Note(tool.AsError(err).Text)
		}
	}
	writeStructured(result.StructuredContent, &text, r, s.front != nil)
	if result.IsError {
		return &tool.Error{Text: cmp.Or(bounded(text.String()), "the server reports an error without a text")}
	}
	_, err := r.WriteString(text.String())
	return err
}

// bounded keeps an error short: it is not spilled as an output is.
func bounded(text string) string {
	if len(text) > 16<<10 {
		return strings.ToValidUTF8(text[:16<<10], "") + "…"
	}
	return text
}

func (s *Server) writeContent(c sdk.Content, text *strings.Builder, r *tool.Reply) error {
	line := func(format string, args ...any) {
		if text.Len() > 0 && !strings.HasSuffix(text.String(), "\n") {
			text.WriteByte('\n')
		}
		fmt.Fprintf(text, format, args...)
	}
	switch c := c.(type) {
	case *sdk.TextContent:
		line("%s", c.Text)
	case *sdk.ImageContent:
		return r.Attach(tool.Part{Kind: tool.ImagePart, MediaType: cmp.Or(c.MIMEType, "image/png"), Data: c.Data})
	case *sdk.AudioContent:
		return r.Attach(tool.Part{Kind: tool.DocumentPart, MediaType: cmp.Or(c.MIMEType, "audio/wav"), Data: c.Data, Name: "audio"})
	case *sdk.ResourceLink:
		name := cmp.Or(c.Title, c.Name)
		if s.front == nil {
			line("[resource %s: %s]", name, c.URI)
		}
		return r.Attach(tool.Part{Kind: tool.LinkPart, URI: c.URI, Name: name, Text: c.Description, MediaType: c.MIMEType})
	case *sdk.EmbeddedResource:
		if c.Resource != nil {
			return s.writeResource(c.Resource, line, r)
		}
	default:
		line("[content of a kind that rein does not know: %T]", c)
	}
	return nil
}

// writeResource adds the content of a resource: a text is written, an image or a document attached. A proxy's client gets texts with
// their address and type.
func (s *Server) writeResource(res *sdk.ResourceContents, line func(string, ...any), r *tool.Reply) error {
	if s.front != nil && len(res.Blob) == 0 && res.Text != "" {
		return r.Attach(tool.Part{Kind: tool.DocumentPart, MediaType: cmp.Or(res.MIMEType, "text/plain"), Data: []byte(res.Text), Name: res.URI, URI: res.URI})
	}
	if len(res.Blob) == 0 {
		line("[resource %s]\n%s", res.URI, res.Text)
		return nil
	}
	if s.front == nil {
		line("[resource %s, %s, %d bytes]", res.URI, res.MIMEType, len(res.Blob))
	}
	kind := tool.DocumentPart
	if strings.HasPrefix(res.MIMEType, "image/") {
		kind = tool.ImagePart
	}
	return r.Attach(tool.Part{Kind: kind, MediaType: cmp.Or(res.MIMEType, "application/octet-stream"), Data: res.Blob, Name: res.URI, URI: res.URI})
}

// writeStructured adds the structured content, unless the text says the same. Faces get it as the detail, and so does a proxy's client.
func writeStructured(content any, text *strings.Builder, r *tool.Reply, proxied bool) {
	if content == nil {
		return
	}
	encoded, err := json.Marshal(content)
	if err != nil {
		return
	}
	r.Show(json.RawMessage(encoded))
	if proxied && text.Len() > 0 || repeats(encoded, text.String()) {
		return
	}
	if text.Len() > 0 {
		text.WriteString("\n")
	}
	text.Write(encoded)
}

// repeats reports whether the text says what a structured content does: it is the same JSON, or all that the content holds, as
// {"content": TEXT} and {"result": [TEXT, …]} do.
func repeats(encoded []byte, text string) bool {
	var content, have any
	if json.Unmarshal(encoded, &content) != nil {
		return false
	}
	if json.Unmarshal([]byte(text), &have) == nil {
		if same, err := json.Marshal(have); err == nil && bytes.Equal(same, canonical(encoded)) {
			return true
		}
	}
	object, _ := content.(map[string]any)
	if len(object) != 1 {
		return false
	}
	for _, only := range object {
		texts, ok := textsOf(only)
		return ok && strings.TrimSpace(strings.Join(texts, "\n")) == strings.TrimSpace(text)
	}
	return false
}

// textsOf returns a text, or the texts of a list: those in contents of the protocol too.
func textsOf(v any) (texts []string, ok bool) {
	switch v := v.(type) {
	case string:
		return []string{v}, true
	case []any:
		for _, one := range v {
			if o, is := one.(map[string]any); is && o["type"] == "text" && len(o) == 2 {
				one = o["text"]
			}
			text, is := one.(string)
			if !is {
				return nil, false
			}
			texts = append(texts, text)
		}
		return texts, true
	}
	return nil, false
}

// canonical is JSON with sorted keys.
func canonical(doc []byte) []byte {
	var v any
	if json.Unmarshal(doc, &v) != nil {
		return doc
	}
	same, _ := json.Marshal(v)
	return same
}
