package mcp

import (
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
		if err := writeResource(c, line, r); err != nil {
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
	var text strings.Builder
	for _, m := range result.Messages {
		if m.Role == "assistant" {
			text.WriteString("[assistant] ")
		}
		if err := writeContent(m.Content, &text, r); err != nil {
			r.Note(tool.AsError(err).Text)
		}
		text.WriteString("\n")
	}
	_, err = r.WriteString(text.String())
	return err
}
