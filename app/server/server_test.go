package server

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"rein/app/harness"
	"rein/app/schedule"
	"rein/app/server/api"
	"rein/app/settings"
	"rein/event"
	"rein/journal"
)

// home is what survives a restart of a server: the directories and the address.
type home struct {
	t       *testing.T
	dirs    settings.Dirs
	dir     string // the workspace
	script  string
	options Options
	mode    string // of new sessions
}

func newHome(t *testing.T, script string) *home {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	h := &home{t: t, dir: filepath.Join(root, "ws"), script: filepath.Join(root, "script.yaml"), dirs: settings.Dirs{
		Config: filepath.Join(root, "config"), Sessions: filepath.Join(root, "sessions"), Output: filepath.Join(root, "output"),
		Private: filepath.Join(root, "private"), State: filepath.Join(root, "state"),
	}}
	if err := os.Mkdir(h.dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(h.script, []byte(script), 0o600); err != nil {
		t.Fatal(err)
	}
	return h
}

// served is a server that listens.
type served struct {
	*testing.T
	server *Server
	home   *home
	url    string
	key    string
	stop   func()
}

// unlimited takes as many changes in a second as a test makes.
func (h *home) unlimited() *home {
	h.options.Limits.Changes = 1 << 20
	return h
}

// given gives settings to a server.
func given(s settings.Server) func() (settings.Server, error) {
	return func() (settings.Server, error) { return s, nil }
}

func (h *home) start() *served {
	h.t.Helper()
	o := h.options
	store, err := schedule.Open(filepath.Join(h.dirs.State, schedule.DirName))
	if err != nil {
		h.t.Fatal(err)
	}
	h.t.Cleanup(func() { _ = store.Close() }) // after the server has ended
	o.Tasks = &schedule.Daemon{Store: store, Do: func(_ context.Context, j schedule.Job, session func(string)) (string, error) {
		session("20261122-0000-task")
		return "did " + j.Prompt, nil
	}}
	o.Harness = harness.Options{Dir: h.dir, Dirs: h.dirs, Terms: harness.Terms{Model: "script/" + h.script, Mode: h.mode, Sandbox: "off"}, Version: "test"}
	s, err := New(h.t.Context(), o)
	if err != nil {
		h.t.Fatal(err)
	}
	l, err := Listen(h.t.Context(), "127.0.0.1:0", false, false)
	if err != nil {
		h.t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- s.Serve(ctx, l, nil) }()
	key, err := os.ReadFile(KeyFile(filepath.Join(h.dirs.State, "server")))
	if err != nil {
		h.t.Fatal(err)
	}
	stopped := false
	v := &served{T: h.t, server: s, home: h, url: "http://" + l.Addr().String(), key: strings.TrimSpace(string(key))}
	v.stop = func() {
		if stopped {
			return
		}
		stopped = true
		cancel()
		if err := <-done; err != nil {
			h.t.Error(err)
		}
		if err := s.Close(context.Background()); err != nil {
			h.t.Error(err)
		}
	}
	h.t.Cleanup(v.stop)
	return v
}

// request sends a request as the owner, unless change makes it another one.
func (v *served) request(method, path, body string, change ...func(*http.Request)) (int, string) {
	v.Helper()
	var in io.Reader
	if body != "" {
		in = strings.NewReader(body)
	}
	r, err := http.NewRequestWithContext(v.Context(), method, v.url+path, in)
	if err != nil {
		v.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+v.key)
	r.Header.Set("Content-Type", "application/json")
	for _, c := range change {
		c(r)
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		v.Fatal(err)
	}
	defer answer.Body.Close()
	if answer.StatusCode >= 400 {
		documented(v.T, r, answer.StatusCode)
	}
	if answer.Header.Get("Content-Type") == "text/event-stream" {
		return answer.StatusCode, "" // it does not end
	}
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		v.Fatal(err)
	}
	return answer.StatusCode, string(text)
}

