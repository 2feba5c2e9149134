package server

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"
	jsonv2 "github.com/go-json-experiment/json"

	"rein/server/api"
	"rein/server/audit"
	"rein/server/auth"
)

// health answers whether the server works, to anyone who can reach it.
func (s *Server) health(w http.ResponseWriter, _ *http.Request) {
	writeJSON(w, http.StatusOK, map[string]string{"status": "ok"})
}

// signIn takes a key or a one-time code and sets the cookie.
func (s *Server) signIn(w http.ResponseWriter, r *http.Request) {
	address := s.address(r)
	if !s.rates.MayTry(address, time.Now()) {
		w.Header().Set("Retry-After", "2")
		writeProblem(w, problem(http.StatusTooManyRequests, "too_fast", "too many wrong keys: wait a moment"))
		return
	}
	var in api.SignIn
	text, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 4096))
	if err == nil {
		err = jsonv2.Unmarshal(text, &in, jsonv2.RejectUnknownMembers(true))
	}
	if err != nil || in.Key == "" {
		writeProblem(w, problem(http.StatusBadRequest, "input", "send {\"key\": …} as application/json"))
		return
	}
	cookie, u, err := s.auth.SignIn(in.Key)
	c := client{User: u, address: address, through: "cookie"}
	s.rates.Tried(address, err == nil, time.Now())
	if err != nil {
		s.note(c, audit.Entry{What: "refused_sign_in"})
		if errors.Is(err, auth.ErrUnknown) {
			writeProblem(w, problem(http.StatusUnauthorized, "wrong_key", "the key is not known, or the code was used already"))
			return
		}
		writeProblem(w, problem(http.StatusInternalServerError, "internal", err.Error()))
		return
	}
	s.note(c, audit.Entry{What: "signed_in"})
	http.SetCookie(w, s.cookie(r, cookie, auth.LoginTime))
	writeJSON(w, http.StatusOK, s.whoIs(c))
}

// signOut ends the cookie and removes what the browser has kept.
func (s *Server) signOut(w http.ResponseWriter, r *http.Request) {
	if c, err := s.client(r); err == nil && c.cookie != "" {
		if err := s.auth.SignOut(c.cookie); err != nil {
			s.o.Log.Error("sign out", "error", err)
		}
		s.note(c, audit.Entry{What: "signed_out"})
	}
	http.SetCookie(w, s.cookie(r, "", -time.Second))
	w.Header().Set("Clear-Site-Data", `"cache", "storage"`)
	w.WriteHeader(http.StatusNoContent)
}

func (s *Server) whoIs(c client) api.Me {
	return api.Me{Name: c.Name, Role: string(c.Role), Version: s.o.Harness.Version, Boot: s.boot}
}

func writeJSON(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v) // the client is gone
}

// describeOthers adds what is not served by the generated operations to the description.
func describeOthers(o *huma.OpenAPI) {
	ref := func(v huma.Schema) map[string]*huma.MediaType {
		return map[string]*huma.MediaType{"application/json": {Schema: &v}}
	}
	o.AddOperation(&huma.Operation{OperationID: "health", Method: http.MethodGet, Path: "/v1/health", Tags: []string{"server"},
		Summary: "Does the server work? Needs no key", Security: []map[string][]string{},
		Responses: map[string]*huma.Response{"200": {Description: "it works", Content: ref(huma.Schema{Type: "object"})}}})
	o.AddOperation(&huma.Operation{OperationID: "metrics", Method: http.MethodGet, Path: "/v1/metrics", Tags: []string{"server"}, Extensions: map[string]any{"x-role": string(auth.Viewer)},
		Summary:   "Figures in the text format of Prometheus",
		Responses: map[string]*huma.Response{"200": {Description: "the figures", Content: map[string]*huma.MediaType{"text/plain": {Schema: &huma.Schema{Type: "string"}}}}}})
	key := huma.Schema{Type: "object", Required: []string{"key"}, Properties: map[string]*huma.Schema{"key": {Type: "string", Description: "a key, or the one-time code that the server printed"}}}
	o.AddOperation(&huma.Operation{OperationID: "sign-in", Method: http.MethodPost, Path: "/v1/sign-in", Tags: []string{"server"},
		Summary: "Sign a browser in: sets the cookie", Security: []map[string][]string{},
		RequestBody: &huma.RequestBody{Required: true, Content: ref(key)},
		Responses:   map[string]*huma.Response{"200": {Description: "signed in"}, "401": {Description: "the key is not known"}, "429": {Description: "too many wrong keys"}}})
	o.AddOperation(&huma.Operation{OperationID: "sign-out", Method: http.MethodPost, Path: "/v1/sign-out", Tags: []string{"server"},
		Summary: "Sign the browser out", Responses: map[string]*huma.Response{"204": {Description: "signed out"}}})
	o.AddOperation(&huma.Operation{OperationID: "events", Method: http.MethodGet, Path: "/v1/events", Tags: []string{"events"}, Extensions: map[string]any{"x-role": string(auth.Viewer)},
		Summary:     "One stream of all that a client watches",
		Description: "Server-sent events. A message with an id is a recorded event; the id is the cursor. A client that connects again with Last-Event-ID (or after=) gets every recorded event after it once, then what is live. Messages: hello, inbox, sessions, session, answered, reset, event, snapshot, ping.",
		Parameters: []*huma.Param{
			{Name: "watch", In: "query", Required: true, Description: "comma-separated: inbox, sessions, s:ID", Schema: &huma.Schema{Type: "string"}},
			{Name: "after", In: "query", Description: "a cursor, where the client cannot send Last-Event-ID", Schema: &huma.Schema{Type: "string"}},
			{Name: "Last-Event-ID", In: "header", Description: "a cursor", Schema: &huma.Schema{Type: "string"}},
		},
		Responses: map[string]*huma.Response{"200": {Description: "the stream", Content: map[string]*huma.MediaType{"text/event-stream": {Schema: &huma.Schema{Type: "string"}}}}}})
}
