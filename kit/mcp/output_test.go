package mcp

import (
	"context"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"rein/tool"
)

// TestResultsAreCheckedByTheirSchema: the model sees what a tool returns, and reads where a result does not have that form.
func TestResultsAreCheckedByTheirSchema(t *testing.T) {
	server := newServer()
	for name, content := range map[string]any{"right": map[string]any{"n": 1, "unit": "m"}, "wrong": map[string]any{"n": "many"}, "none": nil} {
		server.AddTool(&sdk.Tool{Name: name, Description: "Measures.", InputSchema: raw(`{"type":"object"}`),
			OutputSchema: raw(`{"type":"object","properties":{"n":{"type":"number"},"unit":{"type":"string"}},"required":["n"]}`)},
			func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
				return &sdk.CallToolResult{StructuredContent: content, Content: []sdk.Content{&sdk.TextContent{Text: "text"}}}, nil
			})
	}
	s := connected(t, hosted(server))
	for name, want := range map[string]string{"right": "", "wrong": "does not have the form", "none": "sent only a text"} {
		found := s.Tool("mcp__test__" + name)
		if found.Description != "Measures.\nReturns {n: number, unit?: string}" {
			t.Errorf("%s is described as %q", name, found.Description)
		}
		r := tool.NewReply(tool.ReplyOptions{Call: "1"})
		err := found.Run(t.Context(), raw(`{}`), r)
		_, _, notes, _ := r.Close()
		if got := strings.Join(notes, "; "); err != nil || !strings.Contains(got, want) || want == "" && got != "" {
			t.Errorf("%s: notes %q, %v", name, got, err)
		}
	}
}