// ask sends a request that must succeed and decodes the answer.
func ask[T any](v *served, method, path string, body any) (out T) {
	v.Helper()
	text := ""
	if body != nil {
		b, err := json.Marshal(body)
		if err != nil {
			v.Fatal(err)
		}
		text = string(b)
	}
	status, answer := v.request(method, path, text)
	if status >= 300 {
		v.Fatalf("%s %s: %d %s", method, path, status, answer)
	}
	if status == http.StatusNoContent {
		return out
	}
	if err := json.Unmarshal([]byte(answer), &out); err != nil {
		v.Fatalf("%s %s: %v in %s", method, path, err, answer)
	}
	return out
}

// until waits for what another goroutine does.
func (v *served) until(what string, is func() bool) {
	v.Helper()
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		if is() {
			return
		}
	}
	v.Fatal("it never happened: " + what)
}

// pending waits for one approval request.
func (v *served) pending() api.Request {
	v.Helper()
	var all api.Requests
	v.until("an approval request", func() bool {
		all = ask[api.Requests](v, "GET", "/v1/inbox", nil)
		return len(all.Requests) > 0
	})
	return all.Requests[0]
}

func (v *served) state(id string, want api.State) api.Session {
	v.Helper()
	var s api.Session
	v.until(fmt.Sprint("the state ", want), func() bool {
		s = ask[api.Session](v, "GET", "/v1/sessions/"+id, nil)
		return s.State == want
	})
	return s
}

const asksOnce = `turns:
  - text: I append a line.
    calls: [{name: bash, args: {command: "git push origin main; echo x >> done.txt"}}]
  - text: All good.
`

func (v *served) lines(name string) int {
	text, err := os.ReadFile(filepath.Join(v.home.dir, name))
	if err != nil {
		return 0
	}
	return bytes.Count(text, []byte("\n"))
}

// A server that ends while a request is open shows it again when it is started, and the answer resumes the call, once.
func TestAnApprovalRequestSurvivesARestart(t *testing.T) {
	h := newHome(t, asksOnce)
	v := h.start()
	s := ask[api.Session](v, "POST", "/v1/sessions", api.NewSession{Text: "go"})
	before := v.pending()
	v.stop()

	v = h.start()
	after := v.pending()
	if after.Hash != before.Hash || after.Session != s.ID || after.Title != "go" {
		t.Fatalf("the request has changed:\n%+v\n%+v", before, after)
	}
	if v.lines("done.txt") != 0 {
		t.Fatal("the call ran without an answer")
	}
	path := "/v1/inbox/" + after.Session + "/" + after.Call
	if status, text := v.request("POST", path, `{"choice":"approved","hash":"0000"}`); status != http.StatusConflict {
		t.Errorf("an answer to something else: %d %s", status, text)
	}
	first := ask[api.Answered](v, "POST", path, api.Answer{Choice: "approved", Hash: after.Hash})
	late := ask[api.Answered](v, "POST", path, api.Answer{Choice: "denied", Hash: after.Hash})
	if !first.Mine || !first.Approved || late.Mine || !late.Approved {
		t.Errorf("the first answer must count: %+v, then %+v", first, late)
	}
	v.state(s.ID, api.Idle)
	if n := v.lines("done.txt"); n != 1 {
		t.Errorf("the call ran %d times", n)
	}
}

