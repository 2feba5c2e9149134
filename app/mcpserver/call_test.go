package mcpserver

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// TestACallThatWaitsGoesOnOnlyWithItsOwnAnswer: a wrong state, another call, and a request without an answer neither run the
// call nor lose it.
func TestACallThatWaitsGoesOnOnlyWithItsOwnAnswer(t *testing.T) {
	l := lend(t, -1)
	o := &sdk.ClientOptions{MultiRoundTrip: &sdk.MultiRoundTripOptions{Disabled: true}, Capabilities: &sdk.ClientCapabilities{Elicitation: &sdk.ElicitationCapabilities{Form: &sdk.FormElicitationCapabilities{}}}}
	c := l.connectAs(t, "2026-07-28", o)
	call := func(state, command string, responses sdk.InputResponseMap) (*sdk.CallToolResult, error) {
		return c.CallTool(t.Context(), &sdk.CallToolParams{Name: "bash", Arguments: map[string]any{"command": command}, RequestState: state, InputResponses: responses})
	}
	yes := sdk.InputResponseMap{approvalName: &sdk.ElicitResult{Action: "accept", Content: map[string]any{"answer": once}}}
	r, err := call("", "rm a.txt", nil)
	if err != nil || r.InputRequests[approvalName] == nil || r.RequestState == "" {
		t.Fatalf("the client is not asked: %+v, %v", r, err)
	}
	state := r.RequestState
	for name, row := range map[string]struct{ state, command string }{
		"another state":   {state + "-TAMPERED", "rm a.txt"},
		"another command": {state, "rm -r ."},
	} {
		_, err := call(row.state, row.command, yes)
		if e, ok := errors.AsType[*jsonrpc.Error](err); !ok || e.Code != jsonrpc.CodeInvalidParams {
			t.Errorf("%s: %v", name, err)
		}
	}
	r, err = call(state, "rm a.txt", sdk.InputResponseMap{"something": &sdk.ElicitResult{Action: "accept"}})
	if err != nil || r.InputRequests[approvalName] == nil || r.RequestState == "" {
		t.Fatalf("without an answer the client is not asked again: %+v, %v", r, err)
	}
	if _, err := os.Stat(filepath.Join(l.root, "a.txt")); err != nil {
		t.Fatal("the command ran without its answer")
	}
	if r, err := call(r.RequestState, "rm a.txt", yes); err != nil || r.IsError {
		t.Errorf("with its own answer: %+v, %v", r, err)
	}
	if _, err := os.Stat(filepath.Join(l.root, "a.txt")); err == nil {
		t.Error("the approved command did not run")
	}
}

// TestWaitingCallsAreLimited: a client that never comes back does not fill the memory.
func TestWaitingCallsAreLimited(t *testing.T) {
	s := &Server{held: map[string]*pending{}}
	cancelled := 0
	for range mostHeld + 2 {
		_, err := s.hold(&pending{cancel: func() { cancelled++ }, open: &asked{}})
		if (err != nil) != (cancelled > 0) {
			t.Fatalf("after %d: %v", len(s.held), err)
		}
	}
	if len(s.held) != mostHeld || cancelled != 2 {
		t.Errorf("%d calls are held, %d were cancelled", len(s.held), cancelled)
	}
	s.Close()
	if cancelled != mostHeld+2 {
		t.Errorf("at the end %d were cancelled", cancelled)
	}
}
