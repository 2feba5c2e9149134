package server

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"rein/app/server/api"
	"rein/app/settings"
)

// A webhook gets the request, the answer and the end of the turn, in this order, signed; no secret and nothing that it does not
// want. What could not be delivered comes after a restart.
func TestWebhooksGetRequestsAnswersAndEnds(t *testing.T) {
	var mu sync.Mutex
	var got []webhookMessage
	down := false
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		mu.Lock()
		defer mu.Unlock()
		if down {
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		var m webhookMessage
		if err := json.Unmarshal(body, &m); err != nil || !strings.HasPrefix(r.Header.Get("X-Rein-Signature"), "sha256=") {
			t.Error(err, r.Header)
		}
		got = append(got, m)
	}))
	t.Cleanup(web.Close)
	kinds := func() string {
		mu.Lock()
		defer mu.Unlock()
		var all []string
		for _, m := range got {
			all = append(all, m.Kind)
		}
		return strings.Join(all, " ")
	}
	t.Setenv("HOOK_KEY", "0123456789abcdef")
	h := newHome(t, asksOnce+"  - text: more\n")
	h.options.Settings = given(settings.Server{URL: "https://rein.example/", Webhooks: []settings.Webhook{{URL: web.URL, KeyEnv: "HOOK_KEY"}, {URL: web.URL + "/none", On: []string{"end"}, Dirs: []string{"/elsewhere"}, KeyEnv: "HOOK_KEY"}}})
	v := h.start()
	s := ask[api.Session](v, "POST", "/v1/sessions", api.NewSession{Text: "go"})
	r := v.pending()
	v.until("the request is sent", func() bool { return kinds() == "request" })
	ask[api.Answered](v, "POST", "/v1/inbox/"+r.Session+"/"+r.Call, api.Answer{Choice: "approved", Hash: r.Hash})
	v.until("all are sent", func() bool { return kinds() == "request answered end" })
	mu.Lock()
	if m := got[0]; m.Session != s.ID || m.Link != "https://rein.example/s/"+s.ID || !strings.Contains(m.Text, "git push") || m.ID == got[1].ID {
		t.Errorf("%+v", m)
	}
	if m := got[1]; !strings.Contains(m.Text, "approved by user") {
		t.Errorf("%+v", m)
	}
	if m := got[2]; m.Text != "All good." || m.Title != "go" {
		t.Errorf("%+v", m)
	}
	down, got = true, nil
	mu.Unlock()
	v.state(s.ID, api.Idle)
	ask[api.Sent](v, "POST", "/v1/sessions/"+s.ID+"/messages", api.NewMessage{Text: "more"})
	v.until("it waits", func() bool { return v.server.config.now.Load().hooks.Waiting() == 1 })
	v.stop()
	mu.Lock()
	down = false
	mu.Unlock()
	v = h.start()
	v.until("it is sent after the restart", func() bool { return kinds() == "end" })
}

func TestAWebhookWithoutItsKeyIsRefused(t *testing.T) {
	h := newHome(t, "turns: [{text: hi}]")
	o := h.options
	o.Harness.Dir, o.Harness.Dirs, o.Harness.Model, o.Harness.Sandbox = h.dir, h.dirs, "script/"+h.script, "off"
	o.Settings = given(settings.Server{Webhooks: []settings.Webhook{{URL: "https://hooks.example/x", KeyEnv: "NO_SUCH_KEY"}}})
	if _, err := New(t.Context(), o); err == nil || !strings.Contains(err.Error(), "NO_SUCH_KEY") {
		t.Error(err)
	}
}