// A message that is sent while a turn that was stopped still ends is answered.
func TestAMessageRightAfterAStopIsAnswered(t *testing.T) {
	const rounds = 12
	h := newHome(t, "turns:\n"+strings.Repeat("  - calls: [{name: bash, args: {command: sleep 600}}]\n  - text: An answer.\n", rounds))
	h.options.Harness.Mode, h.options.Limits.Changes = "full", 1000
	v := h.start()
	s := ask[api.Session](v, "POST", "/v1/sessions", api.NewSession{Text: "go"})
	path := "/v1/sessions/" + s.ID
	count := func(what string) int {
		text, _ := os.ReadFile(filepath.Join(h.dirs.Sessions, s.ID, "journal.jsonl")) // it is not there at first
		return strings.Count(string(text), what)
	}
	for i := range rounds {
		v.until("the call", func() bool { return count(`"kind":"granted"`) == i+1 })
		for _, do := range [][2]string{{"/cancel", "{}"}, {"/messages", `{"text":"on"}`}} {
			if status, text := v.request("POST", path+do[0], do[1]); status >= 300 {
				t.Fatalf("%s: %d %s", do[0], status, text)
			}
		}
		v.until("the answer", func() bool { return count("An answer.") >= i+1 })
		if i < rounds-1 {
			v.state(s.ID, api.Idle)
			if status, text := v.request("POST", path+"/messages", `{"text":"go"}`); status >= 300 {
				t.Fatalf("%d %s", status, text)
			}
		}
	}
}

// A stop right after a message stops its turn, and does not drop it.
func TestAStopRightAfterAMessageKeepsIt(t *testing.T) {
	v := newHome(t, "pace: 500ms\nturns: [{text: an answer that takes time}]").start()
	s := ask[api.Session](v, "POST", "/v1/sessions", api.NewSession{})
	l := v.server.sessions.running(s.ID)
	for i := range 20 {
		text := fmt.Sprint("message ", i)
		if how, err := l.send(User{Name: "mei"}, api.NewMessage{Text: text}); err != nil || how != "sent" {
			t.Fatalf("%s, %v", how, err)
		}
		if !l.interrupt("mei") {
			t.Fatal("nothing was at work")
		}
		v.state(s.ID, api.Cancelled)
		if _, events := v.request("GET", "/v1/sessions/"+s.ID+"/events", ""); !strings.Contains(events, text) {
			t.Fatalf("%s is lost", text)
		}
	}
}

// A message whose answer a crash cut off is asked again, where a person continues it.
func TestAMessageWithoutAnAnswerIsContinued(t *testing.T) {
	h := newHome(t, "turns:\n  - text: An answer.\n")
	v := h.start()
	s := ask[api.Session](v, "POST", "/v1/sessions", api.NewSession{Text: "go"})
	v.state(s.ID, api.Idle)
	v.stop()
	name := filepath.Join(h.dirs.Sessions, s.ID, "journal.jsonl")
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(string(text), "\n")
	cut := slices.IndexFunc(lines, func(l string) bool { return strings.Contains(l, `"kind":"response"`) })
	if err := os.WriteFile(name, []byte(strings.Join(lines[:cut], "")), 0o600); err != nil {
		t.Fatal(err)
	}
	v = h.start()
	v.state(s.ID, api.Interrupted)
	ask[api.Session](v, "POST", "/v1/sessions/"+s.ID+"/resume", struct{}{})
	v.state(s.ID, api.Idle)
	if status, text := v.request("POST", "/v1/sessions/"+s.ID+"/resume", "{}"); status != http.StatusConflict {
		t.Errorf("nothing is open any more: %d %s", status, text)
	}
}

func TestARequestIsDeniedWithWords(t *testing.T) {
	v := newHome(t, `turns:
  - calls: [{name: bash, args: {command: "git push origin main; echo x >> done.txt"}}]
  - expect: {contains: not on a friday}
    text: I wait.
`).start()
	s := ask[api.Session](v, "POST", "/v1/sessions", api.NewSession{Text: "go"})
	r := v.pending()
	ask[api.Answered](v, "POST", "/v1/inbox/"+r.Session+"/"+r.Call, api.Answer{Choice: "denied", Hash: r.Hash, Words: "not on a friday"})
	v.state(s.ID, api.Idle)
	if v.lines("done.txt") != 0 {
		t.Error("a denied call ran")
	}
	var found bool
	for _, e := range ask[api.Events](v, "GET", "/v1/sessions/"+s.ID+"/events", nil).Events {
		found = found || e.Kind == "refused" && e.Answer.Words == "not on a friday" && e.Answer.By == "user"
	}
	if !found {
		t.Error("the journal does not say who denied")
	}
}

