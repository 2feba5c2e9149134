package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"rein/harness"
	"rein/harness/settings"
	"rein/mcpserver"
)

// proxied lends the tools of a server that has those which the suites call, as rein mcp proxy does.
func proxied(t *testing.T) string {
	handler := sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return suiteServer() }, nil)
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
	s := serving{}
	s.proxy.Name = "suite"
	return lent(t, s, harness.Options{MCPConfig: []string{file}, StrictMCP: true, Allow: []string{"mcp__suite"}})
}

// lent serves over HTTP and gives the address. Requests get the token here, because the suites send none.
func lent(t *testing.T, s serving, o harness.Options) (address string) {
	home := t.TempDir()
	person := &mcpserver.Person{Wait: -1}
	o.Dir, o.Person, o.Sandbox = t.TempDir(), person, "off"
	o.Dirs = settings.Dirs{Config: home + "/config", Sessions: home + "/sessions", Output: home + "/output", Private: home + "/private", State: home + "/state"}
	h, err := harness.Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { h.Close(context.Background()) })
	if s.proxy.Name != "" {
		if err := s.proxied(t.Context(), h); err != nil {
			t.Fatal(err)
		}
	}
	session, err := h.Start(t.Context(), harness.NewSession{NoModel: true})
	if err != nil {
		t.Fatal(err)
	}
	s.lent.Version = "1"
	server := mcpserver.New(h, session, person, s.lent)
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

// onePixel and oneSound are the smallest files of their kinds.
const (
	onePixel = "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x01\x00\x00\x00\x01\x08\x06\x00\x00\x00\x1f\x15\xc4\x89\x00\x00\x00\nIDATx\x9cc\x00\x01\x00\x00\x05\x00\x01\r\n-\xb4\x00\x00\x00\x00IEND\xaeB`\x82"
	oneSound = "RIFF\x26\x00\x00\x00WAVEfmt \x10\x00\x00\x00\x01\x00\x01\x00\x40\x1f\x00\x00\x80\x3e\x00\x00\x02\x00\x10\x00data\x02\x00\x00\x00\x00\x00"
)

// suiteServer has the tools of the suites that a proxy can pass on.
func suiteServer() *sdk.Server {
	server := sdk.NewServer(&sdk.Implementation{Name: "suite", Version: "1"}, nil)
	resource := &sdk.EmbeddedResource{Resource: &sdk.ResourceContents{URI: "test://embedded-resource", MIMEType: "text/plain", Text: "This is an embedded resource content."}}
	image := &sdk.ImageContent{Data: []byte(onePixel), MIMEType: "image/png"}
	for name, content := range map[string][]sdk.Content{
		"test_simple_text":            {&sdk.TextContent{Text: "This is a simple text response for testing."}},
		"test_image_content":          {image},
		"test_audio_content":          {&sdk.AudioContent{Data: []byte(oneSound), MIMEType: "audio/wav"}},
		"test_embedded_resource":      {resource},
		"test_multiple_content_types": {&sdk.TextContent{Text: "Multiple content types test:"}, image, resource},
		"json_schema_2020_12_tool":    {&sdk.TextContent{Text: "ok"}},
		"test_x_mcp_header":           {&sdk.TextContent{Text: "ok"}},
	} {
		schema := `{"type":"object"}`
		switch name {
		case "json_schema_2020_12_tool":
			schema = schema2020
		case "test_x_mcp_header":
			schema = `{"type":"object","properties":{"region":{"type":"string","x-mcp-header":"Region"}}}`
		}
		server.AddTool(&sdk.Tool{Name: name, Description: name, InputSchema: json.RawMessage(schema)}, func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
			return &sdk.CallToolResult{Content: content}, nil
		})
	}
	sdk.AddTool(server, &sdk.Tool{Name: "test_error_handling", Description: "fails"}, func(context.Context, *sdk.CallToolRequest, struct{}) (*sdk.CallToolResult, any, error) {
		return nil, nil, errors.New("This tool intentionally returns an error for testing")
	})
	sdk.AddTool(server, &sdk.Tool{Name: "test_tool_with_progress", Description: "reports progress"}, func(ctx context.Context, r *sdk.CallToolRequest, _ struct{}) (*sdk.CallToolResult, any, error) {
		for _, done := range []float64{0, 50, 100} {
			_ = r.Session.NotifyProgress(ctx, &sdk.ProgressNotificationParams{ProgressToken: r.Params.GetProgressToken(), Progress: done, Total: 100, Message: "a step"})
		}
		return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: "done"}}}, nil, nil
	})
	return server
}

// schema2020 has what a server must pass on of JSON Schema 2020-12.
const schema2020 = `{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object",
	"$defs":{"address":{"$anchor":"addressDef","type":"object","properties":{"street":{"type":"string"},"city":{"type":"string"}}}},
	"properties":{"name":{"type":"string"},"address":{"$ref":"#/$defs/address"},"contactMethod":{"type":"string","enum":["phone","email"]},"phone":{"type":"string"},"email":{"type":"string"}},
	"allOf":[{"anyOf":[{"required":["phone"]},{"required":["email"]}]}],
	"if":{"properties":{"contactMethod":{"const":"phone"}},"required":["contactMethod"]},"then":{"required":["phone"]},"else":{"required":["email"]},"additionalProperties":false}`
