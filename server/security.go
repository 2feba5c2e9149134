package server

import (
	"context"
	"encoding/json"
	"mime"
	"net"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"rein/server/audit"
	"rein/server/auth"
)

// client is who sent a request.
type client struct {
	auth.User
	address string
	through string // cookie or key
	face    string // how approval answers name the client
	cookie  string
}

type clientKey struct{}

// clientOf gives who sent the request. Only requests that secure let through have one.
func clientOf(ctx context.Context) client {
	c, _ := ctx.Value(clientKey{}).(client)
	return c
}

// note adds to the audit log.
func (s *Server) note(c client, e audit.Entry) {
	e.Who, e.Role, e.Address, e.Through = c.Name, string(c.Role), c.address, c.through
	if err := s.audit.Add(e); err != nil {
		s.o.Log.Error("audit", "error", err)
	}
}

// secure checks each request before anything else sees it: the Host, where a browser sent it from, and its size.
func (s *Server) secure(next http.Handler) http.Handler {
	cross := http.NewCrossOriginProtection()
	cross.SetDenyHandler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		writeProblem(w, problem(http.StatusForbidden, "cross_origin", "a request from another site"))
	}))
	inner := cross.Handler(next)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("X-Frame-Options", "DENY")
		h.Set("Cache-Control", "no-store")
		if !s.hostAllowed(r) {
			writeProblem(w, problem(http.StatusMisdirectedRequest, "host", "this server does not answer to the name "+printable(r.Host)+"; --host adds a name"))
			return
		}
		if site := r.Header.Get("Sec-Fetch-Site"); site != "" && site != "same-origin" && site != "none" && strings.HasPrefix(r.URL.Path, s.o.BasePath+"/v1/") {
			writeProblem(w, problem(http.StatusForbidden, "cross_origin", "a request from another site"))
			return
		}
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			most := s.limits.Body
			if strings.HasSuffix(r.URL.Path, "/attachments") {
				most = max(most, s.limits.uploadBody())
			}
			r.Body = http.MaxBytesReader(w, r.Body, most)
			_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(bodyTime)) // a test's recorder has none
		}
		inner.ServeHTTP(w, r)
	})
}

// hostAllowed checks the Host, also of requests that only read: else a page of another site could read what the server
// shows, with a name of its own that points to this machine.
func (s *Server) hostAllowed(r *http.Request) bool {
	if slices.Contains(s.o.Hosts, strings.ToLower(r.Host)) {
		return true
	}
	host, port, err := net.SplitHostPort(r.Host)
	if err != nil {
		host, port = r.Host, "80"
		if r.TLS != nil {
			port = "443"
		}
	}
	local, ok := r.Context().Value(http.LocalAddrContextKey).(net.Addr)
	if !ok {
		return false
	}
	_, listening, err := net.SplitHostPort(local.String())
	if err != nil || port != listening {
		return false
	}
	name := strings.ToLower(strings.Trim(host, "[]"))
	return name == "localhost" || name == "127.0.0.1" || name == "::1"
}

// signedIn finds out who sent the request, and refuses what nobody known sent.
func (s *Server) signedIn(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c, err := s.client(r)
		if err != nil {
			writeProblem(w, problem(http.StatusUnauthorized, "signed_out", "sign in first"))
			return
		}
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			if kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type")); kind != "application/json" {
				writeProblem(w, problem(http.StatusUnsupportedMediaType, "json_only", "send application/json"))
				return
			}
			if !s.rates.Change(c.Name, s.limits.Answers, time.Now()) {
				w.Header().Set("Retry-After", "1")
				writeProblem(w, problem(http.StatusTooManyRequests, "too_fast", "too many changes in a second"))
				return
			}
		}
		next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), clientKey{}, c)))
	})
}

// client finds the user of a request by its key or its cookie. A key counts only in the header: in a URL it would be
// logged and kept in the history.
func (s *Server) client(r *http.Request) (client, error) {
	c := client{address: s.address(r), face: "page"}
	var err error
	if key, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer "); ok {
		c.through, c.face = "key", "api"
		if !s.rates.MayTry(c.address, time.Now()) {
			return c, auth.ErrUnknown
		}
		c.User, err = s.auth.Key(key)
		if err != nil {
			s.rates.Tried(c.address, false, time.Now())
		}
		return c, err
	}
	c.through = "cookie"
	cookie, err := r.Cookie(s.cookieName(r))
	if err != nil {
		return c, err
	}
	c.cookie = cookie.Value
	c.User, err = s.auth.Cookie(cookie.Value)
	return c, err
}

// address is the client's address.
func (s *Server) address(r *http.Request) string {
	if s.o.TrustProxy {
		all := strings.Split(r.Header.Get("X-Forwarded-For"), ",")
		if last := strings.TrimSpace(all[len(all)-1]); last != "" {
			return printable(last)
		}
	}
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		return r.RemoteAddr
	}
	return host
}

// cookieName has the port: browsers keep the cookies of one host together, whatever the port.
func (s *Server) cookieName(r *http.Request) string {
	port := "80"
	if _, p, err := net.SplitHostPort(r.Host); err == nil {
		port = p
	}
	name := "rein-" + port
	switch {
	case r.TLS == nil:
		return name
	case s.o.BasePath == "":
		return "__Host-" + name
	}
	return "__Secure-" + name
}

func (s *Server) cookie(r *http.Request, value string, age time.Duration) *http.Cookie {
	return &http.Cookie{
		Name: s.cookieName(r), Value: value, Path: s.o.BasePath + "/", MaxAge: int(age.Seconds()), HttpOnly: true,
		SameSite: http.SameSiteStrictMode, Secure: r.TLS != nil,
	}
}

// writeProblem answers with a problem outside of the described operations.
func writeProblem(w http.ResponseWriter, p *huma.ErrorModel) {
	w.Header().Set("Content-Type", "application/problem+json")
	w.WriteHeader(p.Status)
	_ = json.NewEncoder(w).Encode(p) // the client is gone
}

// printable bounds text of a stranger and leaves out what a terminal would obey.
func printable(text string) string {
	text = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return '�'
		}
		return r
	}, text)
	return text[:min(len(text), 100)]
}
