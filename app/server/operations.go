package server

import (
	"context"
	"io"
	"net/http"
	"slices"
	"strings"

	"rein/app/server/api"
)

// operations are the tables of all groups, in which the groups hold the parts of the server that they need.
func (s *Server) operations() []apiOperation {
	rooms, log, sessions, background := &s.rooms, &s.audit, &s.sessions, &s.background
	all := slices.Concat(
		s.table(),
		userOperations{s.users, rooms, log}.table(),
		sessionOperations{sessions}.table(),
		approvals{sessions}.table(),
		jobOperations{sessions}.table(),
		fileOperations{sessions, s.o.Dir}.table(),
		ruleOperations{rooms, log, &sessions.past}.table(),
		settingOperations{rooms, log}.table(),
		trustOperations{rooms, log}.table(),
		knownOperations{rooms}.table(),
		definitionOperations{rooms, log, "agent", "a kind of sub-agent", ownAgents}.table(),
		definitionOperations{rooms, log, "skill", "a skill", ownSkills}.table(),
		memoryOperations{rooms, log}.table(),
		toolServerOperations{rooms, log, background}.table(),
		scheduleOperations{rooms, log, background, s.o.Tasks, s.o.Harness}.table(),
		usageOperations{rooms, &sessions.past}.table(),
	)
	if s.o.Engine != nil {
		(&engineOperations{allSessions: sessions, attached: map[string]*attachedFiles{}}).replace(all)
	}
	return all
}

// table has the operations on the server itself.
func (s *Server) table() []apiOperation {
	return []apiOperation{
		operationAt(RoleViewer, "GET /v1/me", "me", "server", "Who is signed in", s.me),
		operationAt(RoleViewer, "GET /v1/workspaces", "list-workspaces", "server", "The directories that the user sees", s.workspaces),
		operationAt(roleOperator, "GET /v1/audit", "list-audit", "server", "Who did what, newest first", s.entries),
		operationAt(roleOperator, "POST /v1/settings/reload", "reload-settings", "settings", "Read the settings again, for the server and for new sessions", s.reload, http.StatusConflict),
	}
}

// Spec writes the OpenAPI description of the interface as JSON.
func Spec(w io.Writer, version string) error {
	return writeSpec(w, version, (&Server{}).operations())
}

// noOperation says which methods there are at a path, or that there is nothing.
func noOperation(all *http.ServeMux, w http.ResponseWriter, r *http.Request) {
	var allowed []string
	for _, method := range []string{http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete} {
		if _, pattern := all.Handler(&http.Request{Method: method, Host: r.Host, URL: r.URL}); pattern != "/" {
			allowed = append(allowed, method)
		}
	}
	if len(allowed) == 0 {
		writeProblem(w, problem(http.StatusNotFound, "no_path", "there is nothing at this path"))
		return
	}
	w.Header().Set("Allow", strings.Join(allowed, ", "))
	writeProblem(w, problem(http.StatusMethodNotAllowed, "no_method", "this path takes "+strings.Join(allowed, ", ")))
}

// routes joins the interface, the event stream and the page.
func (s *Server) routes() http.Handler {
	signed, open := http.NewServeMux(), http.NewServeMux()
	serveOperations(signed, s.operations(), mayCall, problemOf)
	signed.HandleFunc("GET /v1/events", eventStreams{&s.sessions, &s.rates, s.whoIs}.serve)
	signed.HandleFunc("GET /v1/metrics", s.metrics)
	signed.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) { noOperation(signed, w, r) })
	checks := s.checks()
	open.HandleFunc("GET /v1/health", func(w http.ResponseWriter, _ *http.Request) { // for anyone who can reach the server
		writeJSON(w, map[string]string{"status": "ok"})
	})
	open.HandleFunc("POST /v1/sign-in", checks.SignIn)
	open.HandleFunc("POST /v1/sign-out", checks.SignOut)
	open.HandleFunc("GET /v1/sign-in", checks.Ways)
	open.HandleFunc("GET "+providerPath, checks.ToProvider)
	open.HandleFunc("GET "+returnPath, checks.FromProvider)
	links := &answerLinks{s.config.links, approvals{&s.sessions}, checks.Address}
	open.HandleFunc("GET /answer/{token}", links.show)
	open.HandleFunc("POST /answer/{token}", links.answer)
	open.Handle("/v1/", checks.SignedIn(signed))
	open.Handle("/", pageHandler(s.o.BasePath))
	var all http.Handler = open
	if s.o.BasePath != "" {
		all = http.StripPrefix(s.o.BasePath, open)
	}
	return s.answers.Count(checks.Secure(all))
}

