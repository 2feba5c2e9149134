package main

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"rein/app/harness"
	"rein/app/mcpserver"
	"rein/app/settings"
)

// proxied lends a server, as rein mcp proxy does, and returns the address.
func proxied(t *testing.T, server *sdk.Server, allow ...string) string {
	handler := sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return server }, nil)
	web := httptest.NewServer(handler)
	t.Cleanup(web.Close)
	file := filepath.Join(t.TempDir(), "servers.json")
	text, err := json.Marshal(map[string]any{"mcpServers": map[string]any{"suite": map[string]any{"url": web.URL}}})
	if err == nil {
		err = os.WriteFile(file, text, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	s := mcpServing{}
	s.proxy.Name = "suite"
	return lent(t, s, harness.Options{MCPConfig: []string{file}, Terms: harness.Terms{StrictMCP: true, Allow: allow}})
}

// lent serves over HTTP and returns the address. Requests get the token here, because the suites send none.
func lent(t *testing.T, s mcpServing, o harness.Options) (address string) {
	home := t.TempDir()
	person := &mcpserver.Person{Wait: -1}
	o.Dir, o.Person, o.Sandbox = t.TempDir(), person, "off"
	o.Dirs = settings.Dirs{Config: home + "/config", Sessions: home + "/sessions", Output: home + "/output", Private: home + "/private", State: home + "/state"}
	h, err := harness.Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { h.Close(context.Background()) })
	session, err := h.Start(t.Context(), harness.NewSession{NoModel: true})
	if err != nil {
		t.Fatal(err)
	}
	s.lent.Version = "1"
	server, err := s.before(t.Context(), h, session, person)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(server.Close)
	web := httptest.NewUnstartedServer(nil)
	address = "http://" + web.Listener.Addr().String()
	handler := server.Handler(mcpserver.HTTP{Token: "x", Origins: []string{address}})
	web.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.Header.Set("Authorization", "Bearer x")
		handler.ServeHTTP(w, r)
	})
	web.Start()
	t.Cleanup(web.Close)
	return address
}
