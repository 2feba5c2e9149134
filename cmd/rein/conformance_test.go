package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/auth"

	"rein/kit/mcp"
	"rein/lab/testkit"
	"rein/tool"
)

// TestConformance runs both suites against rein's client, and against rein as a proxy.
func TestConformance(t *testing.T) {
	testkit.Need(t)
	for _, suite := range testkit.All() {
		t.Run(suite.Protocol+"/client", func(t *testing.T) {
			suite.Run(t, "client", "client", "--command", os.Args[0]+" -test.run=^TestConformanceClient$")
		})
		t.Run(suite.Protocol+"/proxy", func(t *testing.T) {
			suite.Run(t, "proxy", "server", "--url", proxied(t, testkit.Server(), "mcp__suite", "mcp_resources")+"/mcp")
		})
	}
}

// TestConformanceClient is the program that a suite starts as the client: one server, used in each way that a session has.
func TestConformanceClient(t *testing.T) {
	if os.Getenv("REIN_CONFORMANCE_CLIENT") == "" {
		t.Skip("a part of TestConformance")
	}
	args := os.Args
	var known struct {
		ClientID     string `json:"client_id"`
		ClientSecret string `json:"client_secret"`
		ToolCalls    []struct {
			Name      string          `json:"name"`
			Arguments json.RawMessage `json:"arguments"`
		} `json:"toolCalls"`
	}
	if text := os.Getenv("MCP_CONFORMANCE_CONTEXT"); text != "" {
		if err := json.Unmarshal([]byte(text), &known); err != nil {
			t.Fatal(err)
		}
	}
	e := mcp.ServerEntry{Name: "suite", URL: args[len(args)-1], StartTimeout: mcp.ConfigTime(20 * time.Second)}
	o := mcp.Options{Version: "1", HTTP: func(mcp.ServerEntry) (*http.Client, error) { return http.DefaultClient, nil }, Elicit: accept,
		Log: func(_, text string) { fmt.Fprintln(os.Stderr, text) }}
	if strings.HasPrefix(os.Getenv("MCP_CONFORMANCE_SCENARIO"), "auth/") {
		login := &mcp.Login{Account: mcp.Account{Dir: t.TempDir(), Server: e.Name, URL: e.URL, Client: http.DefaultClient}, Show: browse,
			ClientID: known.ClientID, ClientSecret: known.ClientSecret, ClientURL: "https://conformance-test.local/client-metadata.json"}
		handler, end, err := login.Handler()
		if err != nil {
			t.Fatal(err)
		}
		defer end()
		o.Auth = func(mcp.ServerEntry) (auth.OAuthHandler, error) { return handler, nil }
	}
	s := mcp.New(e, o)
	defer s.Close()
	if err := s.Connect(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, c := range known.ToolCalls {
		call(t, s.Tool(mcp.ToolName(e.Name, c.Name)), c.Arguments)
	}
	if known.ToolCalls == nil {
		for _, one := range s.Tools() {
			call(t, one, arguments(s, one))
		}
	}
	useOffers(t, s)
}

// arguments are what a tool of a suite expects.
func arguments(s *mcp.Server, one *tool.Tool) json.RawMessage {
	switch s.OwnName(one.Name) {
	case "add_numbers":
		return json.RawMessage(`{"a":5,"b":3}`)
	case "json_schema_echo":
		focal := s.Tool(mcp.ToolName("suite", "json_schema_2020_12_tool"))
		return json.RawMessage(`{"schema":` + string(focal.Input.Raw()) + `}`)
	}
	if bytes.Contains(one.Input.Raw(), []byte(`"region"`)) {
		return json.RawMessage(`{"region":"us-west1"}`)
	}
	return json.RawMessage(`{}`)
}

// call calls a tool. A call that fails is shown; the suite judges what was sent.
func call(t *testing.T, one *tool.Tool, args json.RawMessage) {
	if one == nil {
		return
	}
	r := tool.NewReply(tool.ReplyOptions{Call: "1"})
	err := one.Run(t.Context(), args, r)
	text, _, _, _ := r.Close()
	fmt.Fprintf(os.Stderr, "%s %s: %q, %v\n", one.Name, args, text, err)
}

// useOffers lists what the server has beside tools, and reads one of each kind.
func useOffers(t *testing.T, s *mcp.Server) {
	offers, err := s.List(t.Context())
	reply := func() *tool.Reply { return tool.NewReply(tool.ReplyOptions{Call: "1"}) }
	if len(offers.Resources) > 0 {
		err = errors.Join(err, s.ReadResource(t.Context(), offers.Resources[0].URI, reply()))
	}
	if len(offers.Prompts) > 0 {
		err = errors.Join(err, s.Prompt(t.Context(), offers.Prompts[0].Name, nil, reply()))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
}

// accept answers a form as a user who takes what it proposes.
func accept(_ context.Context, q mcp.Question) (mcp.Reply, error) {
	values := map[string]any{}
	if bytes.Contains(q.Schema, []byte(`"confirmed"`)) {
		values["confirmed"] = true
	}
	return mcp.Reply{Action: "accept", Values: values}, nil
}

// browse opens an address as a browser does: the page of the suite sends it back at once.
func browse(address string) {
	go func() {
		client := &http.Client{Timeout: 10 * time.Second}
		if r, err := client.Get(address); err == nil {
			r.Body.Close()
		} else if !errors.Is(err, context.Canceled) {
			fmt.Fprintln(os.Stderr, err)
		}
	}()
}
