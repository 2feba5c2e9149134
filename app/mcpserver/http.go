package mcpserver

import (
	"crypto/subtle"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// HTTP says who may use the server over HTTP.
type HTTP struct {
	Token   string   // that each request must have as a bearer token; "": none, and nobody gets in
	Hosts   []string // names by which the server may be called, beside localhost
	Origins []string // of pages that may use it; none by default
}

const (
	sessionTimeout = time.Hour // of a client that sends nothing
	mostEvents     = 10 << 20  // bytes that are kept for clients whose stream broke
)

// Handler serves clients over HTTP, under any path. It takes both ways of the protocol: sessions as they were until
// 2025-11-25, and requests without one. A page that is not named may not use it, also not through a name that leads here.
func (s *Server) Handler(o HTTP) http.Handler {
	// refuse checks the names itself, with those that were named.
	get := func(*http.Request) *sdk.Server { return s.sdk }
	events := sdk.NewMemoryEventStore(nil)
	events.SetMaxBytes(mostEvents)
	sessions := sdk.NewStreamableHTTPHandler(get, &sdk.StreamableHTTPOptions{SessionTimeout: sessionTimeout, EventStore: events, DisableLocalhostProtection: true})
	stateless := sdk.NewStreamableHTTPHandler(get, &sdk.StreamableHTTPOptions{Stateless: true, PropagateRequestCancellation: true, DisableLocalhostProtection: true})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if status, why := o.refuse(r); status != 0 {
			if status == http.StatusUnauthorized {
				w.Header().Set("WWW-Authenticate", `Bearer realm="rein"`)
			}
			http.Error(w, why, status)
			return
		}
		if r.Header.Get("Mcp-Protocol-Version") >= "2026-07-28" {
			stateless.ServeHTTP(w, r)
			return
		}
		sessions.ServeHTTP(w, r)
	})
}

// refuse returns the reason why a request is refused; 0 when it is not.
func (o HTTP) refuse(r *http.Request) (status int, why string) {
	host := r.Host
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	host = strings.ToLower(strings.Trim(host, "[]"))
	if !slices.Contains(append([]string{"localhost", "127.0.0.1", "::1"}, o.Hosts...), host) {
		return http.StatusForbidden, "this server is not called " + strings.ToValidUTF8(host[:min(len(host), 100)], "")
	}
	for _, origin := range r.Header.Values("Origin") {
		u, err := url.Parse(origin)
		if err != nil || !slices.Contains(o.Origins, u.Scheme+"://"+u.Host) {
			return http.StatusForbidden, "pages of this origin may not use the server"
		}
	}
	token, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	if !ok || o.Token == "" || subtle.ConstantTimeCompare([]byte(token), []byte(o.Token)) != 1 {
		return http.StatusUnauthorized, "the bearer token is missing or wrong"
	}
	return 0, ""
}
