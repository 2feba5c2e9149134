package server

import (
	"context"
	"io"
	"net/http"
	"reflect"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"
	jsonv2 "github.com/go-json-experiment/json"

	"rein/server/auth"
	"rein/server/page"
)

// routes joins the interface, the event stream and the page.
func (s *Server) routes() http.Handler {
	signed, open := http.NewServeMux(), http.NewServeMux()
	s.operations(humago.New(signed, config(s.o.Harness.Version)))
	signed.HandleFunc("GET /v1/events", s.events)
	signed.HandleFunc("GET /v1/metrics", s.metrics)
	signed.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		writeProblem(w, problem(http.StatusNotFound, "no_path", "there is nothing at this path"))
	})
	open.HandleFunc("GET /v1/health", s.health)
	open.HandleFunc("POST /v1/sign-in", s.signIn)
	open.HandleFunc("POST /v1/sign-out", s.signOut)
	open.Handle("/v1/", s.signedIn(signed))
	open.Handle("/", page.Handler(s.o.BasePath))
	var all http.Handler = open
	if s.o.BasePath != "" {
		all = http.StripPrefix(s.o.BasePath, open)
	}
	return s.answers.count(s.secure(all))
}

// config is the description's frame. A name that comes twice in a JSON object is refused: two readers could take a different
// one of them.
func config(version string) huma.Config {
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

// An input without a body, and an output with one.
type (
	nothing     struct{}
	body[T any] struct{ Body T }
	// SessionPath names a session in a path. It is exported because huma fills no field of an unexported type.
	SessionPath struct {
		ID string `path:"id" pattern:"^[a-z0-9][a-z0-9-]{0,63}$" maxLength:"64"`
	}
)

// add registers an operation for users who have a role.
func add[I, O any](api huma.API, need auth.Role, op huma.Operation, do func(context.Context, *I) (*O, error)) {
	op.Errors = append(op.Errors, http.StatusUnauthorized, http.StatusForbidden)
	op.Extensions = map[string]any{"x-role": string(need)}
	huma.Register(api, op, func(ctx context.Context, in *I) (*O, error) {
		if !clientOf(ctx).Role.May(need) {
			return nil, problem(http.StatusForbidden, "role", "this needs the role "+string(need))
		}
		out, err := do(ctx, in)
		return out, problemOf(err)
	})
}

// onSession is a request that names a session.
type onSession interface{ session() string }

func (p SessionPath) session() string { return p.ID }

// inSeen answers requests about a session that the user sees.
func inSeen[I onSession, O any](s *Server, do func(context.Context, *workspace, I) (O, error)) func(context.Context, *I) (*body[O], error) {
	return func(ctx context.Context, in *I) (*body[O], error) {
		w, err := s.seen(clientOf(ctx).User, (*in).session())
		if err != nil {
			return nil, err
		}
		out, err := do(ctx, w, *in)
		return &body[O]{out}, err
	}
}

// inOpened answers requests about a session that the user sees and that must be open: it is opened where it is not.
func inOpened[I onSession, O any](s *Server, do func(client, *live, I) (O, error)) func(context.Context, *I) (*body[O], error) {
	return func(ctx context.Context, in *I) (*body[O], error) {
		c := clientOf(ctx)
		w, err := s.seen(c.User, (*in).session())
		if err != nil {
			return nil, err
		}
		l, err := s.resume(ctx, w, (*in).session())
		if err != nil {
			return nil, err
		}
		out, err := do(c, l, *in)
		return &body[O]{out}, err
	}
}

// Spec writes the OpenAPI description of the interface as JSON.
func Spec(w io.Writer, version string) error {
	s := &Server{}
	api := humago.New(http.NewServeMux(), config(version))
	s.operations(api)
	describeOthers(api.OpenAPI())
	text, err := api.OpenAPI().MarshalJSON()
	if err != nil {
		return err
	}
	_, err = w.Write(text)
	return err
}
