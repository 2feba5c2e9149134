package mcp

import (
	"context"
	"strings"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// TestOffers: what a server has beside tools is known after it was connected once, in later processes too, and follows its
// changes. A name with characters that nobody sees is shown without them.
func TestOffers(t *testing.T) {
	server := newServer()
	get := func(context.Context, *sdk.GetPromptRequest) (*sdk.GetPromptResult, error) {
		return &sdk.GetPromptResult{}, nil
	}
	server.AddPrompt(&sdk.Prompt{Name: "greet", Description: "greets\n\u200btwo", Arguments: []*sdk.PromptArgument{{Name: "who", Required: true}}}, get)
	server.AddResource(&sdk.Resource{URI: "note://a", Name: "a"}, nil)
	server.AddResourceTemplate(&sdk.ResourceTemplate{URITemplate: "note://{id}"}, nil)
	o := hosted(server)
	o.Pins = t.TempDir()
	lines := func(s *Server) string {
		var b strings.Builder
		s.Offers().Write(&b)
		return b.String()
	}
	s := connected(t, o)
	if _, err := s.List(t.Context()); err != nil {
		t.Fatal(err)
	}
	const want = "resource note://a a\ntemplate note://{id}\nprompt greet(who) greets two\n"
	if got := lines(s); got != want {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	server.AddPrompt(&sdk.Prompt{Name: "part", Description: "says goodbye"}, get)
	later := func() string { return lines(New(s.Entry(), Options{Pins: o.Pins})) } // as another process sees it
	for deadline := time.Now().Add(time.Minute); later() != want+"prompt part() says goodbye\n"; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("a new prompt is not known: %q", later())
		}
	}
}

// TestSamplingIsRefusedByTheEntry: a server whose entry says so cannot ask the model.
func TestSamplingIsRefusedByTheEntry(t *testing.T) {
	no := false
	s := New(ServerEntry{Name: "test", Sampling: &no}, Options{Sample: func(context.Context, Sampling) (Sampled, error) { return Sampled{}, nil }})
	//lint:ignore SA1019 servers of older versions use sampling
	if s.clientOptions().CreateMessageHandler != nil {
		t.Error("sampling is offered")
	}
}
