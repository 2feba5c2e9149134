package server

import (
	"context"
	"io"
	"net/http"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"rein/server/api"
	"rein/server/audit"
	"rein/server/auth"
	"rein/server/description"
	"rein/server/page"
	"rein/server/signin"
)

// routes joins the interface, the event stream and the page.
func (s *Server) routes() http.Handler {
	signed, open := http.NewServeMux(), http.NewServeMux()
	s.operations(humago.New(signed, description.Config(s.o.Harness.Version)))
	signed.HandleFunc("GET /v1/events", s.events)
	signed.HandleFunc("GET /v1/metrics", s.metrics)
	signed.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		description.Refuse(w, problem(http.StatusNotFound, "no_path", "there is nothing at this path"))
	})
	checks := s.checks()
	open.HandleFunc("GET /v1/health", func(w http.ResponseWriter, _ *http.Request) { // for anyone who can reach the server
		description.Answer(w, map[string]string{"status": "ok"})
	})
	open.HandleFunc("POST /v1/sign-in", checks.SignIn)
	open.HandleFunc("POST /v1/sign-out", checks.SignOut)
	open.HandleFunc("GET /v1/sign-in", checks.Ways)
	open.HandleFunc("GET "+signin.ProviderPath, checks.ToProvider)
	open.HandleFunc("GET "+signin.ReturnPath, checks.FromProvider)
	open.HandleFunc("GET /answer/{token}", s.showLinked)
	open.HandleFunc("POST /answer/{token}", s.answerLinked)
	open.Handle("/v1/", checks.SignedIn(signed))
	open.Handle("/", page.Handler(s.o.BasePath))
	var all http.Handler = open
	if s.o.BasePath != "" {
		all = http.StripPrefix(s.o.BasePath, open)
	}
	return s.answers.Count(checks.Secure(all))
}

// checks find out who sent a request.
func (s *Server) checks() *signin.Checks {
	return &signin.Checks{
		Users: s.auth, Rates: &s.rates, Hosts: s.o.Hosts, BasePath: s.o.BasePath, TrustProxy: s.o.TrustProxy, Log: s.o.Log,
		Limits: func() signin.Limits {
			l := s.limits()
			return signin.Limits{Body: l.Body, Upload: l.uploadBody(), Changes: l.Changes}
		},
		Provider: func() *signin.Provider { return s.now.Load().provider },
		URL:      func() string { return s.now.Load().settings.URL },
		Note:     func(c signin.Client, what string) { s.note(c, audit.Entry{What: what}) },
		Me:       func(c signin.Client) any { return s.whoIs(c) },
	}
}

// note adds to the audit log.
func (s *Server) note(c signin.Client, e audit.Entry) {
	e.Who, e.Role, e.Address, e.Through = c.Name, string(c.Role), c.Address, c.Through
	if err := s.audit.Add(e); err != nil {
		s.o.Log.Error("audit", "error", err)
	}
}

func (s *Server) whoIs(c signin.Client) api.Me {
	return api.Me{Name: c.Name, Role: string(c.Role), Version: s.o.Harness.Version, Boot: s.boot}
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
	op.MaxBodyBytes = -1 // the checks before it bound what is read
	op.Errors = append(op.Errors, http.StatusUnauthorized, http.StatusForbidden)
	op.Extensions = map[string]any{"x-role": string(need)}
	huma.Register(api, op, func(ctx context.Context, in *I) (*O, error) {
		if !signin.Of(ctx).Role.May(need) {
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
		w, err := s.seen(signin.Of(ctx).User, (*in).session())
		if err != nil {
			return nil, err
		}
		out, err := do(ctx, w, *in)
		return &body[O]{out}, err
	}
}

// inOpened answers requests about a session that the user sees and that must be open: it is opened where it is not.
func inOpened[I onSession, O any](s *Server, do func(signin.Client, *live, I) (O, error)) func(context.Context, *I) (*body[O], error) {
	return func(ctx context.Context, in *I) (*body[O], error) {
		c := signin.Of(ctx)
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

// onRoom is a request that names a workspace.
type onRoom interface{ room() string }

func (d InDir) room() string { return d.Dir }

// inRoom answers requests about a workspace that the user sees.
func inRoom[I onRoom, O any](s *Server, do func(context.Context, *workspace, I) (O, error)) func(context.Context, *I) (*body[O], error) {
	return func(ctx context.Context, in *I) (*body[O], error) {
		w, err := s.room(signin.Of(ctx).User, (*in).room())
		if err != nil {
			return nil, err
		}
		out, err := do(ctx, w, *in)
		return &body[O]{out}, err
	}
}

// Spec writes the OpenAPI description of the interface as JSON.
func Spec(w io.Writer, version string) error {
	s := &Server{}
	api := humago.New(http.NewServeMux(), description.Config(version))
	s.operations(api)
	description.Others(api.OpenAPI())
	text, err := api.OpenAPI().MarshalJSON()
	if err != nil {
		return err
	}
	_, err = w.Write(text)
	return err
}
