package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// world is a tool server and an authorization server that want to be asked in the right way.
type world struct {
	*httptest.Server
	issuer    string // what the authorization server calls itself; "": its address
	iss       string // what it sends with the redirect; "": its address
	refreshed atomic.Int32
	lasts     int // seconds of a token
}

func newWorld(t *testing.T) *world {
	w := &world{lasts: 3600}
	server := sdk.NewServer(&sdk.Implementation{Name: "guarded", Version: "1"}, nil)
	protocol := sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return server }, nil)
	mux := http.NewServeMux()
	answer := func(rw http.ResponseWriter, v any) {
		rw.Header().Set("Content-Type", "application/json")
		json.NewEncoder(rw).Encode(v)
	}
	mux.HandleFunc("/mcp", func(rw http.ResponseWriter, r *http.Request) {
		if !strings.HasPrefix(r.Header.Get("Authorization"), "Bearer good-") {
			rw.Header().Set("WWW-Authenticate", `Bearer resource_metadata="`+w.URL+`/.well-known/oauth-protected-resource/mcp"`)
			rw.WriteHeader(http.StatusUnauthorized)
			return
		}
		protocol.ServeHTTP(rw, r)
	})
	mux.HandleFunc("/.well-known/oauth-protected-resource/mcp", func(rw http.ResponseWriter, _ *http.Request) {
		answer(rw, map[string]any{"resource": w.URL + "/mcp", "authorization_servers": []string{w.URL}})
	})
	mux.HandleFunc("/.well-known/oauth-authorization-server", func(rw http.ResponseWriter, _ *http.Request) {
		issuer := w.issuer
		if issuer == "" {
			issuer = w.URL
		}
		answer(rw, map[string]any{"issuer": issuer, "authorization_endpoint": w.URL + "/authorize", "token_endpoint": w.URL + "/token", "registration_endpoint": w.URL + "/register",
			"response_types_supported": []string{"code"}, "code_challenge_methods_supported": []string{"S256"}, "authorization_response_iss_parameter_supported": true,
			"token_endpoint_auth_methods_supported": []string{"none"}, "grant_types_supported": []string{"authorization_code", "refresh_token"}})
	})
	mux.HandleFunc("/register", func(rw http.ResponseWriter, r *http.Request) {
		var in map[string]any
		json.NewDecoder(r.Body).Decode(&in)
		in["client_id"] = "made-up"
		rw.Header().Set("Content-Type", "application/json")
		rw.WriteHeader(http.StatusCreated)
		json.NewEncoder(rw).Encode(in)
	})
	mux.HandleFunc("/token", func(rw http.ResponseWriter, r *http.Request) {
		r.ParseForm()
		if r.Form.Get("grant_type") == "refresh_token" {
			time.Sleep(50 * time.Millisecond)
			w.refreshed.Add(1)
		} else if r.Form.Get("code_verifier") == "" {
			http.Error(rw, `{"error":"no PKCE"}`, http.StatusBadRequest)
			return
		}
		answer(rw, map[string]any{"access_token": fmt.Sprintf("good-%d", time.Now().UnixNano()), "token_type": "Bearer", "expires_in": w.lasts, "refresh_token": "again"})
	})
	w.Server = httptest.NewServer(mux)
	t.Cleanup(w.Close)
	return w
}

// browser opens the address as a person would.
func (w *world) browser(address string) {
	u, err := url.Parse(address)
	if err != nil {
		return
	}
	q := u.Query()
	iss := w.iss
	if iss == "" {
		iss = w.URL
	}
	if q.Get("code_challenge_method") != "S256" {
		return
	}
	back := q.Get("redirect_uri") + "?" + url.Values{"code": {"c"}, "state": {q.Get("state")}, "iss": {iss}}.Encode()
	go http.Get(back)
}

func (w *world) login(t *testing.T, dir string) (Account, error) {
	t.Helper()
	a := Account{Dir: dir, Server: "guarded", URL: w.URL + "/mcp", Client: http.DefaultClient}
	l := &Login{Account: a, Show: w.browser}
	h, end, err := l.Handler()
	if err != nil {
		t.Fatal(err)
	}
	defer end()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	c, err := sdk.NewClient(&sdk.Implementation{Name: "t", Version: "1"}, nil).Connect(ctx, &sdk.StreamableClientTransport{Endpoint: a.URL, OAuthHandler: h, MaxRetries: -1}, nil)
	if err == nil {
		c.Close()
	}
	return a, err
}

func (a *Account) connect(t *testing.T) error {
	t.Helper()
	c, err := sdk.NewClient(&sdk.Implementation{Name: "t", Version: "1"}, nil).Connect(t.Context(), &sdk.StreamableClientTransport{Endpoint: a.URL, OAuthHandler: a.Handler(), MaxRetries: -1, DisableStandaloneSSE: true}, nil)
	if err == nil {
		c.Close()
	}
	return err
}

func TestASignInIsKeptForThatServerAndThisUser(t *testing.T) {
	w := newWorld(t)
	a, err := w.login(t, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(a.file())
	if err != nil || info.Mode().Perm()&0o077 != 0 {
		t.Errorf("the file: %v, %v", info, err)
	}
	if err := a.connect(t); err != nil {
		t.Errorf("later: %v", err)
	}
	elsewhere := a
	elsewhere.URL += "/other"
	if k, err := elsewhere.read(); k != nil || err != nil {
		t.Errorf("another address has the token: %v, %v", k, err)
	}
	if was, err := a.Remove(); !was || err != nil {
		t.Errorf("removed: %v, %v", was, err)
	}
	if err := a.connect(t); err == nil || !strings.Contains(err.Error(), "rein mcp login guarded") {
		t.Errorf("signed out: %v", err)
	}
}

// TestOneRefreshServesAll asks for a token in many places at once when it has ended.
func TestOneRefreshServesAll(t *testing.T) {
	w := newWorld(t)
	w.lasts = 1 // less than early: it counts as ended
	a, err := w.login(t, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	before := w.refreshed.Load()
	w.lasts = 3600
	var all sync.WaitGroup
	for range 10 {
		all.Go(func() {
			another := a // another process has its own
			if token, err := (source{&another, t.Context()}).Token(); err != nil || !strings.HasPrefix(token.AccessToken, "good-") {
				t.Errorf("%v, %v", token, err)
			}
		})
	}
	all.Wait()
	if n := w.refreshed.Load() - before; n != 1 {
		t.Errorf("refreshed %d times", n)
	}
}

func TestAWrongIssuerIsRefused(t *testing.T) {
	for name, set := range map[string]func(*world){
		"in the metadata": func(w *world) { w.issuer = "https://evil.example" },
		"in the redirect": func(w *world) { w.iss = "https://evil.example" },
	} {
		w := newWorld(t)
		set(w)
		dir := t.TempDir()
		if _, err := w.login(t, dir); err == nil || !strings.Contains(strings.ToLower(err.Error()), "iss") {
			t.Errorf("%s: %v", name, err)
		}
		if files, _ := os.ReadDir(dir); len(files) > 0 {
			t.Errorf("%s: a token was kept", name)
		}
	}
}
