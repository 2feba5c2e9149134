package mcp

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"rein/tool"
)

// ReadResource puts the content of a resource into the reply.
func (s *Server) ReadResource(ctx context.Context, uri string, r *tool.Reply) error {
	client, err := s.session(ctx)
	if err != nil {
		return s.unavailable(err)
	}
	result, err := client.ReadResource(ctx, &sdk.ReadResourceParams{URI: uri})
	if err != nil {
		return fmt.Errorf("the server %s answered with an error: %w", s.entry.Name, err)
	}
	line := func(format string, args ...any) { fmt.Fprintf(r, format+"\n", args...) }
	for _, c := range result.Contents {
		if err := s.writeResource(c, line, r); err != nil {
			r.Note(tool.AsError(err).Text)
		}
	}
	return nil
}

// Prompt puts the messages of a prompt into the reply, with its arguments filled in.
func (s *Server) Prompt(ctx context.Context, name string, args map[string]string, r *tool.Reply) error {
	client, err := s.session(ctx)
	if err != nil {
		return s.unavailable(err)
	}
	result, err := client.GetPrompt(ctx, &sdk.GetPromptParams{Name: name, Arguments: args})
	if err != nil {
		return fmt.Errorf("the server %s answered with an error: %w", s.entry.Name, err)
	}
	if s.front != nil {
		return s.messages(result.Messages, r)
	}
	var text strings.Builder
	for _, m := range result.Messages {
		if m.Role == "assistant" {
			text.WriteString("[assistant] ")
		}
		if err := s.writeContent(m.Content, &text, r); err != nil {
			r.Note(tool.AsError(err).Text)
		}
		text.WriteString("\n")
	}
	_, err = r.WriteString(text.String())
	return err
}

// messages attaches the messages of a prompt for a proxy's client: the name of each part is its role.
func (s *Server) messages(all []*sdk.PromptMessage, r *tool.Reply) error {
	for _, m := range all {
		part := tool.Part{Kind: tool.DocumentPart, Name: string(m.Role)}
		switch c := m.Content.(type) {
		case *sdk.TextContent:
			part.MediaType, part.Data = "text/plain", []byte(c.Text)
		case *sdk.ImageContent:
			part.Kind, part.MediaType, part.Data = tool.ImagePart, c.MIMEType, c.Data
		case *sdk.AudioContent:
			part.MediaType, part.Data = c.MIMEType, c.Data
		case *sdk.ResourceLink:
			part = tool.Part{Kind: tool.LinkPart, Name: c.Name, URI: c.URI, Text: c.Description, MediaType: c.MIMEType}
		case *sdk.EmbeddedResource:
			if c.Resource == nil {
				continue
			}
			part.MediaType, part.Data, part.URI = cmp.Or(c.Resource.MIMEType, "text/plain"), c.Resource.Blob, c.Resource.URI
			if len(part.Data) == 0 {
				part.Data = []byte(c.Resource.Text)
			}
		}
		if err := r.Attach(part); err != nil {
			r.Note(tool.AsError(err).Text)
		}
	}
	return nil
}
