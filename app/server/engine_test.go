package server

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"rein/app/inbox"
	"rein/app/server/api"
	"rein/event"
	"rein/guard"
	"rein/journal"
	"rein/tool"
)

// elsewhere is an engine that notes what it is to do.
type elsewhere struct {
	t    *testing.T
	home *home

	mu       sync.Mutex
	did      []string
	answered bool
	trouble  *api.Trouble
	logs     map[string]*journal.File
}

func (e *elsewhere) note(format string, args ...any) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.did = append(e.did, fmt.Sprintf(format, args...))
}

func (e *elsewhere) Dir(id string) string {
	if strings.HasPrefix(id, "other") {
		return ""
	}
	return e.home.dir
}

func (e *elsewhere) Begin(_ context.Context, dir string, n api.NewSession) (string, error) {
	e.note("begin %s in %s: %s", n.ID, filepath.Base(dir), n.Text)
	if n.Text == "no host" {
		return "", fmt.Errorf("%w: the host is away", ErrElsewhere)
	}
	at := filepath.Join(e.home.dirs.Sessions, n.ID)
	log, err := journal.Resume(at)
	if err != nil {
		return "", err
	}
	start := event.Event{Kind: event.Started, Time: time.Now(), Session: n.ID, Start: &event.Start{Terms: event.Terms{Dir: "/on/the/host", Model: "script/x"}}}
	said := event.Event{Kind: event.Prompted, Time: time.Now(), Session: n.ID, Text: n.Text}
	e.logs[n.ID] = log
	return n.ID, log.Append(start, said)
}

func (e *elsewhere) Send(_ context.Context, session, id string, steer bool, m Message) error {
	e.note("send %s %s %v: %s, %d files", session, id, steer, m.Text, len(m.Parts))
	return nil
}

func (e *elsewhere) Cancel(_ context.Context, session string) error {
	e.note("cancel %s", session)
	return nil
}

func (e *elsewhere) Continue(_ context.Context, session string) error {
	e.note("continue %s", session)
	return nil
}

func (e *elsewhere) Answer(_ context.Context, r inbox.Request, a guard.Answer) error {
	e.note("answer %s %s: %v by %v %q", r.Session, r.Call, a.Choice, a.By, a.Scope)
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.answered {
		return inbox.ErrNotPending
	}
	e.answered = true
	return nil
}

func (e *elsewhere) Trouble(string) *api.Trouble {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.trouble
}

func (e *elsewhere) Files(_ context.Context, session string, q FileQuestion) (out FileAnswer, err error) {
	if q.Undo == nil {
		return out, fmt.Errorf("%w: it is at work", ErrElsewhere)
	}
	e.note("undo %s %d %q", session, q.Undo.Last, q.Undo.Hash)
	if q.Undo.Last > 1 {
		out.Problem = problem(http.StatusConflict, "nothing", "there is nothing to undo")
		return out, nil
	}
	out.Undone = api.Undone{Hash: "h", Done: q.Undo.Hash != "", Files: []api.File{}, Conflicts: []api.Conflict{}}
	return out, nil
}

// happens records events, as an engine does.
func (e *elsewhere) happens(v *served, session string, events ...event.Event) {
	v.Helper()
	for _, one := range events {
		one.Session, one.Time = session, time.Now()
		if !one.Kind.Live() {
			list := []event.Event{one}
			if err := e.logs[session].Append(list...); err != nil {
				v.Fatal(err)
			}
			one = list[0]
		}
		v.server.Recorded(session, one)
	}
}

func (e *elsewhere) last() string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.did[len(e.did)-1]
}

func withEngine(t *testing.T) (*served, *elsewhere) {
	t.Helper()
	h := newHome(t, "turns: [{text: never}]")
	e := &elsewhere{t: t, home: h, logs: map[string]*journal.File{}}
	h.options.Engine = e
	return h.unlimited().start(), e
}

func (v *served) as(role Role) func(*http.Request) {
	v.Helper()
	key, err := v.server.Auth().Add(User{Name: string(role), Role: role})
	if err != nil {
		v.Fatal(err)
	}
	return func(r *http.Request) { r.Header.Set("Authorization", "Bearer "+key) }
}

