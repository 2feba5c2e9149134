package mcpserver

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// restName is the argument of a prompt whose arguments have no names.
const restName = "arguments"

// addPrompts offers the skills, and the slash commands of files. Their commands and files take all steps of the pipeline.
func (s *Server) addPrompts() {
	for _, c := range s.session.Commands() {
		if !slices.Contains([]string{"skill", "user", "project"}, c.From) {
			continue
		}
		p := &sdk.Prompt{Name: c.Name, Description: c.About}
		for _, name := range c.Names {
			p.Arguments = append(p.Arguments, &sdk.PromptArgument{Name: name})
		}
		if len(c.Names) == 0 {
			p.Arguments = []*sdk.PromptArgument{{Name: restName, Description: cmp.Or(c.Hint, "what follows the name of the command")}}
		}
		s.sdk.AddPrompt(p, func(ctx context.Context, r *sdk.GetPromptRequest) (*sdk.GetPromptResult, error) {
			line := r.Params.Arguments[restName]
			if len(c.Names) > 0 {
				line = c.Line(r.Params.Arguments)
			}
			message, attached, ok, err := s.session.Expand(ctx, c.Name, line, nil)
			switch {
			case err != nil:
				return nil, err
			case !ok:
				return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "there is no prompt " + c.Name + " any more"}
			}
			got := &sdk.GetPromptResult{Description: c.About, Messages: []*sdk.PromptMessage{{Role: "user", Content: &sdk.TextContent{Text: strings.TrimSpace(message)}}}}
			for _, p := range attached {
				got.Messages = append(got.Messages, &sdk.PromptMessage{Role: "user", Content: content(c.Name, p)})
			}
			return got, nil
		})
	}
}
