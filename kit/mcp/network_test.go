package mcp

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// TestServersOnTheNetwork calls a server over each protocol of the network, twice over one connection.
func TestServersOnTheNetwork(t *testing.T) {
	server := newServer()
	add(server, "one", "", `{"type":"object"}`, nil)
	get := func(*http.Request) *sdk.Server { return server }
	for _, row := range []struct {
		name, kind string
		handler    http.Handler
	}{
		{"streamable", "http", sdk.NewStreamableHTTPHandler(get, nil)},
		{"streamable without sessions", "http", sdk.NewStreamableHTTPHandler(get, &sdk.StreamableHTTPOptions{Stateless: true})},
		{"the older SSE", "sse", sdk.NewSSEHandler(get, nil)},
	} {
		t.Run(row.name, func(t *testing.T) {
			web := httptest.NewServer(row.handler)
			defer web.Close()
			defer web.CloseClientConnections()
			s := New(ServerEntry{Name: "test", Type: row.kind, URL: web.URL, StartTimeout: ConfigTime(time.Minute)}, Options{HTTP: func(ServerEntry) (*http.Client, error) { return web.Client(), nil }})
			defer s.Close()
			for range 2 {
				if err := s.Connect(t.Context()); err != nil {
					t.Fatal(err)
				}
				if text, _, err := call(t, s, "mcp__test__one"); err != nil || text != "one ran" {
					t.Errorf("%q, %v", text, err)
				}
			}
		})
	}
}