// A server over an engine lists and shows its sessions, and passes on what its users want; who may do what is as without one.
func TestAnEngineRunsTheSessions(t *testing.T) {
	v, e := withEngine(t)
	viewer, approver := v.as(RoleViewer), v.as(roleApprover)
	for path, body := range map[string]string{"/v1/sessions": `{"text":"go"}`, "/v1/sessions/s1/messages": `{"text":"x"}`, "/v1/sessions/s1/cancel": "", "/v1/sessions/s1/undo": `{"last":1}`} {
		if status, text := v.request("POST", path, body, viewer); status != http.StatusForbidden {
			t.Errorf("a viewer at %s: %d %s", path, status, text)
		}
	}
	if s := ask[api.Session](v, "POST", "/v1/sessions", api.NewSession{ID: "s1", Text: "go"}); s.State != api.Working || s.Title != "go" || s.Dir != v.home.dir {
		t.Errorf("%+v", s)
	}
	if again := ask[api.Session](v, "POST", "/v1/sessions", api.NewSession{ID: "s1", Text: "go"}); again.ID != "s1" || len(e.did) != 1 {
		t.Errorf("%+v, %q", again, e.did)
	}
	w := v.watch("watch=inbox,sessions,s:s1", viewer)
	call := tool.Call{ID: "c1", Name: "bash", Args: []byte(`{"command":"ls"}`)}
	e.happens(v, "s1", event.Event{Kind: event.Requested, Turn: 1}, event.Event{Kind: event.Delta, Turn: 1, Text: "I look "}, event.Event{Kind: event.Called, Call: &call, Turn: 1})
	err := v.server.Requested("s1", inbox.Request{Session: "s1", Call: "c1", Tool: "bash", Args: call.Args, Hash: "h1", Dir: "/on/the/host", Time: time.Now(),
		Scopes: []inbox.Scope{{Scope: guard.Always}}, Verdict: event.Verdict{Decision: "ask"}})
	if err != nil {
		t.Fatal(err)
	}
	e.happens(v, "s1", event.Event{Kind: event.ApprovalRequested, Call: &call, Grant: &event.Grant{Hash: "h1"}}, event.Event{Kind: event.Stopped, Stop: event.Waiting})
	live, waits := false, false
	for !live || !waits {
		m := w.next()
		live = live || strings.Contains(m.data, "I look ")
		waits = waits || m.name == "session" && strings.Contains(m.data, `"state":"waiting"`)
	}
	r := v.pending()
	if r.Root != "s1" || r.Dir != v.home.dir || len(r.Scopes) != 0 || r.Title != "go" {
		t.Errorf("%+v", r)
	}
	for name, c := range map[string]struct {
		status int
		who    func(*http.Request)
		body   string
	}{
		"a viewer":        {403, viewer, `{"choice":"approved","hash":"h1"}`},
		"another hash":    {409, approver, `{"choice":"approved","hash":"h2"}`},
		"for ever":        {422, approver, `{"choice":"approved","hash":"h1","scope":"always"}`},
		"another command": {403, approver, `{"choice":"approved","hash":"h1","args":{"command":"rm"}}`},
	} {
		if status, text := v.request("POST", "/v1/inbox/s1/c1", c.body, c.who); status != c.status || len(e.did) != 1 {
			t.Errorf("%s: %d %s, %q", name, status, text, e.did)
		}
	}
	if status, text := v.request("POST", "/v1/inbox/s1/c1", `{"choice":"approved","hash":"h1"}`, approver); status != 200 || e.last() != `answer s1 c1: approved by user approver "this once"` {
		t.Errorf("%d %s, %s", status, text, e.last())
	}
	if second := ask[api.Answered](v, "POST", "/v1/inbox/s1/c1", map[string]string{"choice": "denied", "hash": "h1"}); second.Mine || !second.Approved {
		t.Errorf("a second answer: %+v", second)
	}
	v.state("s1", api.Working) // until the step after the answer begins
	e.happens(v, "s1", event.Event{Kind: event.Granted, Call: &call, Answer: &event.Answer{Choice: "approved"}}, event.Event{Kind: event.Stopped, Stop: event.Done})
	v.state("s1", api.Idle)
	if _, err := os.Stat(filepath.Join(v.home.dirs.Sessions, "s1", inbox.DirName, "c1.json")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the request is there after its end: %v", err)
	}
}

