package client_test

import (
	"context"
	"errors"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"testing"
	"time"

	"rein/app/client"
	"rein/app/server/api"
	"rein/event"
	"rein/guard"
)

// One connection brings the events, the requests and the session. When it breaks, the watcher learns it, and then gets what it
// missed, once.
func TestAWatcherLearnsAllAndThatItIsCutOff(t *testing.T) {
	c := serve(t, `turns:
  - calls: [{name: bash, args: {command: "git push origin main; echo x >> done.txt"}}]
  - text: Done.
`)
	s, err := c.Start(t.Context(), api.NewSession{})
	if err != nil {
		t.Fatal(err)
	}
	behind, err := url.Parse(c.URL)
	if err != nil {
		t.Fatal(err)
	}
	forward := &httputil.ReverseProxy{FlushInterval: -1, Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(behind) }}
	between := httptest.NewServer(forward)
	defer between.Close()
	far := &client.Client{URL: between.URL, Key: c.Key}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	whole, lost, made, seq, changed, over := 0, 0, 0, int64(0), false, false
	var open *api.Request
	for seen, err := range far.Watch(ctx, s.ID) {
		if err != nil {
			t.Fatal(err)
		}
		switch {
		case seen.Server != nil:
			made++
		case seen.Lost != nil:
			lost++
		case seen.Session != nil:
			changed = changed || seen.Session.State == api.Waiting
		case seen.Whole:
			if whole++; whole == 1 {
				_, err = c.Send(ctx, s.ID, api.NewMessage{Text: "go"})
			}
		case seen.Requests != nil:
			for _, r := range seen.Requests.Requests.Requests {
				if r.Shown.Command == "" || len(r.Shown.Effects) == 0 || r.Shown.Hash != r.Hash {
					t.Errorf("the request as data: %+v", r.Shown)
				}
				open = &r
			}
		case seen.Event.Seq > 0:
			if seen.Event.Seq != seq+1 {
				t.Fatalf("event %d came after %d", seen.Event.Seq, seq)
			}
			seq++
		}
		if open != nil && changed {
			between.CloseClientConnections()
			_, err = c.Answer(ctx, open.Session, open.Call, api.Answer{Choice: "approved", Hash: open.Hash, Scope: guard.Once})
			open = nil
		}
		if _, refused := errors.AsType[*client.Problem](err); err != nil && !refused { // it was answered before
			t.Fatal(err)
		}
		over = over || seen.Event != nil && seen.Event.Kind == event.Stopped
		if over && whole > 1 {
			break
		}
	}
	if lost == 0 || made != lost+1 || !changed {
		t.Errorf("connected %d times, lost %d, whole %d times, waiting seen: %v", made, lost, whole, changed)
	}
}
