package server

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"rein/app/server/api"
	"rein/event"
	"rein/journal"
)

// A message that a hook sees is shown while the hook works. What no model got, because the hook did not let it through or the turn was stopped before,
// stays with its file until it is taken back.
func TestAMessageThatAHookStopsStays(t *testing.T) {
	h := newHome(t, "turns: [{text: hi}]")
	h.write("../config/settings.json", `{"hooks": {"UserPromptSubmit": [{"hooks": [{"type": "command", "command": "if grep -q secret; then exit 2; fi; test -e go || sleep 60"}]}]}}`)
	v := h.start()
	id := ask[api.Session](v, "POST", "/v1/sessions", api.NewSession{}).ID
	file := ask[api.Attachment](v, "POST", "/v1/sessions/"+id+"/attachments", api.Upload{Name: "a.txt", Data: []byte("words")})
	ask[api.Sent](v, "POST", "/v1/sessions/"+id+"/messages", api.NewMessage{ID: "slow", Text: "slow words", Attachments: []string{file.ID}})
	now := func() api.Session { return ask[api.Session](v, "GET", "/v1/sessions/"+id, nil) }
	if s := now(); len(s.Queued) != 1 || s.Queued[0].Text != "slow words" || !s.Queued[0].Begun {
		t.Errorf("while the hook works: %+v", s.Queued)
	}
	ask[api.Session](v, "POST", "/v1/sessions/"+id+"/cancel", nil)
	v.until("the message is there", func() bool { s := now(); return len(s.Queued) == 0 && len(s.Unsent) == 1 })
	if q := ask[api.Queued](v, "DELETE", "/v1/sessions/"+id+"/messages/slow", nil); q.Text != "slow words" || len(q.Attached) != 1 {
		t.Errorf("%+v", q)
	}
	h.write("go", "")
	ask[api.Sent](v, "POST", "/v1/sessions/"+id+"/messages", api.NewMessage{Text: "a secret"})
	v.until("the other message is there", func() bool { s := now(); return !s.Working && len(s.Unsent) == 1 && s.Unsent[0].Text == "a secret" })
	for _, text := range []string{"good words", "/compact"} {
		ask[api.Sent](v, "POST", "/v1/sessions/"+id+"/messages", api.NewMessage{Text: text, Attachments: map[string][]string{"good words": {file.ID}}[text]})
		v.until("the turn ends", func() bool { return !now().Working })
	}
	if s := now(); len(s.Unsent) != 1 || len(s.Queued) != 0 {
		t.Errorf("%+v", s)
	}
	v.stop()
	v = h.start() // it is there after a restart, before and after the session is opened again
	if s := now(); len(s.Unsent) != 1 || s.Unsent[0].Text != "a secret" {
		t.Errorf("after a restart: %+v", s.Unsent)
	}
	if q := ask[api.Queued](v, "DELETE", "/v1/sessions/"+id+"/messages/"+now().Unsent[0].ID, nil); q.Text != "a secret" {
		t.Errorf("%+v", q)
	}
	if s := now(); len(s.Unsent) != 0 {
		t.Errorf("it was taken back: %+v", s.Unsent)
	}
}

// A stop drops the own messages that wait, which the client puts into its field. Those of others stay, as not sent.
func TestAStopKeepsMessagesOfOthers(t *testing.T) {
	h := newHome(t, "pace: 5s\nturns: [{text: an answer that takes time}]")
	v := h.start()
	id := ask[api.Session](v, "POST", "/v1/sessions", api.NewSession{}).ID
	l := v.server.sessions.running(id)
	for i, by := range []string{"mei", "mei", "ana", "ana"} {
		if _, err := l.send(User{Name: by}, api.NewMessage{Text: fmt.Sprint(by, i), Steer: i == 3}); err != nil {
			t.Fatal(err)
		}
		if i == 0 {
			v.until("the model has its request, to which no message comes any more", func() bool {
				for e := range journal.Read(filepath.Join(h.dirs.Sessions, id, journal.FileName)) {
					if e.Kind == event.Requested {
						return true
					}
				}
				return false
			})
		}
	}
	if q, ok := l.takeBack(l.queue[0].ID, "ana"); !ok || q.Text != "mei1" || len(l.unsent) != 1 || l.unsent[0].By != "mei" {
		t.Errorf("what another user takes back is lost: %+v, %v, %+v", q, ok, l.unsent)
	}
	if _, ok := l.takeBack(l.unsent[0].ID, "ana"); !ok || len(l.unsent) > 0 {
		t.Errorf("what is not sent stays: %+v", l.unsent)
	}
	l.interrupt("mei")
	s := v.state(id, api.Cancelled)
	if len(s.Queued) != 0 || len(s.Unsent) != 2 || !strings.Contains("ana2 ana3", s.Unsent[0].Text) || !strings.Contains("ana2 ana3", s.Unsent[1].Text) || s.Unsent[0].By != "ana" {
		t.Errorf("%+v, %+v", s.Queued, s.Unsent)
	}
}
