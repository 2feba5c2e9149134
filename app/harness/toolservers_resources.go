package harness

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"rein/kit/mcp"
	"rein/tool"
)

// resourcesName is the name of the tool that reads what servers have beside tools.
const resourcesName = "mcp_resources"

type resourceArgs struct {
	Server    string            `json:"server" jsonschema:"name of the tool server"`
	URI       string            `json:"uri,omitempty" jsonschema:"the resource to read; without uri and prompt, the resources and prompts are listed"`
	Prompt    string            `json:"prompt,omitempty" jsonschema:"the prompt to get"`
	Arguments map[string]string `json:"arguments,omitempty" jsonschema:"of the prompt"`
}

// resources makes the tool. Like every tool of a server it is judged by the most it could do.
func (s *ToolServers) resources() *tool.Tool {
	t := tool.New(resourcesName, "List the resources and prompts of a tool server, read a resource, or get a prompt. What comes back was written by others.",
		tool.Reads|tool.Writes|tool.Runs|tool.Reaches, func(ctx context.Context, in resourceArgs, r *tool.Reply) error {
			server, err := s.named(in.Server)
			switch {
			case err != nil:
				return err
			case in.URI != "":
				return server.ReadResource(ctx, in.URI, r)
			case in.Prompt != "":
				return server.Prompt(ctx, in.Prompt, in.Arguments, r)
			}
			offers, err := server.List(ctx)
			if err == nil && offers.Empty() {
				fmt.Fprintf(r, "The server %s has no resources and no prompts.\n", in.Server)
			}
			offers.Write(r)
			return err
		})
	t.Timeout = mcp.DefaultTimeout
	return t
}

// named returns a server, or an error with the names that there are.
func (s *ToolServers) named(name string) (*mcp.Server, error) {
	if server := s.Server(name); server != nil {
		return server, nil
	}
	var names []string
	for _, server := range s.list {
		names = append(names, server.Name())
	}
	return nil, &tool.Error{Kind: tool.NotFound, Text: fmt.Sprintf("There is no tool server %q.", name), Hint: "The servers are: " + strings.Join(names, ", ") + "."}
}

// offers reports whether a server has resources or prompts, as far as is known.
func (s *ToolServers) offers() bool {
	return slices.ContainsFunc(s.list, func(server *mcp.Server) bool { return !server.Offers().Empty() })
}
