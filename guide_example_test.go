package rein_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"rein/agent"
	"rein/guard"
	"rein/kit/guards"
	"rein/kit/mcp"
	"rein/kit/providers"
	"rein/kit/sandbox"
	"rein/kit/script"
	"rein/kit/tools"
	"rein/kit/tools/command"
	"rein/kit/tools/files"
	"rein/kit/workspace"
	"rein/lab/modelserver"
	"rein/model"
	"rein/tool"
	"rein/toolcall"
)

// openCompatible opens a model of a server that speaks as OpenAI does, such as vLLM, LM Studio or llama.cpp. The address ends in /v1.
func openCompatible(ctx context.Context, address, name string) (model.Model, error) {
	return providers.Open(ctx, "mine/"+name, &providers.Options{
		Addresses: map[string]providers.Address{"mine": {BaseURL: address}}, // and KeyEnv, where it wants a key
	})
}

func Example_compatible() {
	server := httptest.NewServer(&modelserver.Server{Script: &script.Script{Turns: []script.Turn{{Text: "Hello from the server."}}}})
	defer server.Close()
	m, err := openCompatible(context.Background(), server.URL+"/v1", "qwen3")
	if err != nil {
		panic(err)
	}
	fmt.Println(agent.Ask(context.Background(), &agent.Agent{Model: m}, "Hello?"))
	// Output: Hello from the server. <nil>
}

// serveEvents runs an agent for each request, and sends its events to the browser as they come (server-sent events). When the browser
// leaves, what runs is cancelled. The last event, "stopped", says why the turn ended.
func serveEvents(a *agent.Agent) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		for e := range a.Start(agent.SessionOptions{}).Send(r.Context(), model.Text(r.FormValue("message"))) {
			data, err := json.Marshal(e)
			if err != nil {
				return
			}
			fmt.Fprintf(w, "event: %s\ndata: %s\n\n", e.Kind, data)
			http.NewResponseController(w).Flush()
		}
	}
}

func Example_events() {
	said, err := script.Parse([]byte("turns: [{text: Good morning.}]"))
	if err != nil {
		panic(err)
	}
	server := httptest.NewServer(serveEvents(&agent.Agent{Model: &script.Model{Script: said}}))
	defer server.Close()
	answer, err := http.Get(server.URL + "?message=hello")
	if err != nil {
		panic(err)
	}
	defer answer.Body.Close()
	stream, err := io.ReadAll(answer.Body)
	for line := range strings.Lines(string(stream)) {
		if name, ok := strings.CutPrefix(line, "event: "); ok {
			fmt.Print(name)
		}
	}
	fmt.Println(err)
	// Output:
	// started
	// prompt
	// request
	// delta
	// response
	// stopped
	// <nil>
}

// yes approves all that the guards ask for: ask your user here.
func yes(context.Context, guard.Case, guard.Verdict) (guard.Answer, error) {
	return guard.Answer{Choice: guard.Approved, By: guard.ByPerson("")}, nil
}

// withServer makes an agent with the tools of a tool server. They go through the same checks as other tools: what a server claims
// about a tool loosens nothing.
func withServer(ctx context.Context, m model.Model, server *mcp.Server) (*agent.Agent, error) {
	if err := server.Connect(ctx); err != nil {
		return nil, err
	}
	set, err := tool.NewSet(server.Tools()...)
	if err != nil {
		return nil, err
	}
	return &agent.Agent{Model: m, Calls: &toolcall.Runner{Tools: set, Guard: guards.New(guards.Options{}), Approver: guard.ApproverFunc(yes), Mode: guard.Supervised}}, nil
}

func Example_toolServer() {
	theirs := sdk.NewServer(&sdk.Implementation{Name: "cards", Version: "1"}, nil)
	sdk.AddTool(theirs, &sdk.Tool{Name: "count"}, func(context.Context, *sdk.CallToolRequest, struct{}) (*sdk.CallToolResult, any, error) {
		return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: "52 cards"}}}, nil, nil
	})
	start := func(context.Context, mcp.ServerEntry, io.Writer) (io.ReadWriteCloser, error) { // nil in Options: the program of the entry
		ours, other := net.Pipe()
		go theirs.Run(context.Background(), &sdk.IOTransport{Reader: other, Writer: other})
		return ours, nil
	}
	server := mcp.New(mcp.ServerEntry{Name: "cards", Command: "cards"}, mcp.Options{Start: start})
	defer server.Close()
	said, err := script.Parse([]byte(`turns: [{calls: [{name: mcp__cards__count}]}, {expect: {contains: "52 cards"}, text: All are there.}]`))
	if err != nil {
		panic(err)
	}
	a, err := withServer(context.Background(), &script.Model{Script: said}, server)
	if err != nil {
		panic(err)
	}
	fmt.Println(agent.Ask(context.Background(), a, "Are all cards there?"))
	// Output: All are there. <nil>
}

// newCoder makes an agent that works on the files of one directory, and runs commands in the sandbox of the operating system.
// Close the sandbox when the agent is not used any more.
func newCoder(m model.Model, dir string, approver guard.Approver) (*agent.Agent, *sandbox.Box, error) {
	ws, err := workspace.Open(dir)
	if err != nil {
		return nil, nil, err
	}
	box, err := sandbox.New(sandbox.Policy{Workspace: ws.Dir(), Mode: sandbox.Auto})
	if err != nil {
		return nil, nil, err
	}
	set, err := tool.NewSet(tools.Standard(files.Tools{Workspace: ws}, command.Shell{Dir: ws.Dir(), Box: box}, &tools.Plan{})...)
	if err != nil {
		return nil, nil, err
	}
	checks := guards.New(guards.Options{Confined: set.Names()})
	return &agent.Agent{Model: m, Calls: &toolcall.Runner{Tools: set, Root: ws.Dir(), Guard: checks, Approver: approver, Mode: guard.Supervised}}, box, nil
}

func Example_coder() {
	dir, err := os.MkdirTemp("", "coder-")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	said, err := script.Parse([]byte(`turns:
- calls: [{name: write_file, args: {path: hello.sh, content: "echo hello\n"}}]
- calls: [{name: bash, args: {command: sh hello.sh}}]
- {expect: {contains: "hello"}, text: It says hello.}`))
	if err != nil {
		panic(err)
	}
	a, box, err := newCoder(&script.Model{Script: said}, dir, guard.ApproverFunc(yes))
	if err != nil {
		panic(err)
	}
	defer box.Close()
	fmt.Println(agent.Ask(context.Background(), a, "Write a script that says hello."))
	// Output: It says hello. <nil>
}
