package server

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"rein/harness/stats"
	"rein/server/api"
	"rein/server/auth"
	"rein/server/description"
	"rein/server/past"
	"rein/server/signin"
)

func (s *Server) usageOperations(a huma.API) {
	type usageInput struct {
		Days int    `query:"days" minimum:"1" maximum:"3660" default:"30"`
		Dir  string `query:"dir" doc:"of one workspace; empty: of all"`
	}
	add(a, auth.Viewer, huma.Operation{OperationID: "usage", Method: http.MethodGet, Path: "/v1/usage", Summary: "Tokens, money and calls by day, workspace and model", Tags: []string{"usage"}},
		func(ctx context.Context, in *usageInput) (*body[[]api.Spent], error) {
			all, err := s.past.All()
			return &body[[]api.Spent]{s.spent(signin.Of(ctx).User, all, in.Dir, time.Now().UTC().AddDate(0, 0, 1-in.Days))}, err
		})
	add(a, auth.Viewer, huma.Operation{OperationID: "usage-table", Method: http.MethodGet, Path: "/v1/usage.csv", Summary: "The same as a table for a spreadsheet", Tags: []string{"usage"}, Responses: binary()},
		func(ctx context.Context, in *usageInput) (*huma.StreamResponse, error) {
			all, err := s.past.All()
			if err != nil {
				return nil, err
			}
			var text bytes.Buffer
			if err := api.WriteCSV(&text, s.spent(signin.Of(ctx).User, all, in.Dir, time.Now().UTC().AddDate(0, 0, 1-in.Days))); err != nil {
				return nil, err
			}
			return download("usage.csv", time.Now(), bytes.NewReader(text.Bytes()), io.NopCloser(nil)), nil
		})
	add(a, auth.Viewer, huma.Operation{OperationID: "count-calls", Method: http.MethodGet, Path: "/v1/usage/calls", Summary: "Calls, failures and denials by tool, approvals by who answered, sub-agents by kind", Tags: []string{"usage"}},
		func(ctx context.Context, in *usageInput) (*body[api.Counted], error) {
			out, err := s.counted(ctx, signin.Of(ctx).User, in.Dir, time.Now().UTC().AddDate(0, 0, 1-in.Days))
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
	end := time.Now().Add(countingTime)
	for _, r := range all {
		w := s.workspace(r.Dir)
		if w == nil || !u.Sees(w.dir) || dir != "" && dir != r.Dir || r.Start.UTC().Format(time.DateOnly) < since.Format(time.DateOnly) {
			continue
		}
		if out.More = c.Sessions == mostCounted || time.Now().After(end) || ctx.Err() != nil; out.More {
			break
		}
		c.Begin()
		for e, err := range w.h.Store().Events(r.ID, 0) {
			if err != nil {
				break // the rest of a damaged journal counts as nothing
			}
			c.See(e)
		}
	}
	out.Stats = c.Stats
	return out, err
}

// spent adds up what sessions have used since a day. A sub-agent's tokens are in its parent's already.
func (s *Server) spent(u auth.User, all []past.Session, dir string, since time.Time) []api.Spent {
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

// metrics gives figures in the text format of Prometheus: of the workspaces that the user sees, and of the server. No label
// has a value that a client or a model chooses.
func (s *Server) metrics(w http.ResponseWriter, r *http.Request) {
	states := []api.State{api.Working, api.Waiting, api.Idle, api.Failed, api.Cancelled, api.Interrupted}
	sessions, pending := map[api.State]int{}, 0
	for _, room := range s.visible(signin.Of(r.Context()).User) {
		all, _, err := s.list(room, "", listed)
		if err != nil {
			description.Refuse(w, asProblem(problemOf(err)))
			return
		}
		for _, v := range all {
			if slices.Contains(states, v.State) {
				sessions[v.State]++
			}
		}
		pending += len(room.inbox.list().Requests)
	}
	var b strings.Builder
	begin := func(name, kind, help string) { fmt.Fprintf(&b, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, kind) }
	begin("rein_sessions", "gauge", fmt.Sprintf("The newest sessions by state, at most %d of a workspace.", listed))
	for _, state := range states {
		fmt.Fprintf(&b, "rein_sessions{state=%q} %d\n", string(state), sessions[state])
	}
	begin("rein_approval_requests", "gauge", "Approval requests that wait.")
	fmt.Fprintf(&b, "rein_approval_requests %d\n", pending)
	begin("rein_event_streams", "gauge", "Open event streams.")
	fmt.Fprintf(&b, "rein_event_streams %d\n", s.rates.Streams())
	begin("rein_http_answers_total", "counter", "Answers by the class of their status.")
	for class := 2; class <= 5; class++ {
		fmt.Fprintf(&b, "rein_http_answers_total{class=\"%dxx\"} %d\n", class, s.answers.Of(class))
	}
	w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
	_, _ = w.Write([]byte(b.String())) // the client is gone
}
