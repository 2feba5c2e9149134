package server

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"rein/app/server/api"
	"rein/app/settings"
)

// phone gets webhooks and opens their links.
type phone struct {
	*served
	mu   sync.Mutex
	urls []string
}

// newPhone starts a server whose requests go to a phone with links that hold for a time.
func newPhone(t *testing.T, script string, valid time.Duration) *phone {
	p := &phone{}
	bot := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		var m webhookMessage
		if err := json.NewDecoder(r.Body).Decode(&m); err != nil {
			t.Error(err)
		}
		p.mu.Lock()
		defer p.mu.Unlock()
		if p.urls = append(p.urls, m.Answer); (m.Answer != "") != (m.Kind == webhookRequest) {
			t.Errorf("the link of a message %s: %q", m.Kind, m.Answer)
		}
	}))
	t.Cleanup(bot.Close)
	h := newHome(t, script)
	h.options.Settings = given(settings.Server{URL: "http://rein.example", Webhooks: []settings.Webhook{{URL: bot.URL, On: []string{"request"}, AnswerLinks: settings.Duration(valid)}}})
	p.served = h.start()
	return p
}

// path waits for the link of a message; n counts from 1.
func (p *phone) path(n int) (path string) {
	p.Helper()
	p.until("a link", func() bool {
		p.mu.Lock()
		defer p.mu.Unlock()
		if len(p.urls) < n {
			return false
		}
		path = strings.TrimPrefix(p.urls[n-1], "http://rein.example")
		return true
	})
	return path
}

func (p *phone) open(path string, change ...func(*http.Request)) (int, string) {
	p.Helper()
	return p.request("GET", path, "", append(change, noKey)...)
}

func (p *phone) post(path string, form url.Values, change ...func(*http.Request)) (int, string) {
	p.Helper()
	return p.request("POST", path, form.Encode(), append([]func(*http.Request){noKey, header("Content-Type", "application/x-www-form-urlencoded")}, change...)...)
}

func TestALinkAnswersOnce(t *testing.T) {
	p := newPhone(t, `turns:
  - text: I append a line.
    calls: [{name: bash, args: {command: "git push origin main; echo '<script>alert(1)</script>' >> done.txt"}}]
  - text: All good.
`, time.Hour)
	s := ask[api.Session](p.served, "POST", "/v1/sessions", api.NewSession{Text: "go <b>\u202enow</b>"})
	r := p.pending()
	path := p.path(1)
	for range 3 { // what opens it answers nothing
		status, text := p.open(path, header("Sec-Purpose", "prefetch"), header("Sec-Fetch-Site", "cross-site"))
		if status != http.StatusOK || !strings.Contains(text, "git push origin main") || !strings.Contains(text, r.Hash) {
			t.Fatalf("%d %s", status, text)
		}
		if strings.Contains(text, "<script") || strings.Contains(text, "<b>") || strings.Contains(text, "\u202e") || !strings.Contains(text, "&lt;script&gt;") {
			t.Errorf("text of the model is in the page as it is: %s", text)
		}
	}
	if _, text := p.open(path, header("Accept-Language", "zh-CN,zh")); !strings.Contains(text, "允许一次") {
		t.Error("there is no Chinese page")
	}
	if got := p.pending(); got.Hash != r.Hash || p.lines("done.txt") != 0 {
		t.Fatal("opening the link has answered")
	}
	for name, form := range map[string]url.Values{
		"no hash": {"choice": {"approved"}}, "another hash": {"choice": {"approved"}, "hash": {"0"}}, "for the session": {"choice": {"approved_session"}, "hash": {r.Hash}},
	} {
		if status, _ := p.post(path, form); status != http.StatusGone {
			t.Errorf("%s: %d", name, status)
		}
	}
	approve := url.Values{"choice": {"approved"}, "hash": {r.Hash}}
	if status, _ := p.post(path, approve, header("Sec-Fetch-Site", "cross-site")); status != http.StatusForbidden {
		t.Errorf("a form of another site: %d", status)
	}
	answers := make(chan int, 4)
	for range 4 {
		go func() { status, _ := p.post(path, approve); answers <- status }()
	}
	ok := 0
	for range 4 {
		if <-answers == http.StatusOK {
			ok++
		}
	}
	p.state(s.ID, api.Idle)
	if n := p.lines("done.txt"); ok != 1 || n != 1 {
		t.Errorf("%d answers counted, the call ran %d times", ok, n)
	}
	if status, text := p.open(path); status != http.StatusGone || strings.Contains(text, "git push") {
		t.Errorf("a used link: %d %s", status, text)
	}
	found := false
	for _, e := range ask[[]struct{ Who, What, Through, Hash string }](p.served, "GET", "/v1/audit", nil) {
		found = found || e.What == "answered" && e.Through == "link" && strings.HasPrefix(e.Who, "link@127.0.0.1") && e.Hash == r.Hash
	}
	if !found {
		t.Error("the audit log does not have the answer")
	}
}

