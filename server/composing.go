package server

import (
	"context"
	"net/http"
	"slices"

	"github.com/danielgtaylor/huma/v2"

	"rein/harness"
	"rein/server/api"
	"rein/server/auth"
	"rein/server/signin"
)

// mostNames is how many files of a workspace a client gets for completion.
const mostNames = 5000

// composeOperations give what a client offers while a message is written.
func (s *Server) composeOperations(a huma.API) {
	add(a, auth.Operator, huma.Operation{OperationID: "list-names", Method: http.MethodGet, Path: "/v1/sessions/{id}/names", Summary: "What a message may name: slash commands, and files after an @", Tags: []string{"sessions"}},
		inOpened(s, func(_ signin.Client, l *live, _ SessionPath) (api.Names, error) { return s.names(l) }))
	add(a, auth.Operator, huma.Operation{OperationID: "list-models", Method: http.MethodGet, Path: "/v1/models", Summary: "The models that sessions of a workspace can ask", Tags: []string{"sessions"}},
		inRoom(s, func(ctx context.Context, w *workspace, _ InDir) ([]api.Model, error) {
			found, err := harness.Available(ctx, w.dir)
			all := []api.Model{}
			for _, m := range found {
				all = append(all, api.Model{Ref: m.Provider + "/" + m.ID, Context: m.Limit.Context})
			}
			return all, err
		}))
}

func (s *Server) names(l *live) (api.Names, error) {
	out := api.Names{Commands: []api.Command{}, Files: []string{}}
	for _, c := range l.s.Commands() {
		out.Commands = append(out.Commands, api.Command{Name: c.Name, About: c.About, Hint: c.Hint, From: c.From})
	}
	files, err := l.s.Files(s.ctx, mostNames)
	if err != nil {
		return out, err
	}
	tree, err := s.tree(l.room)
	if err != nil {
		return out, err
	}
	defer tree.Close()
	files = slices.DeleteFunc(files, func(name string) bool { return !tree.MayShow(name) })
	out.Files = append(append(out.Files, files...), l.s.Resources()...)
	return out, nil
}

// use gives the session another model.
func (l *live) use(ctx context.Context, ref string) error {
	if err := l.s.SetModel(ctx, ref); err != nil {
		return err
	}
	window := l.s.Context().Window
	l.mu.Lock()
	defer l.mu.Unlock()
	l.window = window
	return nil
}
