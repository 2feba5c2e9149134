package server

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"rein/harness/stats"
	"rein/server/api"
	"rein/server/auth"
	"rein/server/description"
	"rein/server/past"
	"rein/server/rate"
	"rein/server/signin"
)

// usageInput asks for the last days, today among them.
type usageInput struct {
	Days int    `query:"days" minimum:"1" maximum:"3660" default:"30"`
	Dir  string `query:"dir" doc:"of one workspace; empty: of all"`
}

func (in usageInput) since() time.Time { return time.Now().AddDate(0, 0, 1-in.Days) }

func (s *Server) usageOperations(a huma.API) {
	add(a, auth.Viewer, huma.Operation{OperationID: "usage", Method: http.MethodGet, Path: "/v1/usage", Summary: "Tokens, money and calls by day, workspace and model", Tags: []string{"usage"}},
		func(ctx context.Context, in *usageInput) (*body[[]api.Spent], error) {
			all, err := s.past.All()
			return &body[[]api.Spent]{past.Spent(all, in.since(), s.counts(signin.Of(ctx).User, in.Dir))}, err
		})
	add(a, auth.Viewer, huma.Operation{OperationID: "usage-table", Method: http.MethodGet, Path: "/v1/usage.csv", Summary: "The same as a table for a spreadsheet", Tags: []string{"usage"}, Responses: description.File()},
		func(ctx context.Context, in *usageInput) (*huma.StreamResponse, error) {
			all, err := s.past.All()
			if err != nil {
				return nil, err
			}
			var text bytes.Buffer
			if err := api.WriteCSV(&text, past.Spent(all, in.since(), s.counts(signin.Of(ctx).User, in.Dir))); err != nil {
				return nil, err
			}
			return description.Download("usage.csv", time.Now(), bytes.NewReader(text.Bytes()), io.NopCloser(nil)), nil
		})
	add(a, auth.Viewer, huma.Operation{OperationID: "count-calls", Method: http.MethodGet, Path: "/v1/usage/calls", Summary: "Calls, failures and denials by tool, approvals by who answered, sub-agents by kind", Tags: []string{"usage"}},
		func(ctx context.Context, in *usageInput) (*body[api.Counted], error) {
			out, err := s.counted(ctx, signin.Of(ctx).User, in.Dir, in.since())
			return &body[api.Counted]{out}, err
		})
}

// Bounds of what one look at the calls reads.
const (
	mostCounted  = 500
	countingTime = 10 * time.Second
)

// counted counts the calls of the sessions since a day, the newest first.
func (s *Server) counted(ctx context.Context, u auth.User, dir string, since time.Time) (out api.Counted, err error) {
	all, err := s.past.All()
	var c stats.Counter
	counts := s.counts(u, dir)
	end := time.Now().Add(countingTime)
	for _, r := range all {
		if !r.Since(since) || !counts(r.Dir) {
			continue
		}
		if out.More = c.Sessions == mostCounted || time.Now().After(end) || ctx.Err() != nil; out.More {
			break
		}
		c.Begin()
		for e, err := range s.workspace(r.Dir).h.Store().Events(r.ID, 0) {
			if err != nil {
				break // the rest of a damaged journal counts as nothing
			}
			c.See(e)
		}
	}
	out.Stats = c.Stats
	return out, err
}

// counts reports whether the sessions of a directory count for a user who asks for one directory, or for all ("").
func (s *Server) counts(u auth.User, dir string) func(string) bool {
	return func(of string) bool {
		w := s.workspace(of)
		return w != nil && u.Sees(of) && (dir == "" || dir == of)
	}
}

// states are those that are counted.
var states = []string{string(api.Working), string(api.Waiting), string(api.Idle), string(api.Failed), string(api.Cancelled), string(api.Interrupted)}

// metrics gives figures of the workspaces that the user sees, and of the server, in the text format of Prometheus.
func (s *Server) metrics(w http.ResponseWriter, r *http.Request) {
	m := rate.Metrics{States: states, Sessions: map[string]int{}, Most: listed, Streams: s.rates.Streams(), Answers: s.answers.Of}
	for _, room := range s.visible(signin.Of(r.Context()).User) {
		all, _, err := s.list(room, "", listed)
		if err != nil {
			description.Refuse(w, asProblem(problemOf(err)))
			return
		}
		for _, v := range all {
			m.Sessions[string(v.State)]++
		}
		m.Pending += len(room.inbox.list().Requests)
	}
	w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
	_ = m.Write(w) // the client is gone
}
