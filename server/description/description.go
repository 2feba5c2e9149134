// Package description is the frame of the OpenAPI description of the server, and what of it is written by hand.
package description

import (
	"net/http"
	"reflect"
	"strings"

	jsonv2 "github.com/go-json-experiment/json"

	"github.com/danielgtaylor/huma/v2"
)

// Config is the frame of the description. A name that comes twice in a JSON object is refused: two readers could take a different
// one of them.
func Config(version string) huma.Config {
	c := huma.DefaultConfig("rein", version)
	c.Info.Description = "Sessions, approval requests and events of rein."
	c.OpenAPIPath, c.DocsPath, c.SchemasPath, c.CreateHooks = "", "", "", nil
	c.Components.Schemas = huma.NewMapRegistry("#/components/schemas/", schemaName)
	c.RejectUnknownQueryParameters = true
	c.Formats = map[string]huma.Format{"application/json": {
		Marshal:   huma.DefaultJSONFormat.Marshal,
		Unmarshal: func(data []byte, v any) error { return jsonv2.Unmarshal(data, v, jsonv2.RejectUnknownMembers(true)) },
	}, "json": huma.DefaultJSONFormat}
	c.Components.SecuritySchemes = map[string]*huma.SecurityScheme{
		"key":    {Type: "http", Scheme: "bearer", Description: "the owner's key or a user's"},
		"cookie": {Type: "apiKey", In: "cookie", Name: "rein-PORT", Description: "set by POST /v1/sign-in"},
	}
	c.Security = []map[string][]string{{"key": {}}, {"cookie": {}}}
	return c
}

// schemaName puts the package before the names of types that are not of package api, because several packages have a
// Request or an Answer.
func schemaName(t reflect.Type, hint string) string {
	name := huma.DefaultSchemaNamer(t, hint)
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if pkg := t.PkgPath(); strings.HasPrefix(pkg, "rein/") && !strings.HasPrefix(pkg, "rein/server") {
		pkg = pkg[strings.LastIndexByte(pkg, '/')+1:]
		return strings.ToUpper(pkg[:1]) + pkg[1:] + name
	}
	return name
}

// Others adds what is not served by the generated operations to the description.
func Others(o *huma.OpenAPI) {
	ref := func(v huma.Schema) map[string]*huma.MediaType {
		return map[string]*huma.MediaType{"application/json": {Schema: &v}}
	}
	o.AddOperation(&huma.Operation{OperationID: "health", Method: http.MethodGet, Path: "/v1/health", Tags: []string{"server"},
		Summary: "Does the server work? Needs no key", Security: []map[string][]string{},
		Responses: map[string]*huma.Response{"200": {Description: "it works", Content: ref(huma.Schema{Type: "object"})}}})
	o.AddOperation(&huma.Operation{OperationID: "metrics", Method: http.MethodGet, Path: "/v1/metrics", Tags: []string{"server"}, Extensions: map[string]any{"x-role": "viewer"},
		Summary:   "Figures in the text format of Prometheus",
		Responses: map[string]*huma.Response{"200": {Description: "the figures", Content: map[string]*huma.MediaType{"text/plain": {Schema: &huma.Schema{Type: "string"}}}}}})
	key := huma.Schema{Type: "object", Required: []string{"key"}, Properties: map[string]*huma.Schema{"key": {Type: "string", Description: "a key, or the one-time code that the server printed"}}}
	o.AddOperation(&huma.Operation{OperationID: "sign-in", Method: http.MethodPost, Path: "/v1/sign-in", Tags: []string{"server"},
		Summary: "Sign a browser in: sets the cookie", Security: []map[string][]string{},
		RequestBody: &huma.RequestBody{Required: true, Content: ref(key)},
		Responses:   map[string]*huma.Response{"200": {Description: "signed in"}, "401": {Description: "the key is not known"}, "429": {Description: "too many wrong keys"}}})
	o.AddOperation(&huma.Operation{OperationID: "sign-in-ways", Method: http.MethodGet, Path: "/v1/sign-in", Tags: []string{"server"},
		Summary: "How people sign in beside a key: provider is the name of the provider of accounts, path begins it. Needs no key", Security: []map[string][]string{},
		Responses: map[string]*huma.Response{"200": {Description: "the ways", Content: ref(huma.Schema{Type: "object", Properties: map[string]*huma.Schema{"provider": {Type: "string"}, "path": {Type: "string"}}})}}})
	o.AddOperation(&huma.Operation{OperationID: "sign-in-provider", Method: http.MethodGet, Path: "/v1/sign-in/provider", Tags: []string{"server"},
		Summary: "Send a browser to the provider of accounts", Security: []map[string][]string{},
		Parameters: []*huma.Param{{Name: "to", In: "query", Description: "path of the page that is shown afterwards", Schema: &huma.Schema{Type: "string"}}},
		Responses:  map[string]*huma.Response{"303": {Description: "to the provider, or to the page with #sign-in=provider when it cannot be reached"}, "404": {Description: "there is no provider"}}})
	o.AddOperation(&huma.Operation{OperationID: "sign-in-return", Method: http.MethodGet, Path: "/v1/sign-in/return", Tags: []string{"server"},
		Summary: "Where the provider of accounts sends the browser back to", Security: []map[string][]string{},
		Parameters: []*huma.Param{{Name: "code", In: "query", Schema: &huma.Schema{Type: "string"}}, {Name: "state", In: "query", Schema: &huma.Schema{Type: "string"}}, {Name: "error", In: "query", Schema: &huma.Schema{Type: "string"}}},
		Responses:  map[string]*huma.Response{"303": {Description: "to the page, signed in; or with #sign-in=refused, expired or no_role"}}})
	o.AddOperation(&huma.Operation{OperationID: "sign-out", Method: http.MethodPost, Path: "/v1/sign-out", Tags: []string{"server"},
		Summary: "Sign the browser out", Responses: map[string]*huma.Response{"204": {Description: "signed out"}}})
	o.AddOperation(&huma.Operation{OperationID: "events", Method: http.MethodGet, Path: "/v1/events", Tags: []string{"events"}, Extensions: map[string]any{"x-role": "viewer"},
		Summary:     "One stream of all that a client watches",
		Description: "Server-sent events. A message with an id is a recorded event; the id is the cursor. A client that connects again with Last-Event-ID (or after=) gets every recorded event after it once, then what is live. Messages: hello, inbox, sessions, session, answered, reset, event, snapshot, ping.",
		Parameters: []*huma.Param{
			{Name: "watch", In: "query", Required: true, Description: "comma-separated: inbox, sessions, s:ID", Schema: &huma.Schema{Type: "string"}},
			{Name: "after", In: "query", Description: "a cursor, where the client cannot send Last-Event-ID", Schema: &huma.Schema{Type: "string"}},
			{Name: "Last-Event-ID", In: "header", Description: "a cursor", Schema: &huma.Schema{Type: "string"}},
		},
		Responses: map[string]*huma.Response{"200": {Description: "the stream", Content: map[string]*huma.MediaType{"text/event-stream": {Schema: &huma.Schema{Type: "string"}}}}}})
}