// Messages that come while the session is at work wait in order, and one with an id is sent once.
func TestMessagesWaitAndAreSentOnce(t *testing.T) {
	v := newHome(t, "pace: 30ms\nturns: [{text: one one one one one}, {text: two}, {text: three}]").start()
	s := ask[api.Session](v, "POST", "/v1/sessions", api.NewSession{Text: "1"})
	path := "/v1/sessions/" + s.ID + "/messages"
	for i, want := range []string{"queued", "repeated", "queued"} {
		m := api.NewMessage{ID: []string{"a", "a", "b"}[i], Text: "next"}
		if got := ask[api.Sent](v, "POST", path, m); got.State != want {
			t.Errorf("message %d: %s, want %s", i, got.State, want)
		}
	}
	v.state(s.ID, api.Idle)
	var texts []string
	for _, e := range ask[api.Events](v, "GET", "/v1/sessions/"+s.ID+"/events", nil).Events {
		if e.Kind == "response" {
			texts = append(texts, e.Text)
		}
	}
	if got := strings.Join(texts, "|"); got != "one one one one one|two|three" {
		t.Error(got)
	}
}

// A message that waits can be taken back, once, and is not sent then.
func TestAMessageIsTakenBack(t *testing.T) {
	v := newHome(t, asksOnce+"  - expect: {contains: the other}\n    text: That.\n").start()
	s := ask[api.Session](v, "POST", "/v1/sessions", api.NewSession{Text: "go"})
	r := v.pending()
	path := "/v1/sessions/" + s.ID + "/messages"
	for _, m := range []api.NewMessage{{ID: "m1", Text: "this one"}, {Text: "the other"}} {
		ask[api.Sent](v, "POST", path, m)
	}
	if got := ask[api.Queued](v, "DELETE", path+"/m1", nil); got.Text != "this one" {
		t.Errorf("%+v", got)
	}
	if status, text := v.request("DELETE", path+"/m1", ""); status != 404 || !strings.Contains(text, ":not_waiting") {
		t.Errorf("again: %d %s", status, text)
	}
	if got := ask[api.Session](v, "GET", "/v1/sessions/"+s.ID, nil).Queued; len(got) != 1 || got[0].Text != "the other" || got[0].ID == "" {
		t.Errorf("the queue: %+v", got)
	}
	ask[api.Answered](v, "POST", "/v1/inbox/"+r.Session+"/"+r.Call, api.Answer{Choice: "approved", Hash: r.Hash})
	v.state(s.ID, api.Idle)
	var said []string
	for _, e := range ask[api.Events](v, "GET", "/v1/sessions/"+s.ID+"/events", nil).Events {
		if e.Kind == "prompt" {
			said = append(said, e.Text)
		}
	}
	if strings.Join(said, "|") != "go|the other" {
		t.Errorf("it was sent: %q", said)
	}
}

// Messages that wait when the server ends are shown by the next one, and sent once the turn before them is over.
func TestMessagesThatWaitSurviveARestart(t *testing.T) {
	h := newHome(t, asksOnce+"  - expect: {contains: also this}\n    text: This too.\n")
	v := h.start()
	s := ask[api.Session](v, "POST", "/v1/sessions", api.NewSession{Text: "go"})
	v.pending()
	if sent := ask[api.Sent](v, "POST", "/v1/sessions/"+s.ID+"/messages", api.NewMessage{ID: "m1", Text: "also this"}); sent.State != "queued" {
		t.Fatal(sent)
	}
	v.stop()

	v = h.start()
	r := v.pending()
	if got := ask[api.Session](v, "GET", "/v1/sessions/"+s.ID, nil); len(got.Queued) != 1 || got.Queued[0].Text != "also this" {
		t.Errorf("the message does not wait any more: %+v", got.Queued)
	}
	ask[api.Answered](v, "POST", "/v1/inbox/"+r.Session+"/"+r.Call, api.Answer{Choice: "approved", Hash: r.Hash})
	said := func() (n int) {
		for _, e := range ask[api.Events](v, "GET", "/v1/sessions/"+s.ID+"/events", nil).Events {
			if e.Kind == "prompt" && e.Text == "also this" {
				n++
			}
		}
		return n
	}
	v.until("the message is sent", func() bool { return said() == 1 })
	v.state(s.ID, api.Idle)
	v.stop()

	v = h.start()
	if got := v.state(s.ID, api.Idle); len(got.Queued) != 0 || said() != 1 || v.lines("done.txt") != 1 {
		t.Errorf("it was sent %d times, and the call ran %d times: %+v", said(), v.lines("done.txt"), got.Queued)
	}
}

