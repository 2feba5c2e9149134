package server

import (
	"errors"
	"io"
	"net/http"
	"time"

	jsonv2 "github.com/go-json-experiment/json"
)

// SignIn takes a key or a one-time code and sets the cookie.
func (s *requestChecks) SignIn(w http.ResponseWriter, r *http.Request) {
	address := s.Address(r)
	var in struct {
		Key string `json:"key"`
	}
	text, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 4096))
	if err == nil {
		err = jsonv2.Unmarshal(text, &in, jsonv2.RejectUnknownMembers(true))
	}
	if err != nil || in.Key == "" {
		writeProblem(w, problem(http.StatusBadRequest, "input", "send {\"key\": …} as application/json"))
		return
	}
	cookie, u, err := s.Users.SignIn(in.Key)
	c := requestSender{User: u, Address: address, Through: "cookie"}
	if err != nil {
		if errors.Is(err, errUnknown) && !s.Rates.WrongKey(address, time.Now()) {
			w.Header().Set("Retry-After", "2")
			writeProblem(w, problem(http.StatusTooManyRequests, "too_fast", "too many wrong keys: wait a moment"))
			return
		}
		s.Note(c, "refused_sign_in")
		if errors.Is(err, errUnknown) {
			writeProblem(w, problem(http.StatusUnauthorized, "wrong_key", "the key is not known, or the code was used already"))
			return
		}
		writeProblem(w, problem(http.StatusInternalServerError, "internal", err.Error()))
		return
	}
	s.Note(c, "signed_in")
	http.SetCookie(w, s.cookie(r, cookie, loginLifetime))
	writeJSON(w, s.Me(c))
}

// SignOut ends the cookie and removes what the browser has kept.
func (s *requestChecks) SignOut(w http.ResponseWriter, r *http.Request) {
	if c, err := s.client(r); err == nil && c.cookie != "" {
		if err := s.Users.SignOut(c.cookie); err != nil {
			s.Log.Error("sign out", "error", err)
		}
		s.Note(c, "signed_out")
	}
	http.SetCookie(w, s.cookie(r, "", -time.Second))
	w.Header().Set("Clear-Site-Data", `"cache", "storage"`)
	w.WriteHeader(http.StatusNoContent)
}
