package server

import (
	"crypto/tls"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"rein/app/server/api"
)

func header(name, value string) func(*http.Request) {
	return func(r *http.Request) { r.Header.Set(name, value) }
}

func host(name string) func(*http.Request) { return func(r *http.Request) { r.Host = name } }

func noKey(r *http.Request) { r.Header.Del("Authorization") }

// Every answer, also a refusal, says that it is no page of another site, is kept in no cache, and gives its address to nobody.
func TestEveryAnswerHasTheHeadersOfSafety(t *testing.T) {
	v := newHome(t, "turns: [{text: hi}]").start()
	for _, path := range []string{"/v1/sessions", "/v1/me?x=1", "/v1/nothing", "/v1/health"} {
		r, err := http.NewRequestWithContext(t.Context(), "GET", v.url+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		answer.Body.Close()
		for name, want := range map[string]string{"Referrer-Policy": "no-referrer", "X-Frame-Options": "DENY", "X-Content-Type-Options": "nosniff", "Cache-Control": "no-store",
			"Cross-Origin-Opener-Policy": "same-origin", "Cross-Origin-Resource-Policy": "same-origin"} {
			if got := answer.Header.Get(name); got != want {
				t.Errorf("%s: %s is %q, want %q", path, name, got, want)
			}
		}
		if answer.Header.Get("Access-Control-Allow-Origin") != "" {
			t.Error(path, "may be read by other sites")
		}
	}
}

// The requests that a page of another site, or somebody without a key, can send. Each is refused.
func TestForeignRequestsAreRefused(t *testing.T) {
	v := newHome(t, "turns: [{text: hi}]").start()
	port := v.url[strings.LastIndexByte(v.url, ':'):]
	for _, row := range []struct {
		name, method, path, body string
		want                     int
		change                   []func(*http.Request)
	}{
		{"no key", "GET", "/v1/sessions", "", 401, []func(*http.Request){noKey}},
		{"a wrong key", "GET", "/v1/sessions", "", 401, []func(*http.Request){header("Authorization", "Bearer nonsense")}},
		{"the key in the URL", "GET", "/v1/sessions?token=" + v.key, "", 401, []func(*http.Request){noKey}},
		{"DNS rebinding, read", "GET", "/v1/sessions", "", 421, []func(*http.Request){host("evil.example" + port)}},
		{"DNS rebinding, stream", "GET", "/v1/events?watch=inbox", "", 421, []func(*http.Request){host("evil.example" + port)}},
		{"DNS rebinding, write", "POST", "/v1/sessions", "{}", 421, []func(*http.Request){host("evil.example" + port), header("Origin", "http://evil.example"+port)}},
		{"DNS rebinding, page", "GET", "/", "", 421, []func(*http.Request){host("evil.example" + port)}},
		{"another port of this machine as host", "GET", "/v1/sessions", "", 421, []func(*http.Request){host("127.0.0.1:1")}},
		{"a name that ends like ours", "GET", "/v1/sessions", "", 421, []func(*http.Request){host("127.0.0.1.evil.example" + port)}},
		{"cross-site write", "POST", "/v1/sessions", "{}", 403, []func(*http.Request){header("Origin", "http://evil.example")}},
		{"cross-site write from a sandboxed frame", "POST", "/v1/sessions", "{}", 403, []func(*http.Request){header("Origin", "null")}},
		{"write from another port", "POST", "/v1/sessions", "{}", 403, []func(*http.Request){header("Origin", "http://127.0.0.1:1")}},
		{"cross-site read", "GET", "/v1/sessions", "", 403, []func(*http.Request){header("Sec-Fetch-Site", "cross-site")}},
		{"same-site read", "GET", "/v1/sessions", "", 403, []func(*http.Request){header("Sec-Fetch-Site", "same-site")}},
		{"a form", "POST", "/v1/sessions", "text=x", 415, []func(*http.Request){header("Content-Type", "application/x-www-form-urlencoded")}},
		{"plain text", "POST", "/v1/sessions", "{}", 415, []func(*http.Request){header("Content-Type", "text/plain")}},
		{"a form for an operation without a body", "POST", "/v1/sessions/nothing/cancel", "x=1", 415, []func(*http.Request){header("Content-Type", "application/x-www-form-urlencoded")}},
		{"a name twice", "POST", "/v1/sessions", `{"text":"a","text":"b"}`, 400, nil},
		{"a name in other letters", "POST", "/v1/sessions", `{"TEXT":"a"}`, 422, nil},
		{"an unknown name", "POST", "/v1/sessions", `{"txt":"a"}`, 422, nil},
		{"too large", "POST", "/v1/sessions", `{"text":"` + strings.Repeat("x", 1<<20) + `"}`, 413, nil},
		{"too large, of unknown length", "POST", "/v1/sessions", `{"text":"` + strings.Repeat("x", 2<<20) + `"}`, 413, []func(*http.Request){func(r *http.Request) { r.ContentLength = -1 }}},
		{"a directory that is not served", "POST", "/v1/sessions", `{"dir":"/etc"}`, 422, nil},
		{"traversal in an id", "GET", "/v1/sessions/..%2f..%2fetc/events", "", 422, nil},
		{"traversal in the page", "GET", "/assets/..%2f..%2f..%2fpage.go", "", 200, nil},
		{"a request of no session", "POST", "/v1/inbox/..%2f..%2fx/y", `{"choice":"approved","hash":"x"}`, 422, nil},
		{"a cursor of nonsense", "GET", "/v1/events?watch=inbox&after=%00:x", "", 400, nil},
		{"no such session in a stream", "GET", "/v1/events?watch=s:nothing", "", 404, nil},
		{"an unknown path", "GET", "/v1/nothing", "", 404, nil},
		{"an unknown path without a key", "GET", "/v1/nothing", "", 401, []func(*http.Request){noKey}},
	} {
		t.Run(row.name, func(t *testing.T) {
			status, text := v.request(row.method, row.path, row.body, row.change...)
			if status != row.want {
				t.Errorf("%d, want %d: %.300s", status, row.want, text)
			}
			if strings.Contains(text, "package page") {
				t.Error("a source file was served")
			}
			if strings.HasPrefix(row.path, "/v1/") && !strings.Contains(text, `"status":`) {
				t.Errorf("no problem of RFC 9457: %.300s", text)
			}
		})
	}
}

// A code that was made before the owner's key was replaced signs nobody in.
func TestACodeEndsWithTheOwnersKey(t *testing.T) {
	v := newHome(t, "turns: [{text: hi}]").start()
	old := v.server.Auth().Code()
	if _, err := NewKey(filepath.Dir(v.server.Auth().keyFile), v.server.Auth().keyFile); err != nil {
		t.Fatal(err)
	}
	if status, _ := v.request("POST", "/v1/sign-in", `{"key":"`+old+`"}`, noKey); status != 401 {
		t.Error("a code worked that was made before the owner's key was replaced:", status)
	}
}

// A browser signs in with a code, which works once; the cookie is of no use to scripts or other sites.
func TestACodeSignsInOneBrowser(t *testing.T) {
	v := newHome(t, "turns: [{text: hi}]").start()
	code := v.server.Auth().Code()
	r, err := http.NewRequestWithContext(t.Context(), "POST", v.url+"/v1/sign-in", strings.NewReader(`{"key":"`+code+`"}`))
	if err != nil {
		t.Fatal(err)
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	answer.Body.Close()
	cookies := answer.Cookies()
	if answer.StatusCode != 200 || len(cookies) != 1 {
		t.Fatal(answer.Status, cookies)
	}
	c := cookies[0]
	if !c.HttpOnly || c.SameSite != http.SameSiteStrictMode || c.Path != "/" || strings.Contains(c.Value, code) {
		t.Error(c)
	}
	with := func(r *http.Request) { noKey(r); r.AddCookie(&http.Cookie{Name: c.Name, Value: c.Value}) }
	if status, text := v.request("GET", "/v1/me", "", with); status != 200 {
		t.Error(status, text)
	}
	if status, _ := v.request("POST", "/v1/sign-in", `{"key":"`+code+`"}`); status != 401 {
		t.Error("the code worked twice:", status)
	}
	v.stop()
	v = v.home.start() // another port, so another name of the cookie
	named := func(r *http.Request) {
		noKey(r)
		r.AddCookie(&http.Cookie{Name: "rein-" + v.url[strings.LastIndexByte(v.url, ':')+1:], Value: c.Value})
	}
	if status, _ := v.request("GET", "/v1/me", "", named); status != 200 {
		t.Error("the browser is signed out by a restart:", status)
	}
	v.request("POST", "/v1/sign-out", "{}", named)
	if status, _ := v.request("GET", "/v1/me", "", named); status != 401 {
		t.Error("the cookie works after the sign-out:", status)
	}
}

func TestWrongKeysAreSlowedDown(t *testing.T) {
	v := newHome(t, "turns: [{text: hi}]").start()
	last := 0
	for range freeFailures + 1 {
		last, _ = v.request("POST", "/v1/sign-in", `{"key":"guess"}`, noKey)
	}
	if last != http.StatusTooManyRequests {
		t.Error(last)
	}
	for range freeFailures + 1 {
		v.request("GET", "/v1/me", "", header("Authorization", "Bearer guess"))
	}
	noted := 0
	for _, e := range ask[[]api.Entry](v, "GET", "/v1/audit", nil) {
		if e.What == "refused_sign_in" || e.What == "refused_key" {
			noted++
		}
	}
	if noted != freeFailures { // both ways of one address
		t.Errorf("%d wrong keys are in the audit log", noted)
	}
}

// Wrong keys of others behind the same address lock nobody out who has a right one.
func TestARightKeyAlwaysCounts(t *testing.T) {
	v := newHome(t, "turns: [{text: hi}]").start()
	for range 3 * freeFailures {
		v.request("POST", "/v1/sign-in", `{"key":"guess"}`, noKey)
		v.request("GET", "/v1/me", "", header("Authorization", "Bearer guess"))
	}
	if status, _ := v.request("GET", "/v1/me", ""); status != http.StatusOK {
		t.Error("in a header:", status)
	}
	if status, _ := v.request("POST", "/v1/sign-in", `{"key":"`+v.key+`"}`, noKey); status != http.StatusOK {
		t.Error("to sign in:", status)
	}
}

// A wrong input has a type, and little of it comes back.
func TestAWrongInputIsNotEchoed(t *testing.T) {
	v := newHome(t, "turns: [{text: hi}]").start()
	long := strings.Repeat("é", 5000)
	for _, body := range []string{`{"text":5,"x":"` + long + `"}`, `{"dir":["` + long + `"]}`, `{"` + long + `":1}`, long, ""} {
		status, text := v.request("POST", "/v1/sessions", body)
		if status < 400 || !strings.Contains(text, `"type":"urn:rein:problem:`) || len(text) > 2000 {
			t.Errorf("%.20q: %d, %d bytes: %.300s", body, status, len(text), text)
		}
	}
}

func TestWhatIsForTLSOnly(t *testing.T) {
	for _, row := range []struct {
		over  *tls.ConnectionState
		trust bool
		proto []string
		want  bool
	}{
		{nil, false, nil, false}, {&tls.ConnectionState{}, false, nil, true},
		{nil, false, []string{"https"}, false}, {nil, true, []string{"https"}, true}, {nil, true, []string{"http"}, false}, {nil, true, []string{"https, http"}, false}, // behind a proxy
	} {
		s := &requestChecks{TrustProxy: row.trust, Limits: func() requestLimits { return requestLimits{} }}
		r, w := httptest.NewRequest("GET", "/", nil), httptest.NewRecorder()
		r.TLS, r.Header["X-Forwarded-Proto"] = row.over, row.proto
		s.Secure(http.NotFoundHandler()).ServeHTTP(w, r)
		if got := w.Header().Get("Strict-Transport-Security"); (got != "") != row.want {
			t.Errorf("%+v: %q", row, got)
		}
		if c := s.cookie(r, "x", time.Hour); c.Secure != row.want || strings.HasPrefix(c.Name, "__Host-") != row.want {
			t.Errorf("%+v: %v", row, c)
		}
	}
}

func TestChangesAreLimited(t *testing.T) {
	h := newHome(t, "turns: [{text: hi}]")
	h.options.Limits.Changes = 3
	v := h.start()
	v.until("too many changes in a second", func() bool {
		for range 4 {
			if status, _ := v.request("POST", "/v1/sessions/nothing/cancel", "{}"); status == http.StatusTooManyRequests {
				return true
			}
		}
		return false
	})
}

// What a user may not do is refused, whatever the way.
func TestRolesAndWorkspaces(t *testing.T) {
	v := newHome(t, asksOnce).start()
	key := func(name string, role Role, dirs ...string) func(*http.Request) {
		k, err := v.server.Auth().Add(User{Name: name, Role: role, Workspaces: dirs})
		if err != nil {
			t.Fatal(err)
		}
		return header("Authorization", "Bearer "+k)
	}
	viewer, approver, stranger := key("vera", RoleViewer), key("mei", roleApprover), key("sam", roleOperator, "/elsewhere")
	s := ask[api.Session](v, "POST", "/v1/sessions", api.NewSession{Text: "go"})
	r := v.pending()
	answer := "/v1/inbox/" + r.Session + "/" + r.Call
	approve := `{"choice":"approved","hash":"` + r.Hash + `"}`
	for _, row := range []struct {
		name, method, path, body string
		who                      func(*http.Request)
		want                     int
	}{
		{"a viewer reads", "GET", "/v1/sessions/" + s.ID + "/events", "", viewer, 200},
		{"a viewer downloads", "GET", "/v1/sessions/" + s.ID + "/files/x", "", viewer, 403},
		{"an approver downloads", "GET", "/v1/sessions/" + s.ID + "/files/x", "", approver, 403},
		{"a user of another directory downloads", "GET", "/v1/sessions/" + s.ID + "/files/x", "", stranger, 404},
		{"a viewer answers", "POST", answer, approve, viewer, 403},
		{"a viewer answers several", "POST", "/v1/inbox", `{"choice":"denied","calls":[{"session":"` + r.Session + `","call":"` + r.Call + `","hash":"` + r.Hash + `"}]}`, viewer, 403},
		{"a viewer sends", "POST", "/v1/sessions/" + s.ID + "/messages", `{"text":"x"}`, viewer, 403},
		{"a viewer reads the audit log", "GET", "/v1/audit", "", viewer, 403},
		{"an approver starts a session", "POST", "/v1/sessions", `{}`, approver, 403},
		{"an approver cancels", "POST", "/v1/sessions/" + s.ID + "/cancel", "", approver, 403},
		{"a user of another workspace reads", "GET", "/v1/sessions/" + s.ID, "", stranger, 404},
		{"a user of another workspace reads events", "GET", "/v1/sessions/" + s.ID + "/events", "", stranger, 404},
		{"a user of another workspace watches", "GET", "/v1/events?watch=s:" + s.ID, "", stranger, 404},
		{"a user of another workspace answers", "POST", answer, approve, stranger, 404},
		{"a user of another workspace starts here", "POST", "/v1/sessions", `{"dir":"` + v.home.dir + `"}`, stranger, 422},
		{"an approver answers", "POST", answer, approve, approver, 200},
	} {
		if status, text := v.request(row.method, row.path, row.body, row.who); status != row.want {
			t.Errorf("%s: %d, want %d: %s", row.name, status, row.want, text)
		}
	}
	if _, text := v.request("GET", "/v1/inbox", "", stranger); !strings.Contains(text, `"requests":[]`) {
		t.Error("a user sees requests of another workspace:", text)
	}
	v.state(s.ID, api.Idle)
	_, log := v.request("GET", "/v1/audit", "")
	if !strings.Contains(log, "approved by user mei") {
		t.Error("the audit log does not name who answered:", log)
	}
	v.stop()
	v = v.home.start() // the session is only recorded now
	for _, path := range []string{"/v1/sessions/" + s.ID, "/v1/sessions/" + s.ID + "/events", "/v1/sessions/" + s.ID + "/export", "/v1/events?watch=s:" + s.ID} {
		if status, text := v.request("GET", path, "", stranger); status != 404 {
			t.Errorf("a user of another workspace reads a recorded session: %s: %d %.200s", path, status, text)
		}
	}
	if err := v.server.Auth().Remove("vera"); err != nil {
		t.Fatal(err)
	}
	if status, _ := v.request("GET", "/v1/me", "", viewer); status != 401 {
		t.Error("a removed user can still read:", status)
	}
}

// A client that never ends its headers is cut off.
func TestSlowHeadersAreCutOff(t *testing.T) {
	if testing.Short() {
		t.Skip("takes as long as the limit")
	}
	v := newHome(t, "turns: [{text: hi}]").start()
	c, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", strings.TrimPrefix(v.url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if _, err := c.Write([]byte("GET / HTTP/1.1\r\nHost: x\r\n")); err != nil {
		t.Fatal(err)
	}
	_ = c.SetReadDeadline(time.Now().Add(headerTime + 5*time.Second))
	begun := time.Now()
	buffer := make([]byte, 1000)
	for err == nil {
		_, err = c.Read(buffer)
	}
	if after := time.Since(begun); after > headerTime+3*time.Second {
		t.Error("the connection stayed open for", after)
	}
}

// Who is removed, or signs out, sees nothing more in a stream that is open already.
func TestAStreamEndsWithTheRightToSeeIt(t *testing.T) {
	v := newHome(t, "turns: [{text: hi}]").start()
	key, err := v.server.Auth().Add(User{Name: "mei", Role: RoleViewer})
	if err != nil {
		t.Fatal(err)
	}
	withKey := header("Authorization", "Bearer "+key)
	answer, err := http.Post(v.url+"/v1/sign-in", "application/json", strings.NewReader(`{"key":"`+v.key+`"}`))
	if err != nil {
		t.Fatal(err)
	}
	answer.Body.Close()
	withCookie := func(r *http.Request) {
		r.Header.Del("Authorization")
		r.AddCookie(answer.Cookies()[0])
	}
	streams := []*openStream{v.watch("watch=sessions", withKey), v.watch("watch=sessions", withCookie)}
	for _, w := range streams {
		for m := w.next(); m.name != "sessions"; m = w.next() {
		}
	}
	if err := v.server.Auth().Remove("mei"); err != nil {
		t.Fatal(err)
	}
	if status, text := v.request("POST", "/v1/sign-out", "{}", withCookie, header("Origin", strings.TrimSuffix(v.url, "/"))); status >= 300 {
		t.Fatal(status, text)
	}
	ask[api.Session](v, "POST", "/v1/sessions", api.NewSession{Text: "a secret"})
	ana, err := v.server.Auth().Add(User{Name: "ana", Role: RoleViewer})
	if err != nil {
		t.Fatal(err)
	}
	quiet := v.watch("watch=s:none,inbox", header("Authorization", "Bearer "+ana))
	for m := quiet.next(); m.name != "inbox"; m = quiet.next() {
	}
	begun := time.Now()
	if err := v.server.Auth().Remove("ana"); err != nil {
		t.Fatal(err)
	}
	for m := quiet.next(); m.name != ""; m = quiet.next() {
	}
	if after := time.Since(begun); after > api.Heartbeat/2 {
		t.Error("a stream in which nothing happens ended after", after)
	}
	for i, w := range streams {
		for m := w.next(); m.name != ""; m = w.next() {
			if strings.Contains(m.data, "a secret") {
				t.Errorf("stream %d: it shows %s", i, m.data)
				break
			}
		}
	}
}