func TestCaretsOnThePageOfALink(t *testing.T) {
	for _, c := range []struct{ name, command, lines, want string }{
		{"what they point at is marked", "git push; ls", "bash|  git push; ls|  ^^^^^^^^|  runs git", "bash|  <mark>git push</mark>; ls|  runs git"},
		{"two places", "rm a & rm b", "  rm a & rm b|  ^^^^   ^^^^", "  <mark>rm a</mark> &amp; <mark>rm b</mark>"},
		{"wide letters", "echo 中; rm b", "  echo 中; rm b|          ^^^^", "  echo 中; <mark>rm b</mark>"},
		{"a line of the command that looks like carets stays", "echo a\n^^^^\nls", "  echo a|  ^^^^|  ls", "  echo a|  ^^^^|  ls"},
		{"also below carets", "echo a\n^^^^", "  echo a|  ^^^^|  ^^^^", "  echo a|  <mark>^^^^</mark>"},
		{"a request without a command", "", "write_file|  ^^^^", "write_file|  ^^^^"},
	} {
		if got := strings.Join(markedLines(strings.Split(c.lines, "|"), c.command), "|"); got != c.want {
			t.Errorf("%s: %s", c.name, got)
		}
	}
}

func TestALinkDeniesWithWordsAfterARestart(t *testing.T) {
	p := newPhone(t, `turns:
  - calls: [{name: bash, args: {command: "git push origin main; echo x >> done.txt"}}]
  - expect: {contains: not on a friday}
    text: I wait.
`, time.Hour)
	s := ask[api.Session](p.served, "POST", "/v1/sessions", api.NewSession{Text: "go"})
	r := p.pending()
	path := p.path(1)
	kept, err := os.ReadFile(filepath.Join(p.home.dirs.State, "server", "links.json"))
	if err != nil || strings.Contains(string(kept), strings.TrimPrefix(path, "/answer/")) {
		t.Errorf("the file has the token: %s %v", kept, err)
	}
	p.stop()
	p.served = p.home.start()
	if status, _ := p.post(path, url.Values{"choice": {"denied"}, "hash": {r.Hash}, "words": {"not on a friday"}}); status != http.StatusOK {
		t.Fatal(status)
	}
	p.state(s.ID, api.Idle)
	if p.lines("done.txt") != 0 {
		t.Error("a denied call ran")
	}
}

func TestLinksThatDoNotCount(t *testing.T) {
	p := newPhone(t, asksOnce, time.Hour)
	s := ask[api.Session](p.served, "POST", "/v1/sessions", api.NewSession{Text: "go"})
	r := p.pending()
	form := url.Values{"choice": {"approved"}, "hash": {r.Hash}}
	if status, _ := p.post("/answer/nothing", form); status != http.StatusGone {
		t.Errorf("an unknown link: %d", status)
	}
	for name, target := range map[string]linkTarget{
		"expired":            {Dir: p.home.dir, Session: r.Session, Call: r.Call, Hash: r.Hash, Expires: time.Now().Add(-time.Second)},
		"another request":    {Dir: p.home.dir, Session: r.Session, Call: r.Call, Hash: "0", Expires: time.Now().Add(time.Hour)},
		"another workspace":  {Dir: "/elsewhere", Session: r.Session, Call: r.Call, Hash: r.Hash, Expires: time.Now().Add(time.Hour)},
		"a call that is not": {Dir: p.home.dir, Session: r.Session, Call: "x", Hash: r.Hash, Expires: time.Now().Add(time.Hour)},
	} {
		token, err := p.server.config.links.New(target)
		if err != nil {
			t.Fatal(err)
		}
		if status, text := p.open("/answer/" + token); status != http.StatusGone || strings.Contains(text, "git push") {
			t.Errorf("%s: %d %s", name, status, text)
		}
		if status, _ := p.post("/answer/"+token, form); status != http.StatusGone {
			t.Errorf("%s: %d", name, status)
		}
	}
	answer, err := http.Get(p.url + p.path(1))
	if err != nil {
		t.Fatal(err)
	}
	_, _ = io.Copy(io.Discard, answer.Body)
	answer.Body.Close()
	if policy := answer.Header.Get("Content-Security-Policy"); !strings.Contains(policy, "default-src 'none'") || answer.Header.Get("Cache-Control") != "no-store" || answer.Header.Get("Set-Cookie") != "" {
		t.Errorf("%v", answer.Header)
	}
	if got := p.pending(); got.Hash != r.Hash {
		t.Error("it is answered")
	}
	ask[api.Answered](p.served, "POST", "/v1/inbox/"+r.Session+"/"+r.Call, api.Answer{Choice: "denied", Hash: r.Hash})
	p.state(s.ID, api.Idle)
	if status, _ := p.post(p.path(1), form); status != http.StatusGone {
		t.Errorf("a request that was answered elsewhere: %d", status)
	}
}
