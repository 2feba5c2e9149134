package acp

import (
	"context"
	"os"
	"strings"
	"testing"

	sdk "github.com/coder/acp-go-sdk"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"rein/app/harness"
)

// serveTools makes the test program a tool server.
const serveTools = "REIN_ACP_TEST_TOOLS"

func TestMain(m *testing.M) {
	switch {
	case os.Getenv(beAgent) != "":
		if err := Serve(context.Background(), Options{Harness: harness.Options{Terms: harness.Terms{Model: "script/" + os.Getenv(beAgent), Sandbox: "off", Ask: []string{"bash"}}}}, os.Stdin, os.Stdout); err != nil {
			os.Exit(1)
		}
		return
	case os.Getenv(serveTools) == "":
		os.Exit(m.Run())
	}
	s := mcp.NewServer(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	mcp.AddTool(s, &mcp.Tool{Name: "shout", Description: "shouts"}, func(_ context.Context, _ *mcp.CallToolRequest, in struct {
		Text string `json:"text"`
	}) (*mcp.CallToolResult, any, error) {
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: strings.ToUpper(in.Text) + os.Getenv(serveTools)}}}, nil, nil
	})
	if err := s.Run(context.Background(), &mcp.StdioTransport{}); err != nil {
		os.Exit(1)
	}
}

// TestServers: the tool servers of the client belong to the session.
func TestServers(t *testing.T) {
	e := newEditor(t, "turns: [{calls: [{name: mcp__loud__shout, args: {text: hello}}]}, {text: Done.}]",
		func(o *Options) { o.Harness.Allow = []string{"mcp__loud"} })
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	s, err := e.NewSession(t.Context(), sdk.NewSessionRequest{Cwd: e.dir, McpServers: []sdk.McpServer{
		{Stdio: &sdk.McpServerStdio{Name: "loud", Command: program, Args: []string{}, Env: []sdk.EnvVariable{{Name: serveTools, Value: "!"}}}}}})
	if err != nil {
		t.Fatal(err)
	}
	e.prompt(s.SessionId, sdk.TextBlock("go"))
	calls := e.calls()
	if len(calls) != 1 || calls[0].Status != sdk.ToolCallStatusCompleted || !strings.Contains(calls[0].Content[0].Content.Content.Text.Text, "HELLO!") {
		t.Errorf("calls: %+v %v", calls, calls[0].Content[0].Content.Content.Text)
	}
	if other := e.new(); other.SessionId == s.SessionId {
		t.Error("the same session")
	}
}