// TestAServerChangesNoSession: its mode and model are those of new sessions. A session that was given others keeps them when another server opens it.
func TestAServerChangesNoSession(t *testing.T) {
	h := newHome(t, "turns: [{text: one}, {text: two}, {text: three}]")
	v := h.start()
	s := ask[api.Session](v, "POST", "/v1/sessions", api.NewSession{Text: "go", Mode: "plan"})
	model := v.state(s.ID, api.Idle).Model
	v.stop()

	h.mode, h.script = "full", h.script+".yaml"
	v = h.start()
	if sent := ask[api.Sent](v, "POST", "/v1/sessions/"+s.ID+"/messages", api.NewMessage{ID: "m1", Text: "on"}); sent.State != "sent" {
		t.Fatal(sent)
	}
	if got := v.state(s.ID, api.Idle); got.Mode != "plan" || got.Model != model {
		t.Errorf("the session has mode %s and model %s, want plan and %s", got.Mode, got.Model, model)
	}
	if got := ask[api.Session](v, "POST", "/v1/sessions", api.NewSession{Text: "go", Model: model}); got.Mode != "full" {
		t.Errorf("a new session has mode %s", got.Mode)
	}
}

// A message for the model's next request, which no request has taken when the server ends, is sent once by the next one.
func TestAMessageThatSteersSurvivesARestart(t *testing.T) {
	h := newHome(t, asksOnce+"  - text: This too.\n")
	v := h.start()
	s := ask[api.Session](v, "POST", "/v1/sessions", api.NewSession{Text: "go"})
	v.pending()
	if sent := ask[api.Sent](v, "POST", "/v1/sessions/"+s.ID+"/messages", api.NewMessage{ID: "m1", Text: "also this", Steer: true}); sent.State != "steered" {
		t.Fatal(sent)
	}
	v.stop()

	for range 2 {
		v = h.start()
		if r := ask[api.Session](v, "GET", "/v1/sessions/"+s.ID, nil); r.State != api.Idle {
			r := v.pending()
			ask[api.Answered](v, "POST", "/v1/inbox/"+r.Session+"/"+r.Call, api.Answer{Choice: "approved", Hash: r.Hash})
		}
		v.state(s.ID, api.Idle)
		n := 0
		for _, e := range ask[api.Events](v, "GET", "/v1/sessions/"+s.ID+"/events", nil).Events {
			if e.Kind == "prompt" && e.Text == "also this" {
				n++
			}
		}
		if n != 1 {
			t.Errorf("it was sent %d times", n)
		}
		v.stop()
	}
}

