package server

import (
	"testing"

	"rein/app/harness"
	"rein/app/inbox"
	"rein/app/server/api"
	"rein/tool"
)

// The form of a tool server is gone when the process that showed it is: the server that asked has ended with it.
func TestAFormDoesNotOutliveItsSessionsProcess(t *testing.T) {
	h := newHome(t, "turns: [{text: hi}]")
	v := h.start()
	s := ask[api.Session](v, "POST", "/v1/sessions", map[string]string{"text": "go"})
	v.state(s.ID, api.Idle)
	v.stop()
	put := func(call, name string) {
		q := &tool.Questions{From: "the tool server s", List: []tool.Question{{Text: "Which?"}}}
		if err := inbox.New(h.dirs.Sessions).Put(inbox.Request{Session: s.ID, Call: call, Tool: name, Dir: h.dir, Hash: "x", Intent: tool.Intent{Questions: q}}); err != nil {
			t.Fatal(err)
		}
	}
	put("form", harness.FormTool)
	put("question", "ask_user")
	v = h.start()
	if r := v.pending(); r.Call != "question" {
		t.Errorf("%+v", r)
	}
	if n := len(ask[api.Requests](v, "GET", "/v1/inbox", nil).Requests); n != 1 {
		t.Errorf("%d requests wait", n)
	}
}