// A session in which nothing happens until somebody helps does not look as if it were at work, in lists and to who watches them; one that waits for
// help can be continued, whatever its last turn ended with.
func TestTheTroubleOfAnEngine(t *testing.T) {
	v, e := withEngine(t)
	ask[api.Session](v, "POST", "/v1/sessions", api.NewSession{ID: "s1", Text: "go"})
	w := v.watch("watch=sessions", v.as(RoleViewer))
	in := func(t *api.Trouble) {
		e.mu.Lock()
		e.trouble = t
		e.mu.Unlock()
		v.server.Changed("s1")
	}
	in(&api.Trouble{Kind: "no_worker", Queue: "web", Text: "no worker looks at the queue web", Stuck: true})
	for m := w.next(); m.name != "session" || !strings.Contains(m.data, `"state":"stuck"`) || !strings.Contains(m.data, `"queue":"web"`); m = w.next() {
	}
	if all := ask[[]api.Session](v, "GET", "/v1/sessions", nil); len(all) != 1 || all[0].State != api.Stuck || all[0].Trouble.Kind != "no_worker" || !all[0].Working {
		t.Errorf("%+v", all)
	}
	in(&api.Trouble{Kind: "busy", Queue: "web"})
	v.state("s1", api.Working)
	in(nil)
	e.happens(v, "s1", event.Event{Kind: event.Stopped, Stop: event.Done})
	v.state("s1", api.Idle)
	if status, text := v.request("POST", "/v1/sessions/s1/resume", ""); status != http.StatusConflict {
		t.Errorf("a session that is done continues: %d %s", status, text)
	}
	in(&api.Trouble{Kind: "halted", Why: "the disk is full", Stuck: true}) // with a message that was not taken
	v.state("s1", api.Stuck)
	if status, text := v.request("POST", "/v1/sessions/s1/resume", ""); status > 299 || e.last() != "continue s1" {
		t.Errorf("%d %s, %s", status, text, e.last())
	}
}

// What an engine can do is passed on; what it cannot fails with the reason.
func TestWhatAnEngineCanDo(t *testing.T) {
	v, e := withEngine(t)
	ask[api.Session](v, "POST", "/v1/sessions", api.NewSession{ID: "s1", Text: "//go"})
	if e.last() != "begin s1 in ws: /go" {
		t.Error(e.last())
	}
	if s := ask[api.Sent](v, "POST", "/v1/sessions/s1/messages", api.NewMessage{ID: "m1", Text: "more", Steer: true}); s.State != "steered" || e.last() != "send s1 m1 true: more, 0 files" {
		t.Errorf("%+v, %s", s, e.last())
	}
	file := ask[api.Attachment](v, "POST", "/v1/sessions/s1/attachments", api.Upload{Name: "a.png", Data: []byte("\x89PNG\r\n\x1a\n0000")})
	if s := ask[api.Sent](v, "POST", "/v1/sessions/s1/messages", api.NewMessage{Text: "see", Attachments: []string{file.ID}}); s.State != "queued" || e.last() != "send s1  false: see, 1 files" {
		t.Errorf("%+v, %s", s, e.last())
	}
	ask[api.Session](v, "POST", "/v1/sessions/s1/cancel", nil)
	ask[api.Session](v, "POST", "/v1/sessions/s1/resume", nil)
	if u := ask[api.Undone](v, "POST", "/v1/sessions/s1/undo", api.Undoing{Last: 1, Hash: "h"}); !u.Done || e.last() != `undo s1 1 "h"` {
		t.Errorf("%+v, %s", u, e.last())
	}
	name := "notes"
	if s := ask[api.Session](v, "POST", "/v1/sessions/s1", api.Change{Name: &name}); s.Title != name {
		t.Errorf("%+v", s)
	}
	did := len(e.did)
	for _, c := range [][4]string{
		{"POST", "/v1/sessions", `{"text":"no host"}`, "the host is away"},
		{"POST", "/v1/sessions", `{}`, "give the text"},
		{"POST", "/v1/sessions/s1/messages", `{"text":"/compact"}`, "no slash commands"},
		{"POST", "/v1/sessions/s1", `{"mode":"full"}`, "begin another one"},
		{"POST", "/v1/sessions/s1/undo", `{"last":2}`, "nothing to undo"},
		{"GET", "/v1/sessions/s1/changes", "", "it is at work"},
		{"POST", "/v1/sessions/s1/fork", `{}`, "on other machines"},
		{"GET", "/v1/rules", "", "on other machines"},
		{"GET", "/v1/files", "", "on other machines"},
		{"GET", "/v1/sessions/other1", "", "no such session"},
	} {
		if status, text := v.request(c[0], c[1], c[2]); status < 400 || !strings.Contains(text, c[3]) {
			t.Errorf("%s %s %s: %d %s", c[0], c[1], c[2], status, text)
		}
	}
	if len(e.did) != did+2 {
		t.Errorf("%q", e.did)
	}
}
