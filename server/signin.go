package server

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"time"

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
