package server

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"mime"
	"net"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"time"
)

// requestSender is who sent a request.
type requestSender struct {
	User
	Address string
	Through string // cookie, key, link or program
	Face    string // how approval answers name the client: page or api
	cookie  string
	still   func() bool // of what SignedIn let through: reports whether it would be let in now, as the same user; for one goroutine
}

type clientKey struct{}

// senderOf returns who sent the request. Only requests that SignedIn let through have one.
func senderOf(ctx context.Context) requestSender {
	c, _ := ctx.Value(clientKey{}).(requestSender)
	return c
}

// requestLimits bound requests.
type requestLimits struct {
	Body    int64 // bytes of one request
	Upload  int64 // bytes of a request with a file
	File    int64 // bytes of the file itself
	Changes int   // by one user in a second
}

// requestChecks check requests. All fields are needed, except those that say otherwise. Several goroutines may use it at once.
type requestChecks struct {
	Users      *users
	Face       string // of clients with a key: see requestSender; "": api
	Rates      *userCounter
	Hosts      []string // names with ports, beside the loopback names; may be empty
	BasePath   string   // may be ""
	TrustProxy bool
	Limits     func() requestLimits
	Provider   func() *signInProvider             // of accounts; it may give nil
	URL        func() string                      // by which people reach the page; "": as the request names the server
	Note       func(c requestSender, what string) // adds to the audit log
	Me         func(requestSender) any            // what a browser gets that has signed in
	Log        *slog.Logger
}

// bodyTime is how long a client has to send a request.
const bodyTime = 30 * time.Second

// Secure checks each request before anything else sees it: the Host, where a browser sent it from, and its size.
func (s *requestChecks) Secure(next http.Handler) http.Handler {
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
		if s.overTLS(r) {
			h.Set("Strict-Transport-Security", "max-age=31536000")
		}
		if !s.hostAllowed(r) {
			writeProblem(w, problem(http.StatusMisdirectedRequest, "host", "this server does not answer to the name "+printable(r.Host)+"; --host adds a name"))
			return
		}
		if site := r.Header.Get("Sec-Fetch-Site"); site != "" && site != "same-origin" && site != "none" && strings.HasPrefix(r.URL.Path, s.BasePath+"/v1/") && !s.returns(r) {
			writeProblem(w, problem(http.StatusForbidden, "cross_origin", "a request from another site"))
			return
		}
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			most := s.Limits().Body
			shown := most
			if strings.HasSuffix(r.URL.Path, "/attachments") {
				most = max(most, s.Limits().Upload)
				shown = s.Limits().File
			}
			if r.ContentLength > most {
				writeProblem(w, problem(http.StatusRequestEntityTooLarge, "too_large", fmt.Sprintf("at most %d bytes", shown)))
				return
			}
			r.Body = http.MaxBytesReader(w, r.Body, most)
			_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(bodyTime)) // a test's recorder has none
		}
		inner.ServeHTTP(w, r)
	})
}

// returns reports whether a provider of accounts, which is another site, sends the browser back.
func (s *requestChecks) returns(r *http.Request) bool {
	return r.Method == http.MethodGet && r.URL.Path == s.BasePath+returnPath && r.Header.Get("Sec-Fetch-Mode") == "navigate" && r.Header.Get("Sec-Fetch-Dest") == "document"
}

// hostAllowed checks the Host, also of requests that only read: else a page of another site could read what the server
// shows, with a name of its own that points to this machine.
func (s *requestChecks) hostAllowed(r *http.Request) bool {
	if slices.Contains(s.Hosts, strings.ToLower(r.Host)) {
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

// SignedIn finds out who sent the request, and refuses what nobody known sent.
func (s *requestChecks) SignedIn(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		version := s.Users.Version() // before they are asked
		c, err := s.client(r)
		if err != nil {
			writeProblem(w, problem(http.StatusUnauthorized, "signed_out", "sign in first"))
			return
		}
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			if kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type")); kind != "application/json" {
				writeProblem(w, problem(http.StatusUnsupportedMediaType, "json_only", "set Content-Type: application/json, also where there is no body"))
				return
			}
			if !s.Rates.Change(c.Name, s.Limits().Changes, time.Now()) {
				w.Header().Set("Retry-After", "1")
				writeProblem(w, problem(http.StatusTooManyRequests, "too_fast", "too many changes in a second"))
				return
			}
		}
		c.still = func() bool {
			v := s.Users.Version()
			if v == version {
				return true
			}
			now, err := s.sender(r)
			version = v
			return err == nil && reflect.DeepEqual(now.User, c.User)
		}
		next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), clientKey{}, c)))
	})
}

// client finds the user of a request, and counts wrong keys.
func (s *requestChecks) client(r *http.Request) (requestSender, error) {
	c, err := s.sender(r)
	if err != nil && c.Through == "key" && s.Rates.WrongKey(c.Address, time.Now()) {
		s.Note(c, "refused_key")
	}
	return c, err
}

// sender finds the user of a request by its key or its cookie. A key counts only in the header: in a URL it would be
// logged and kept in the history.
func (s *requestChecks) sender(r *http.Request) (requestSender, error) {
	c := requestSender{Address: s.Address(r), Face: "page"}
	var err error
	if key, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer "); ok {
		c.Through, c.Face = "key", cmp.Or(s.Face, "api")
		c.User, err = s.Users.Key(key)
		return c, err
	}
	c.Through = "cookie"
	cookie, err := r.Cookie(s.cookieName(r))
	if err != nil {
		return c, err
	}
	c.cookie = cookie.Value
	c.User, err = s.Users.Cookie(cookie.Value)
	return c, err
}

// forwarded is what a trusted proxy says in a header: at the end of the line, or in a line of its own. What is before it, the client may have written.
func (s *requestChecks) forwarded(r *http.Request, header string) string {
	if !s.TrustProxy {
		return ""
	}
	lines := strings.Join(r.Header.Values(header), ",")
	return strings.TrimSpace(lines[strings.LastIndexByte(lines, ',')+1:])
}

// overTLS reports whether the client's connection is encrypted, to this server or to a proxy that it trusts.
func (s *requestChecks) overTLS(r *http.Request) bool {
	return r.TLS != nil || s.forwarded(r, "X-Forwarded-Proto") == "https"
}

// Address is the client's address.
func (s *requestChecks) Address(r *http.Request) string {
	if last := s.forwarded(r, "X-Forwarded-For"); last != "" {
		return printable(last)
	}
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		return r.RemoteAddr
	}
	return host
}

// cookieName has the port: browsers keep the cookies of one host together, whatever the port.
func (s *requestChecks) cookieName(r *http.Request) string {
	port := "80"
	if _, p, err := net.SplitHostPort(r.Host); err == nil {
		port = p
	}
	name := "rein-" + port
	switch {
	case !s.overTLS(r):
		return name
	case s.BasePath == "":
		return "__Host-" + name
	}
	return "__Secure-" + name
}

func (s *requestChecks) cookie(r *http.Request, value string, age time.Duration) *http.Cookie {
	return &http.Cookie{
		Name: s.cookieName(r), Value: value, Path: s.BasePath + "/", MaxAge: int(age.Seconds()), HttpOnly: true,
		SameSite: http.SameSiteStrictMode, Secure: s.overTLS(r),
	}
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
