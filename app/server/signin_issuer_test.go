package server

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coreos/go-oidc/v3/oidc/oidctest"

	"rein/app/server/api"
	"rein/app/settings"
)

// issuer is a provider of accounts for tests. Everybody who comes is signed in there.
type issuer struct {
	*httptest.Server
	t      *testing.T
	key    *rsa.PrivateKey
	mu     sync.Mutex
	claims map[string]any
	change func(claims map[string]any) // what is wrong with the token
	codes  map[string]url.Values       // what the browser came with
}

var issuerKey = sync.OnceValues(func() (*rsa.PrivateKey, error) { return rsa.GenerateKey(rand.Reader, 2048) })

func newIssuer(t *testing.T) *issuer {
	key, err := issuerKey()
	if err != nil {
		t.Fatal(err)
	}
	i := &issuer{t: t, key: key, codes: map[string]url.Values{}}
	known := &oidctest.Server{PublicKeys: []oidctest.PublicKey{{PublicKey: key.Public(), KeyID: "k", Algorithm: "RS256"}}}
	mux := http.NewServeMux()
	i.Server = httptest.NewServer(mux)
	t.Cleanup(i.Close)
	known.SetIssuer(i.URL)
	mux.Handle("/", known)
	mux.HandleFunc("GET /auth", i.authorize)
	mux.HandleFunc("POST /token", i.token)
	return i
}

