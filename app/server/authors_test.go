package server

import (
	"net/http"
	"strings"
	"testing"

	"rein/app/server/api"
	"rein/event"
)

// The journal says which user wrote a message, at once or for the next request, and which one changed a call; an export names them.
func TestWhoWroteAndWhoChanged(t *testing.T) {
	v := newHome(t, asksOnce).start()
	mei := v.as(roleOperator)
	do := func(path, body string, change ...func(*http.Request)) {
		t.Helper()
		if status, text := v.request("POST", path, body, change...); status >= 300 {
			t.Fatalf("%s: %d %s", path, status, text)
		}
	}
	id := ask[api.Session](v, "POST", "/v1/sessions", api.NewSession{}).ID
	do("/v1/sessions/"+id+"/messages", `{"text": "of mei"}`, mei)
	r := v.pending()
	do("/v1/sessions/"+id+"/messages", `{"text": "of the owner", "steer": true}`)
	do("/v1/inbox/"+r.Session+"/"+r.Call, `{"choice": "approved", "hash": "`+r.Hash+`", "args": {"command": "pwd"}}`, mei)
	by := map[string]string{}
	v.until("the message is there", func() bool {
		for e, err := range v.server.rooms.all[0].newest().Events(id, 0) {
			if err == nil && (e.Kind == event.Prompted || e.Kind == event.ApprovalVoid) {
				by[e.Text] = e.By
			}
		}
		return by["of the owner"] != ""
	})
	if by["of mei"] != "user operator" || by["of the owner"] != "user" || by["The user changed the call."] != "user operator" {
		t.Errorf("%q", by)
	}
	if _, text := v.request("GET", "/v1/sessions/"+id+"/export", ""); !strings.Contains(text, "## User operator ·") || !strings.Contains(text, "\nchanged by user operator") || !strings.Contains(text, "## User ·") {
		t.Error(text)
	}
}
