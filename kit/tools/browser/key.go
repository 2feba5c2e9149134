package browser

import (
	"context"
	"encoding/json"
)

// keyUser is the name that goes with the key; the proxy does not look at it.
const keyUser = "browser"

// identify shows the proxy the key of the browser, in a tab that is closed again. The browser remembers it as the password of
// its proxy, and sends it with all requests from then on.
func (r *running) identify(ctx context.Context, k Key) error {
	t, err := r.openTab(ctx)
	if err != nil {
		return err
	}
	t.mu.Lock()
	t.key = k.Password
	t.mu.Unlock()
	if err := r.conn.Call(ctx, t.session, "Fetch.enable", map[string]any{"handleAuthRequests": true}, nil); err != nil {
		return err
	}
	// The answer has no content, so the page stays as it is: what the browser says about that does not matter.
	if err := r.conn.Call(ctx, t.session, "Page.navigate", map[string]any{"url": k.Address}, nil); err != nil {
		return err
	}
	if _, err := r.openTab(ctx); err != nil { // a browser without a tab could end
		return err
	}
	return r.closeTab(ctx, t)
}

// paused continues with a request of the tab that shows the key. The reader of events must not wait for an answer.
func (t *tab) paused(e cdpEvent) {
	var p struct {
		RequestID     string
		AuthChallenge struct{ Source string }
	}
	_ = json.Unmarshal(e.Params, &p)
	method, params := "Fetch.continueRequest", map[string]any{"requestId": p.RequestID}
	if e.Method == "Fetch.authRequired" {
		method = "Fetch.continueWithAuth"
		params["authChallengeResponse"] = map[string]any{"response": "CancelAuth"}
		if p.AuthChallenge.Source == "Proxy" {
			params["authChallengeResponse"] = map[string]any{"response": "ProvideCredentials", "username": keyUser, "password": t.key}
		}
	}
	go func() { _ = t.r.conn.Call(context.Background(), t.session, method, params, nil) }() // it ends with the browser
}