// A message for the next request is shown while it waits, and can be taken back, as one that waits for the end of the turn.
func TestAMessageThatSteersWaitsToBeSeen(t *testing.T) {
	v := newHome(t, asksOnce+"  - text: Done.\n").start()
	s := ask[api.Session](v, "POST", "/v1/sessions", api.NewSession{Text: "go"})
	r := v.pending()
	waiting := func() []api.Queued { return ask[api.Session](v, "GET", "/v1/sessions/"+s.ID, nil).Queued }
	for _, m := range []api.NewMessage{{ID: "m1", Text: "first", Steer: true}, {ID: "m2", Text: "then"}, {ID: "m3", Text: "also", Steer: true}} {
		ask[api.Sent](v, "POST", "/v1/sessions/"+s.ID+"/messages", m)
	}
	want := []api.Queued{{ID: "m1", Text: "first", Steer: true}, {ID: "m3", Text: "also", Steer: true}, {ID: "m2", Text: "then"}}
	if got := waiting(); !reflect.DeepEqual(got, want) {
		t.Errorf("these wait: %+v, want %+v", got, want)
	}
	if got := ask[api.Queued](v, "DELETE", "/v1/sessions/"+s.ID+"/messages/m1", nil); !reflect.DeepEqual(got, want[0]) {
		t.Errorf("taken back: %+v", got)
	}
	if status, _ := v.request("DELETE", "/v1/sessions/"+s.ID+"/messages/m1", ""); status != http.StatusNotFound {
		t.Errorf("taken back twice: %d", status)
	}
	ask[api.Queued](v, "DELETE", "/v1/sessions/"+s.ID+"/messages/m2", nil)
	ask[api.Answered](v, "POST", "/v1/inbox/"+r.Session+"/"+r.Call, api.Answer{Choice: "approved", Hash: r.Hash})
	v.state(s.ID, api.Idle)
	var sent []string
	for _, e := range ask[api.Events](v, "GET", "/v1/sessions/"+s.ID+"/events", nil).Events {
		if e.Kind == "prompt" {
			sent = append(sent, e.Text)
		}
	}
	if got := waiting(); len(got) > 0 || !slices.Equal(sent, []string{"go", "also"}) {
		t.Errorf("sent %q, and these wait: %+v", sent, got)
	}
}

func TestATurnIsCancelled(t *testing.T) {
	v := newHome(t, "pace: 500ms\ndelta: 1\nturns: [{text: this takes a very long time to write}]").start()
	s := ask[api.Session](v, "POST", "/v1/sessions", api.NewSession{Text: "1"})
	v.state(s.ID, api.Working)
	ask[api.Session](v, "POST", "/v1/sessions/"+s.ID+"/cancel", nil)
	v.state(s.ID, api.Cancelled)
	if status, _ := v.request("POST", "/v1/sessions/"+s.ID+"/cancel", ""); status != http.StatusConflict {
		t.Errorf("a second cancel: %d", status)
	}
}

// A session whose request waits since before the server was started again is cancelled, too: its request is void, and the call does not run,
// although a rule allows it meanwhile.
func TestARequestOfBeforeIsCancelled(t *testing.T) {
	h := newHome(t, asksOnce)
	v := h.start()
	s := ask[api.Session](v, "POST", "/v1/sessions", api.NewSession{Text: "go"})
	v.pending()
	v.stop()
	h.write("../config/settings.json", `{"permissions":{"allow":["bash"]}}`) // nobody would be asked now
	v = h.start()
	v.pending()
	ask[api.Session](v, "POST", "/v1/sessions/"+s.ID+"/cancel", nil)
	if got := v.state(s.ID, api.Cancelled); got.Pending != 0 || v.lines("done.txt") != 0 {
		t.Errorf("%+v, and the call ran %d times", got, v.lines("done.txt"))
	}
	if status, _ := v.request("POST", "/v1/sessions/"+s.ID+"/cancel", ""); status != http.StatusConflict {
		t.Errorf("a second cancel: %d", status)
	}
}

