package server

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"rein/server/api"
	"rein/server/audit"
	"rein/server/auth"
	"rein/server/shown"
	"rein/server/signin"
)

// InDir names a workspace in a query. It is exported because huma fills no field of an unexported type.
type InDir struct {
	Dir string `query:"dir" doc:"one of the workspaces; empty: the first one"`
}

// room returns a workspace that the user sees: the one of a directory, or the first one.
func (s *Server) room(u auth.User, dir string) (*workspace, error) {
	for _, w := range s.visible(u) {
		if dir == "" || dir == w.dir {
			return w, nil
		}
	}
	return nil, problem(http.StatusNotFound, "workspace", "the server does not serve this directory")
}

// trustOperations are the question whether sessions may obey what a folder holds, and its answer.
func (s *Server) trustOperations(a huma.API) {
	add(a, auth.Viewer, huma.Operation{OperationID: "list-trust", Method: http.MethodGet, Path: "/v1/trust", Summary: "What the folders of the workspaces have for sessions, and what the user answered", Tags: []string{"trust"}},
		func(ctx context.Context, _ *nothing) (*body[[]api.Trust], error) {
			all := []api.Trust{}
			for _, w := range s.visible(signin.Of(ctx).User) {
				all = append(all, shown.Trust(w.newest().Trust(), w.dir))
			}
			return &body[[]api.Trust]{all}, nil
		})
	type textInput struct {
		InDir
		Kind string `query:"kind" required:"true" maxLength:"40"`
		Path string `query:"path" required:"true" minLength:"1" maxLength:"4096"`
	}
	add(a, auth.Operator, huma.Operation{OperationID: "trust-text", Method: http.MethodGet, Path: "/v1/trust/text", Summary: "The content of one item that sessions would use", Tags: []string{"trust"}},
		inRoom(s, func(_ context.Context, w *workspace, in textInput) (api.TrustText, error) {
			return shown.TrustText(w.newest().Trust(), w.dir, in.Kind, in.Path, s.mask)
		}))
	add(a, auth.Operator, huma.Operation{OperationID: "answer-trust", Method: http.MethodPost, Path: "/v1/trust", Summary: "Trust content as it was shown, or do not", Tags: []string{"trust"}, Errors: []int{http.StatusConflict}},
		func(ctx context.Context, in *body[api.TrustAnswer]) (*body[api.Trust], error) {
			c := signin.Of(ctx)
			w, err := s.room(c.User, in.Body.Dir)
			if err != nil {
				return nil, err
			}
			v, err := s.answerTrust(c, w, in.Body)
			return &body[api.Trust]{v}, err
		})
	add(a, auth.Operator, huma.Operation{OperationID: "forget-trust", Method: http.MethodPost, Path: "/v1/trust/forget", Summary: "Take all answers about a folder back", Tags: []string{"trust"}},
		func(ctx context.Context, in *body[api.Place]) (*body[api.Trust], error) {
			c := signin.Of(ctx)
			w, err := s.room(c.User, in.Body.Dir)
			if err == nil {
				err = w.newest().Trust().Forget()
			}
			if err != nil {
				return nil, err
			}
			s.note(c, audit.Entry{What: "forgot_trust", Dir: w.dir})
			return &body[api.Trust]{shown.Trust(w.newest().Trust(), w.dir)}, nil
		})
}

// answerTrust keeps the answer, when each item still is as it was shown.
func (s *Server) answerTrust(c signin.Client, w *workspace, a api.TrustAnswer) (api.Trust, error) {
	f := w.newest().Trust()
	items, err := shown.Items(f, w.dir, a.Items)
	if err != nil {
		return api.Trust{}, err
	}
	what, keep := "trusted", f.Accept
	if !a.Trust {
		what, keep = "declined_trust", f.Decline
	}
	if err := keep(items); err != nil {
		return api.Trust{}, err
	}
	for _, i := range items {
		s.note(c, audit.Entry{What: what, Dir: w.dir, Hash: i.Sum, Text: string(i.Kind) + " " + i.Path})
	}
	return shown.Trust(w.newest().Trust(), w.dir), nil
}
