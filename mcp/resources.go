package mcp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"rein/mcp/pins"
	"rein/tool"
)

// mostListed bounds a list of resources or prompts.
const mostListed = 500

// Offers reports whether the server, while it is connected, has resources or prompts.
func (s *Server) Offers() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.client == nil || s.client.InitializeResult() == nil || s.client.InitializeResult().Capabilities == nil {
		return false
	}
	c := s.client.InitializeResult().Capabilities
	return c.Resources != nil || c.Prompts != nil
}

// ListResources writes the server's resources, templates of resources and prompts, a line each.
func (s *Server) ListResources(ctx context.Context, w io.Writer) error {
	client, err := s.session(ctx)
	if err != nil {
		return s.unavailable(err)
	}
	n := 0
	line := func(kind, name, title, about string) bool {
		if n++; n <= mostListed {
			text := strings.TrimSpace(pins.Visible(title + " " + about))
			fmt.Fprintf(w, "%s %s %s\n", kind, pins.Visible(name), strings.ReplaceAll(clip(text), "\n", " "))
		}
		return n <= mostListed
	}
	c := client.InitializeResult().Capabilities
	if c != nil && c.Resources != nil {
		for r, err := range client.Resources(ctx, nil) {
			if err != nil {
				return fmt.Errorf("the server %s cannot list its resources: %w", s.entry.Name, err)
			}
			if !line("resource", r.URI, r.Name, r.Description) {
				break
			}
		}
		for r, err := range client.ResourceTemplates(ctx, nil) {
			if err != nil || !line("template", r.URITemplate, r.Name, r.Description) {
				break // templates are not in every server
			}
		}
	}
	if c != nil && c.Prompts != nil {
		for p, err := range client.Prompts(ctx, nil) {
			if err != nil {
				return fmt.Errorf("the server %s cannot list its prompts: %w", s.entry.Name, err)
			}
			var args []string
			for _, a := range p.Arguments {
				args = append(args, a.Name)
			}
			if !line("prompt", p.Name+"("+strings.Join(args, ", ")+")", "", p.Description) {
				break
			}
		}
	}
	if n == 0 {
		fmt.Fprintf(w, "The server %s has no resources and no prompts.\n", s.entry.Name)
	}
	return nil
}

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

// Prompt gives the text of a prompt with its arguments filled in.
func (s *Server) Prompt(ctx context.Context, name string, args map[string]string) (string, error) {
	client, err := s.session(ctx)
	if err != nil {
		return "", s.unavailable(err)
	}
	result, err := client.GetPrompt(ctx, &sdk.GetPromptParams{Name: name, Arguments: args})
	if err != nil {
		return "", fmt.Errorf("the server %s answered with an error: %w", s.entry.Name, err)
	}
	var b strings.Builder
	for _, m := range result.Messages {
		text, ok := m.Content.(*sdk.TextContent)
		if !ok {
			return "", errors.New("the prompt has more than text")
		}
		if m.Role == "assistant" {
			b.WriteString("[assistant] ")
		}
		b.WriteString(text.Text + "\n")
	}
	return b.String(), nil
}
