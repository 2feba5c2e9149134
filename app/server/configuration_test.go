package server

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"rein/app/server/api"
	"rein/app/settings"
)

// limitsOf writes limits of the server into the user's settings.
func (h *home) limitsOf(text string) {
	h.t.Helper()
	if err := os.MkdirAll(h.dirs.Config, 0o700); err != nil {
		h.t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(h.dirs.Config, "settings.json"), []byte(text), 0o600); err != nil {
		h.t.Fatal(err)
	}
	h.options.Settings = func() (settings.Server, error) {
		layers, _, err := settings.Load(h.dirs, "")
		return settings.Merge(layers).Server, err
	}
}

func TestSettingsAreReadAgain(t *testing.T) {
	h := newHome(t, "pace: 20ms\ndelta: 1\nturns: [{text: a long answer that is still being written while the settings change}, {text: two}, {text: three}]").unlimited()
	h.limitsOf(`{"server":{"limits":{"queue":1}},"mode":"supervised"}`)
	v := h.start()
	before := ask[api.Session](v, "POST", "/v1/sessions", api.NewSession{Text: "go"})
	h.limitsOf(`{"server":{"limits":{"queue":3}},"mode":"plan"}`)
	ask[api.Reload](v, "POST", "/v1/settings/reload", api.Reload{})
	if n := v.server.config.limits().Queue; n != 3 {
		t.Errorf("the queue has %d places", n)
	}
	if mode := ask[[]api.Workspace](v, "GET", "/v1/workspaces", nil)[0].Mode; mode != "plan" {
		t.Errorf("new sessions have the mode %s", mode)
	}
	after := ask[api.Session](v, "POST", "/v1/sessions", api.NewSession{})
	if after.Mode != "plan" || ask[api.Session](v, "GET", "/v1/sessions/"+before.ID, nil).Mode != "supervised" {
		t.Errorf("the modes: %s", after.Mode)
	}
	v.state(before.ID, api.Idle) // the session that was at work continued
	ask[api.Sent](v, "POST", "/v1/sessions/"+before.ID+"/messages", api.NewMessage{Text: "again"})
	v.state(before.ID, api.Idle)

	h.limitsOf(`{"server":{"limits":{"queue":-3}},"mode":"full"}`)
	if status, text := v.request("POST", "/v1/settings/reload", "{}"); status != http.StatusConflict || !strings.Contains(text, "limits") {
		t.Errorf("a fault: %d %s", status, text)
	}
	if mode := ask[[]api.Workspace](v, "GET", "/v1/workspaces", nil)[0].Mode; mode != "plan" || v.server.config.limits().Queue != 3 {
		t.Errorf("a file with a fault has changed something: %s", mode)
	}
	h.limitsOf(`{}`)
	for range 3 { // what is not used any more is closed
		if err := v.server.Reload(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if n := len(v.server.rooms.old); n > 1 {
		t.Errorf("%d harnesses stay open", n)
	}
}

// A call that waits for an approval while the settings are read again is answered and runs once.
func TestARequestSurvivesAReload(t *testing.T) {
	h := newHome(t, asksOnce)
	h.limitsOf(`{}`)
	v := h.start()
	ask[api.Reload](v, "POST", "/v1/settings/reload", api.Reload{})
	s := ask[api.Session](v, "POST", "/v1/sessions", api.NewSession{Text: "go"})
	r := v.pending()
	ask[api.Reload](v, "POST", "/v1/settings/reload", api.Reload{})
	ask[api.Answered](v, "POST", "/v1/inbox/"+r.Session+"/"+r.Call, api.Answer{Choice: "approved", Hash: r.Hash})
	v.state(s.ID, api.Idle)
	if n := v.lines("done.txt"); n != 1 {
		t.Errorf("the call ran %d times", n)
	}
}

// Each limit of the settings holds.
func TestLimitsOfTheSettings(t *testing.T) {
	h := newHome(t, "pace: 50ms\ndelta: 1\nturns: [{text: this takes a very long time to write}, {text: x}, {text: x}]")
	h.options.Limits.Changes = 0
	h.limitsOf(`{"server":{"limits":{"body":3000,"upload":2000,"streams":1,"changes":1000000,"queue":1,"idle":"90s"}}}`)
	v := h.start()
	if idle := v.server.config.limits().Idle; idle != 90*time.Second { // TestAnIdleSessionIsClosed shows what it does
		t.Errorf("idle is %v", idle)
	}
	s := ask[api.Session](v, "POST", "/v1/sessions", api.NewSession{Text: "go"})
	path := "/v1/sessions/" + s.ID
	for _, c := range []struct {
		name, path, body string
		status           int
	}{
		{"a body", path + "/messages", `{"text":"` + strings.Repeat("x", 2900) + `"}`, 202},
		{"the queue is full", path + "/messages", `{"text":"x"}`, 429},
		{"a body over the limit", path + "/messages", `{"text":"` + strings.Repeat("x", 3000) + `"}`, 413},
		{"a file", path + "/attachments", `{"name":"a.txt","data":"` + strings.Repeat("aGlo", 500) + `"}`, 201},
		{"a file over the limit", path + "/attachments", `{"name":"a.txt","data":"` + strings.Repeat("aGlo", 2000) + `"}`, 413},
	} {
		if status, text := v.request("POST", c.path, c.body); status != c.status {
			t.Errorf("%s: %d %s", c.name, status, text)
		}
	}
	v.watch("watch=inbox")
	if status, _ := v.request("GET", "/v1/events?watch=inbox", ""); status != http.StatusTooManyRequests {
		t.Errorf("a second stream: %d", status)
	}
	h.limitsOf(`{"server":{"limits":{"changes":1}}}`)
	if err := v.server.Reload(t.Context()); err != nil {
		t.Fatal(err)
	}
	v.until("too many changes", func() bool {
		status, _ := v.request("POST", "/v1/sessions/nothing/cancel", "{}")
		return status == http.StatusTooManyRequests
	})
}

// TestMessagesAreSentAfterAReloadThatFails: the webhooks of before continue.
func TestMessagesAreSentAfterAReloadThatFails(t *testing.T) {
	got := make(chan struct{}, 10)
	web := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { got <- struct{}{} }))
	t.Cleanup(web.Close)
	h := newHome(t, "turns: [{text: hi}]")
	set := settings.Server{Webhooks: []settings.Webhook{{URL: web.URL}}}
	h.options.Settings = func() (settings.Server, error) { return set, nil }
	v := h.start()
	set.Webhooks = append(set.Webhooks, settings.Webhook{URL: web.URL + "/more"})
	if err := os.WriteFile(filepath.Join(v.server.o.Dir, "webhooks", newID(web.URL+"/more")), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if status, text := v.request("POST", "/v1/settings/reload", "{}"); status != http.StatusConflict || !strings.Contains(text, "webhooks") {
		t.Fatalf("%d %s", status, text)
	}
	ask[api.Session](v, "POST", "/v1/sessions", api.NewSession{Text: "go"})
	select {
	case <-got:
	case <-time.After(time.Minute):
		t.Error("no message comes any more")
	}
}