// checks find out who sent a request.
func (s *Server) checks() *requestChecks {
	return &requestChecks{
		Users: s.users, Rates: &s.rates, Hosts: s.o.Hosts, BasePath: s.o.BasePath, TrustProxy: s.o.TrustProxy, Log: s.o.Log,
		Limits: func() requestLimits {
			l := s.config.limits()
			return requestLimits{Body: l.Body, Upload: l.uploadBody(), File: l.Upload, Changes: l.Changes}
		},
		Provider: func() *signInProvider { return s.config.now.Load().provider },
		URL:      func() string { return s.config.now.Load().settings.URL },
		Note:     func(c requestSender, what string) { s.audit.note(c, api.Entry{What: what}) },
		Me:       func(c requestSender) any { return s.whoIs(c) },
	}
}

// mayCall refuses who has not the role that an operation needs.
func mayCall(ctx context.Context, need Role) error {
	if !senderOf(ctx).Role.May(need) {
		return problem(http.StatusForbidden, "role", "this needs the role "+string(need))
	}
	return nil
}

// ofDir names a workspace in a query.
type ofDir struct {
	Dir string `query:"dir" doc:"one of the workspaces; empty: the first one"`
}

func (d ofDir) room() string { return d.Dir }

// onWorkspace is a request that names a workspace.
type onWorkspace interface{ room() string }

// inWorkspace answers requests about a workspace that the user sees.
func inWorkspace[I onWorkspace, O any](rooms *workspaces, do func(context.Context, *servedWorkspace, I) (O, error)) func(context.Context, I) (O, error) {
	return func(ctx context.Context, in I) (out O, err error) {
		w, err := rooms.find(senderOf(ctx).User, in.room())
		if err != nil {
			return out, err
		}
		return do(ctx, w, in)
	}
}

func (s *Server) whoIs(c requestSender) api.Me {
	return api.Me{Name: c.Name, Role: string(c.Role), SeesAll: c.SeesAll(), Version: s.o.Harness.Version, Boot: s.boot}
}

func (s *Server) me(ctx context.Context, _ noContent) (api.Me, error) {
	return s.whoIs(senderOf(ctx)), nil
}

func (s *Server) workspaces(ctx context.Context, _ noContent) ([]api.Workspace, error) {
	return s.rooms.shown(senderOf(ctx).User, s.o.Harness), nil
}

type auditInput struct {
	Before int64 `query:"before" minimum:"0" doc:"only entries with a lower number; 0: the newest"`
	Limit  int   `query:"limit" minimum:"1" maximum:"1000" default:"200"`
}

func (s *Server) entries(ctx context.Context, in auditInput) ([]api.Entry, error) {
	u := senderOf(ctx).User
	all, err := s.audit.file.Newest(in.Before, in.Limit, func(e api.Entry) bool { return e.Dir == "" || u.Sees(e.Dir) })
	return append([]api.Entry{}, all...), err
}

func (s *Server) reload(ctx context.Context, _ api.Reload) (done api.Reload, err error) {
	c := senderOf(ctx)
	if !c.SeesAll() {
		return done, errSeesSome
	}
	if err := s.Reload(ctx); err != nil {
		return done, problem(http.StatusConflict, "settings", err.Error())
	}
	s.audit.note(c, api.Entry{What: "reloaded"})
	return done, nil
}

// states are those that are counted.
var states = []string{string(api.Working), string(api.Waiting), string(api.Idle), string(api.Failed), string(api.Cancelled), string(api.Interrupted), string(api.Stuck)}

// metrics gives figures of the workspaces that the user sees, and of the server, in the text format of Prometheus.
func (s *Server) metrics(w http.ResponseWriter, r *http.Request) {
	m := serverMetrics{States: states, Sessions: map[string]int{}, Most: listed, Streams: s.rates.Streams(), Answers: s.answers.Of}
	for _, room := range s.rooms.visible(senderOf(r.Context()).User) {
		all, err := s.sessions.list(room, "", listed)
		if err != nil {
			writeProblem(w, problemOf(err))
			return
		}
		for _, v := range all {
			m.Sessions[string(v.State)]++
		}
		m.Pending += len(room.inbox.list().Requests)
	}
	w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
	if err := m.Write(w); err == nil && senderOf(r.Context()).SeesAll() { // else the client is gone
		_ = s.o.Harness.Reports.WritePrometheus(w)
	}
}
