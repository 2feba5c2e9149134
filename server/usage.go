package server

import (
	"cmp"
	"context"
	"net/http"
	"slices"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"rein/server/api"
	"rein/server/auth"
)

func (s *Server) usageOperations(a huma.API) {
	type usageInput struct {
		Days int    `query:"days" minimum:"1" maximum:"3660" default:"30"`
		Dir  string `query:"dir" doc:"of one workspace; empty: of all"`
	}
	add(a, auth.Viewer, huma.Operation{OperationID: "usage", Method: http.MethodGet, Path: "/v1/usage", Summary: "Tokens, money and calls by day, workspace and model", Tags: []string{"usage"}},
		func(ctx context.Context, in *usageInput) (*body[[]api.Spent], error) {
			all, err := s.past.list(s.rooms[0].h)
			return &body[[]api.Spent]{s.spent(clientOf(ctx).User, all, in.Dir, time.Now().UTC().AddDate(0, 0, 1-in.Days))}, err
		})
}

// spent adds up what sessions have used since a day. A sub-agent's tokens are in its parent's already.
func (s *Server) spent(u auth.User, all []recorded, dir string, since time.Time) []api.Spent {
	out := []api.Spent{}
	at := map[[3]string]int{}
	first := since.Format(time.DateOnly)
	for _, r := range all {
		day := r.Start.UTC().Format(time.DateOnly)
		if w := s.workspace(r.Dir); w == nil || !u.Sees(w.dir) || dir != "" && dir != r.Dir || day < first {
			continue
		}
		key := [3]string{day, r.Dir, r.Model}
		i, ok := at[key]
		if !ok {
			i = len(out)
			at[key] = i
			out = append(out, api.Spent{Day: day, Dir: r.Dir, Model: r.Model})
		}
		out[i].Sessions++
		out[i].Calls += r.Calls
		out[i].Failed += r.Failed
		if r.Parent == "" {
			out[i].Usage = out[i].Usage.Plus(r.Usage)
		}
	}
	slices.SortFunc(out, func(a, b api.Spent) int {
		return cmp.Or(cmp.Compare(a.Day, b.Day), cmp.Compare(a.Dir, b.Dir), cmp.Compare(a.Model, b.Model))
	})
	return out
}