func (i *issuer) authorize(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	if q.Get("response_type") != "code" || q.Get("client_id") != "rein" || q.Get("code_challenge_method") != "S256" || q.Get("nonce") == "" || !strings.Contains(q.Get("scope"), "openid") {
		i.t.Errorf("the browser came with %v", q)
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	code := rand.Text()
	i.codes[code] = q
	http.Redirect(w, r, q.Get("redirect_uri")+"?"+url.Values{"code": {code}, "state": {q.Get("state")}}.Encode(), http.StatusFound)
}

// token gives an ID token for a code, once, to who knows the verifier.
func (i *issuer) token(w http.ResponseWriter, r *http.Request) {
	i.mu.Lock()
	defer i.mu.Unlock()
	q, ok := i.codes[r.PostFormValue("code")]
	delete(i.codes, r.PostFormValue("code"))
	sum := sha256.Sum256([]byte(r.PostFormValue("code_verifier")))
	id, secret, _ := r.BasicAuth()
	if !ok || base64.RawURLEncoding.EncodeToString(sum[:]) != q.Get("code_challenge") || id != "rein" || secret != "client-secret" {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	claims := map[string]any{"iss": i.URL, "aud": "rein", "sub": "17", "exp": time.Now().Add(time.Hour).Unix(), "nonce": q.Get("nonce")}
	maps.Copy(claims, i.claims)
	if i.change != nil {
		i.change(claims)
	}
	text, err := json.Marshal(claims)
	if err != nil {
		i.t.Error(err)
	}
	w.Header().Set("Content-Type", "application/json")
	fmt.Fprintf(w, `{"access_token":"x","token_type":"Bearer","expires_in":60,"id_token":%q}`, oidctest.SignIDToken(i.key, "k", "RS256", string(text)))
}

func (i *issuer) settings(dirs ...string) *settings.SignIn {
	return &settings.SignIn{Issuer: i.URL, ClientID: "rein", SecretEnv: "TEST_CLIENT_SECRET", Workspaces: map[string][]string{"guests": dirs},
		Roles: map[string]string{"admins": "operator", "people": "approver", "guests": "viewer", "mei@example.org": "approver"}}
}

// browser keeps cookies.
type browser struct {
	*http.Client
	cookies map[string]string
}

// newBrowser is a browser that stops where the page begins.
func newBrowser() *browser {
	b := &browser{cookies: map[string]string{}}
	b.Client = &http.Client{Transport: b, CheckRedirect: func(r *http.Request, via []*http.Request) error {
		if !strings.HasPrefix(r.URL.Path, "/v1/") && r.URL.Path != "/auth" {
			return http.ErrUseLastResponse
		}
		r.Header.Set("Sec-Fetch-Site", "cross-site")
		r.Header.Set("Sec-Fetch-Mode", "navigate")
		r.Header.Set("Sec-Fetch-Dest", "document")
		return nil
	}}
	return b
}

// RoundTrip sends the cookies with the request.
func (b *browser) RoundTrip(r *http.Request) (*http.Response, error) {
	for name, value := range b.cookies {
		r.AddCookie(&http.Cookie{Name: name, Value: value})
	}
	answer, err := http.DefaultTransport.RoundTrip(r)
	if err == nil {
		for _, c := range answer.Cookies() {
			if b.cookies[c.Name] = c.Value; c.MaxAge < 0 {
				delete(b.cookies, c.Name)
			}
		}
	}
	return answer, err
}

// open opens an address and returns where the browser is sent at the end.
func (b *browser) open(t *testing.T, address string) (end string) {
	t.Helper()
	answer, err := b.Get(address)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	return answer.Header.Get("Location")
}

// me returns who is signed in.
func (b *browser) me(t *testing.T, server string) (status int, m api.Me) {
	t.Helper()
	answer, err := b.Get(server + "/v1/me")
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err == nil && answer.StatusCode == http.StatusOK {
		err = json.Unmarshal(text, &m)
	}
	if err != nil {
		t.Fatal(err)
	}
	return answer.StatusCode, m
}

func TestPeopleSignInWithAnAccountElsewhere(t *testing.T) {
	t.Setenv("TEST_CLIENT_SECRET", "client-secret")
	i := newIssuer(t)
	h := newHome(t, "turns: [{text: hi}]")
	set := settings.Server{SignIn: i.settings(h.dir)}
	h.options.Settings = func() (settings.Server, error) { return set, nil }
	v := h.start()
	ways := ask[map[string]string](v, "GET", "/v1/sign-in", nil)
	if ways["provider"] != "127.0.0.1" || ways["path"] != "/v1/sign-in/provider" {
		t.Errorf("the page cannot offer it: %v", ways)
	}
	for _, c := range []struct {
		name   string
		claims map[string]any
		end    string
		user   string
		role   Role
	}{
		{"a role by group", map[string]any{"groups": []string{"x", "people"}, "email": "mei@example.org", "email_verified": true}, "/s/abc?x=1", "mei@example.org", roleApprover},
		{"the highest role counts", map[string]any{"groups": []string{"people", "admins"}, "email": "mei@example.org", "email_verified": true}, "/s/abc?x=1", "mei@example.org", roleOperator},
		{"one group as a text", map[string]any{"groups": "guests"}, "/s/abc?x=1", "17@127.0.0.1", RoleViewer},
		{"an address that is not verified is no name", map[string]any{"groups": "people", "email": "mei@example.org"}, "/s/abc?x=1", "17@127.0.0.1", roleApprover},
		{"no group with a role", map[string]any{"groups": []string{"x"}}, "/#sign-in=no_role", "", ""},
		{"groups of another form", map[string]any{"groups": map[string]any{"admins": true}}, "/#sign-in=no_role", "", ""},
		{"an address is no group", map[string]any{"email": "mei@example.org", "email_verified": true}, "/#sign-in=no_role", "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			i.mu.Lock()
			i.claims = c.claims
			i.mu.Unlock()
			b := newBrowser()
			if end := b.open(t, v.url+"/v1/sign-in/provider?to=/s/abc%3Fx=1"); end != c.end {
				t.Errorf("it ends at %s", end)
			}
			status, m := b.me(t, v.url)
			if c.user == "" && status == http.StatusUnauthorized {
				return
			}
			if m.Name != c.user || m.Role != string(c.role) {
				t.Errorf("%d: signed in as %+v", status, m)
			}
		})
	}
	b := newBrowser()
	i.mu.Lock()
	i.claims = map[string]any{"groups": "people", "email": "mei@example.org", "email_verified": true}
	i.mu.Unlock()
	b.open(t, v.url+"/v1/sign-in/provider?to=//evil.test/")
	if status, _ := b.me(t, v.url); status != http.StatusOK {
		t.Fatal(status)
	}
	found := false
	for _, e := range ask[[]struct{ Who, What, Through string }](v, "GET", "/v1/audit", nil) {
		found = found || e.Who == "mei@example.org" && e.What == "signed_in" && e.Through == "provider"
	}
	if !found {
		t.Error("the audit log does not have who signed in")
	}
	v.stop()
	v = h.start() // a restart keeps who is signed in
	if status, _ := b.me(t, v.url); status != http.StatusUnauthorized {
		t.Errorf("the cookie of another port counts: %d", status)
	}
	for name, value := range maps.Clone(b.cookies) {
		b.cookies["rein-"+v.url[strings.LastIndexByte(v.url, ':')+1:]] = value
		delete(b.cookies, name)
	}
	if status, m := b.me(t, v.url); status != http.StatusOK || m.Name != "mei@example.org" {
		t.Errorf("after a restart: %d %+v", status, m)
	}
	set.SignIn.Roles["people"] = "viewer" // other roles: everybody signs in again
	if err := v.server.Reload(t.Context()); err != nil {
		t.Fatal(err)
	}
	if status, _ := b.me(t, v.url); status != http.StatusUnauthorized {
		t.Errorf("a role that was taken away counts: %d", status)
	}
}

func TestForgedAnswersOfAProviderAreRefused(t *testing.T) {
	t.Setenv("TEST_CLIENT_SECRET", "client-secret")
	i := newIssuer(t)
	h := newHome(t, "turns: [{text: hi}]")
	h.options.Settings = given(settings.Server{SignIn: i.settings(h.dir)})
	v := h.start()
	i.claims = map[string]any{"groups": "admins"}
	wrong := map[string]func(map[string]any){
		"of another issuer":   func(c map[string]any) { c["iss"] = "https://evil.test" },
		"for another client":  func(c map[string]any) { c["aud"] = "other" },
		"of another sign-in":  func(c map[string]any) { c["nonce"] = "other" },
		"that has expired":    func(c map[string]any) { c["exp"] = time.Now().Add(-time.Hour).Unix() },
		"without a nonce":     func(c map[string]any) { delete(c, "nonce") },
		"without a subject's": func(c map[string]any) { c["aud"] = []string{} },
	}
	for name, change := range wrong {
		t.Run("a token "+name, func(t *testing.T) {
			v.server.rates.Tried("127.0.0.1", true, time.Now()) // wrong ones are slowed down
			i.mu.Lock()
			i.change = change
			i.mu.Unlock()
			b := newBrowser()
			if end := b.open(t, v.url+"/v1/sign-in/provider"); end != "/#sign-in=refused" {
				t.Errorf("it ends at %s", end)
			}
			if status, _ := b.me(t, v.url); status != http.StatusUnauthorized {
				t.Errorf("signed in: %d", status)
			}
		})
	}
	i.mu.Lock()
	i.change = nil
	i.mu.Unlock()
	t.Run("the answer of another browser", func(t *testing.T) {
		mallory, mei := newBrowser(), newBrowser()
		at := ""
		mallory.CheckRedirect = func(r *http.Request, _ []*http.Request) error {
			if at = r.URL.String(); r.URL.Path == "/auth" {
				return nil
			}
			return http.ErrUseLastResponse
		}
		mallory.open(t, v.url+"/v1/sign-in/provider")
		if !strings.Contains(at, "/v1/sign-in/return?code=") {
			t.Fatal(at)
		}
		address := at
		if end := mei.open(t, address); end != "/#sign-in=expired" {
			t.Errorf("it ends at %s", end)
		}
		if end := mallory.open(t, address); end != "/" { // the attempt still holds for the browser that began it
			t.Errorf("it ends at %s", end)
		}
		if status, _ := mei.me(t, v.url); status != http.StatusUnauthorized {
			t.Errorf("Mei is signed in as Mallory: %d", status)
		}
		if end := mallory.open(t, address); end != "/#sign-in=expired" {
			t.Errorf("a code counts twice: %s", end)
		}
	})
	t.Run("other paths stay closed to other sites", func(t *testing.T) {
		status, _ := v.request("GET", "/v1/sign-in/provider", "", header("Sec-Fetch-Site", "cross-site"), header("Sec-Fetch-Mode", "navigate"), header("Sec-Fetch-Dest", "document"))
		if status != http.StatusForbidden {
			t.Error(status)
		}
	})
	t.Run("a provider that is down", func(t *testing.T) {
		i.Close()
		h := newHome(t, "turns: [{text: hi}]")
		h.options.Settings = given(settings.Server{SignIn: i.settings(h.dir)})
		v := h.start() // the server starts, people with a key continue
		if end := newBrowser().open(t, v.url+"/v1/sign-in/provider"); end != "/#sign-in=provider" {
			t.Errorf("it ends at %s", end)
		}
	})
}

// TestATeamLeadSetsUpAServer is the way of docs/team.md: accounts of a provider with roles by group, a developer who may approve and nothing
// more, a guest who may only read, and a log of who did what.
func TestATeamLeadSetsUpAServer(t *testing.T) {
	t.Setenv("TEST_CLIENT_SECRET", "client-secret")
	i := newIssuer(t)
	h := newHome(t, asksOnce)
	set := settings.Server{SignIn: i.settings(h.dir)}
	h.options.Settings = func() (settings.Server, error) { return set, nil }
	v := h.start()
	as := func(group, mail string) *browser {
		i.mu.Lock()
		i.claims = map[string]any{"groups": group, "email": mail, "email_verified": true}
		i.mu.Unlock()
		b := newBrowser()
		b.open(t, v.url+"/v1/sign-in/provider?to=/")
		return b
	}
	post := func(b *browser, path, body string) int {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, v.url+path, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Origin", v.url)
		r.Header.Set("Sec-Fetch-Site", "same-origin")
		answer, err := b.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		answer.Body.Close()
		return answer.StatusCode
	}
	lead, developer, guest := as("admins", "lead@example.org"), as("people", "mei@example.org"), as("guests", "guest@example.org")
	if status := post(developer, "/v1/sessions", `{"text":"go"}`); status != http.StatusForbidden {
		t.Errorf("a developer starts a session: %d", status)
	}
	if status := post(lead, "/v1/sessions", `{"text":"go"}`); status >= 300 {
		t.Fatalf("the lead starts a session: %d", status)
	}
	r := v.pending()
	path, answer := "/v1/inbox/"+r.Session+"/"+r.Call, fmt.Sprintf(`{"choice":"approved","hash":%q}`, r.Hash)
	if status := post(guest, path, answer); status != http.StatusForbidden {
		t.Errorf("a guest approves: %d", status)
	}
	if n := v.lines("done.txt"); n != 0 {
		t.Errorf("the call ran %d times without an answer", n)
	}
	if status := post(developer, path, answer); status >= 300 {
		t.Errorf("a developer approves: %d", status)
	}
	v.state(r.Session, api.Idle)
	if n := v.lines("done.txt"); n != 1 {
		t.Errorf("the call ran %d times", n)
	}
	var did []string
	for _, e := range ask[[]struct{ Who, What string }](v, "GET", "/v1/audit", nil) {
		did = append(did, e.Who+" "+e.What)
	}
	all := strings.Join(did, "\n")
	for _, want := range []string{"lead@example.org signed_in", "mei@example.org signed_in", "guest@example.org signed_in", "mei@example.org answered"} {
		if !strings.Contains(all, want) {
			t.Errorf("the audit log does not have %q:\n%s", want, all)
		}
	}
}