// A session that was idle for a while is closed, and opened again by the next message.
func TestAnIdleSessionIsClosed(t *testing.T) {
	h := newHome(t, "turns: [{text: one}, {text: two}]")
	h.options.Limits.Idle = 50 * time.Millisecond
	v := h.start()
	s := ask[api.Session](v, "POST", "/v1/sessions", api.NewSession{Text: "1"})
	v.until("the end", func() bool { return v.server.sessions.running(s.ID) == nil })
	if got := v.state(s.ID, api.Idle); got.Title != "1" {
		t.Error(got)
	}
	ask[api.Sent](v, "POST", "/v1/sessions/"+s.ID+"/messages", api.NewMessage{Text: "2"})
	v.until("the second answer", func() bool {
		_, text := v.request("GET", "/v1/sessions/"+s.ID+"/events", "")
		return strings.Contains(text, `"text":"two"`)
	})
}

// A server deletes old sessions where the settings say how old, although no session begins.
func TestAServerDeletesOldSessions(t *testing.T) {
	h := newHome(t, "turns: []")
	h.limitsOf(`{"sessions":{"days":30}}`)
	h.options.Limits.Idle = 50 * time.Millisecond
	old, recent := filepath.Join(h.dirs.Sessions, "old"), filepath.Join(h.dirs.Sessions, "recent")
	for dir, days := range map[string]int{old: -31, recent: -29} {
		f, _, err := journal.Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		begun := event.Event{Kind: event.Started, Session: filepath.Base(dir), Time: time.Now().AddDate(0, 0, days), Start: &event.Start{Terms: event.Terms{Dir: h.dir}}}
		if err := errors.Join(f.Append(begun), f.Close()); err != nil {
			t.Fatal(err)
		}
	}
	v := h.start()
	v.until("an old session is deleted", func() bool { _, err := os.Stat(old); return err != nil })
	if _, err := os.Stat(recent); err != nil {
		t.Error(err)
	}
}

func TestOpenAddressesNeedProtection(t *testing.T) {
	for address, want := range map[string]bool{"127.0.0.1:0": true, "localhost:0": true, "[::1]:0": true, "0.0.0.0:0": false, ":0": false, "192.0.2.1:80": false} {
		l, err := Listen(t.Context(), address, false, false)
		if _, refused := err.(*net.OpError); err == nil || refused { // a machine may have no IPv6
			if !want {
				t.Errorf("%s: %v", address, err)
			}
		} else if want {
			t.Errorf("%s: %v", address, err)
		}
		if l != nil {
			l.Close()
		}
	}
}

// With a certificate browsers get HTTP/2, the event stream too, and a cookie that no connection without TLS carries.
func TestTLSAndHTTP2(t *testing.T) {
	v := newHome(t, "turns: [{text: hi}]").start()
	certified := httptest.NewUnstartedServer(http.NotFoundHandler())
	certified.EnableHTTP2 = true
	certified.StartTLS()
	defer certified.Close()
	l, err := Listen(t.Context(), "127.0.0.1:0", true, false)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- v.server.Serve(ctx, l, &certified.TLS.Certificates[0]) }()
	send := func(method, path, body string) *http.Response {
		t.Helper()
		r, err := http.NewRequestWithContext(t.Context(), method, "https://"+l.Addr().String()+path, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Authorization", "Bearer "+v.key)
		r.Header.Set("Content-Type", "application/json")
		answer, err := certified.Client().Do(r)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { answer.Body.Close() })
		if answer.ProtoMajor != 2 || answer.StatusCode != http.StatusOK {
			t.Errorf("%s: %s %s", path, answer.Proto, answer.Status)
		}
		return answer
	}
	cookies := send("POST", "/v1/sign-in", `{"key":"`+v.key+`"}`).Cookies()
	if len(cookies) != 1 || !cookies[0].Secure || !strings.HasPrefix(cookies[0].Name, "__Host-rein-") {
		t.Error(cookies)
	}
	lines := bufio.NewScanner(send("GET", "/v1/events?watch=inbox", "").Body)
	for lines.Scan() && !strings.HasPrefix(lines.Text(), "event: ") {
	}
	if lines.Text() != "event: hello" {
		t.Errorf("%q %v", lines.Text(), lines.Err())
	}
	cancel()
	if err := <-done; err != nil {
		t.Error(err)
	}
}
