package server

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"

	"rein/server/api"
)

// answers counts the answers of the server by the class of their status: 2xx is at index 2. The zero value is ready.
type answers [6]atomic.Int64

// counted is a writer that remembers the status.
type counted struct {
	http.ResponseWriter
	status int
}

// WriteHeader remembers the status.
func (c *counted) WriteHeader(status int) {
	c.status = status
	c.ResponseWriter.WriteHeader(status)
}

// Unwrap lets http.ResponseController find the writer behind it.
func (c *counted) Unwrap() http.ResponseWriter { return c.ResponseWriter }

// count counts the answers of a handler, those of event streams when they end.
func (a *answers) count(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c := &counted{w, http.StatusOK}
		defer func() { a[min(max(c.status/100, 0), 5)].Add(1) }()
		next.ServeHTTP(c, r)
	})
}

// metrics gives figures in the text format of Prometheus: of the workspaces that the user sees, and of the server. No label
// has a value that a client or a model chooses.
func (s *Server) metrics(w http.ResponseWriter, r *http.Request) {
	states := []api.State{api.Working, api.Waiting, api.Idle, api.Failed, api.Cancelled, api.Interrupted}
	sessions, pending := map[api.State]int{}, 0
	for _, room := range s.visible(clientOf(r.Context()).User) {
		all, _, err := s.list(room, "", listed)
		if err != nil {
			writeProblem(w, asProblem(problemOf(err)))
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
	for class := 2; class < len(s.answers); class++ {
		fmt.Fprintf(&b, "rein_http_answers_total{class=\"%dxx\"} %d\n", class, s.answers[class].Load())
	}
	w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
	_, _ = w.Write([]byte(b.String())) // the client is gone
}
