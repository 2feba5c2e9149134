package endtoend_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"rein/app/server/api"
	"rein/event"
)

// web is a page over sessions on Temporal, as one of its users has it.
type web struct {
	t        testing.TB
	url, key string
}

// page starts a page. It is there when it says so.
func (p *programs) page(args ...string) (*started, *web) {
	p.t.Helper()
	s := p.run("rein", append([]string{"serve", "--engine", "temporal", p.address, "--listen", "127.0.0.1:0", "--json"}, args...)...)
	s.says("token_file", 1)
	var ready struct {
		URL  string `json:"url"`
		File string `json:"token_file"`
	}
	err := json.NewDecoder(strings.NewReader(s.out.String())).Decode(&ready)
	key, readErr := os.ReadFile(ready.File)
	if err != nil || readErr != nil {
		p.t.Fatal(err, readErr)
	}
	return s, &web{p.t, ready.URL, strings.TrimSpace(string(key))}
}

// ask sends a request, and reads the answer into out where that is not nil.
func (w *web) ask(method, path string, body, out any) (status int, text string) {
	w.t.Helper()
	sent, err := json.Marshal(body)
	if body == nil {
		sent = nil
	}
	if err != nil {
		w.t.Fatal(err)
	}
	r, err := http.NewRequestWithContext(w.t.Context(), method, w.url+"v1/"+path, bytes.NewReader(sent))
	if err != nil {
		w.t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+w.key)
	r.Header.Set("Content-Type", "application/json")
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		w.t.Fatal(err)
	}
	defer answer.Body.Close()
	got, err := io.ReadAll(answer.Body)
	if err == nil && out != nil {
		err = json.Unmarshal(got, out)
	}
	if err != nil {
		w.t.Fatalf("%s %s: %d %s: %v", method, path, answer.StatusCode, got, err)
	}
	return answer.StatusCode, string(got)
}

// user is another user of the page.
func (w *web) user(name, role string) *web {
	w.t.Helper()
	var made struct{ Key string }
	if status, text := w.ask("POST", "users", map[string]any{"name": name, "role": role}, &made); status > 299 || made.Key == "" {
		w.t.Fatal(status, text)
	}
	return &web{w.t, w.url, made.Key}
}

func (w *web) until(id string, state api.State) (s api.Session) {
	w.t.Helper()
	for end := time.Now().Add(time.Minute); s.State != state; time.Sleep(50 * time.Millisecond) {
		if w.ask("GET", "sessions/"+id, nil, &s); time.Now().After(end) {
			w.t.Fatalf("it is not %s: %+v", state, s)
		}
	}
	return s
}

// watch gives the events of a session as the page gets them, with when they came.
func (w *web) watch(id string) <-chan event.Event {
	w.t.Helper()
	r, err := http.NewRequestWithContext(w.t.Context(), "GET", w.url+"v1/events?watch=s:"+id, nil)
	if err != nil {
		w.t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+w.key)
	answer, err := http.DefaultClient.Do(r)
	if err != nil || answer.StatusCode != 200 {
		w.t.Fatal(err, answer.Status)
	}
	all := make(chan event.Event, 1000)
	go func() {
		defer close(all)
		defer answer.Body.Close()
		lines := bufio.NewScanner(answer.Body)
		lines.Buffer(nil, 1<<20)
		for lines.Scan() {
			var e event.Event
			if line, ok := strings.CutPrefix(lines.Text(), "data: "); ok && e.Parse([]byte(line)) == nil && e.Kind != "" {
				e.At = int64(time.Since(e.Time))
				all <- e
			}
		}
	}()
	return all
}

const pageScript = `
delta: 8
pace: 100ms
turns:
- text: I write what you want, and I do it with a lot of words, so that it can be seen how they come.
  calls: [{name: write_file, args: {path: a.txt, content: hello}}]
- calls: [{name: bash, args: {command: "curl https://example.org"}}]
- text: Done.
- text: Done again.
`

// The page of rein serve --engine temporal as its users have it: what a model writes comes at once and events within a second, a viewer cannot answer, an
// answer continues the session, what it did is undone on its host, and a page that is started again shows what was there.
func TestThePage(t *testing.T) {
	p := newPrograms(t)
	p.run("rein", "serve", "--engine", "temporal", "127.0.0.1:1").ends(1, "no Temporal server answers at 127.0.0.1:1: rein-temporal dev starts one")
	p.run("rein", "serve", "--engine", "temporal", p.address).ends(1, "--workspace names the hosts")
	p.run("rein", "serve", "--engine", "temporal", p.address, "--workspace", "a/b").ends(2, `"a/b" is no name of a host`)
	script := p.file("script.yaml", pageScript)
	first, owner := p.page("--workspace", "web", "--model", "script/"+script)
	viewer, approver := owner.user("vi", "viewer"), owner.user("ap", "approver")
	if status, text := owner.ask("POST", "sessions", api.NewSession{ID: "s1", Text: "go"}, nil); status != 201 || !strings.Contains(text, `"state":"working"`) {
		t.Fatal(status, text) // nobody works yet
	}
	events := viewer.watch("s1")
	for _, worker := range [][]string{{"--models"}, {"--host", "web", "--dir", filepath.Join(p.root, "work")}} {
		p.run("rein-temporal", append([]string{"worker"}, worker...)...).says("working on", 1)
	}
	live, late, begun := "", time.Duration(0), false
	for e := range events {
		switch begun = begun || e.Kind == event.Requested; {
		case e.Kind == event.Delta && begun:
			live += e.Text
		case e.Seq > 0 && begun:
			late = max(late, time.Duration(e.At))
		}
		if e.Kind == event.Responded && e.Turn == 1 && !strings.Contains(e.Text, live) || live == "" && e.Kind == event.Responded {
			t.Errorf("live came %q of %q", live, e.Text)
		}
		if e.Kind == event.Responded {
			live = " "
		}
		if e.Kind == event.ApprovalRequested {
			break
		}
	}
	t.Logf("events came after %v at most", late)
	if late > 3*time.Second { // a second where nothing else is at work
		t.Errorf("an event came after %v", late)
	}
	owner.until("s1", api.Waiting)
	var asked api.Requests
	if owner.ask("GET", "inbox", nil, &asked); len(asked.Requests) != 1 || !strings.Contains(strings.Join(asked.Requests[0].Lines, "\n"), "example.org") {
		t.Fatalf("%+v", asked)
	}
	r := asked.Requests[0]
	answer := map[string]string{"choice": "denied", "hash": r.Hash, "words": "not now"}
	if status, text := viewer.ask("POST", "inbox/s1/"+r.Call, answer, nil); status != 403 {
		t.Errorf("a viewer: %d %s", status, text)
	}
	if status, text := approver.ask("POST", "inbox/s1/"+r.Call, answer, nil); status != 200 {
		t.Errorf("an approver: %d %s", status, text)
	}
	p.run("rein-temporal", "answer", "s1", r.Call, "yes").ends(1, "") // the first one counts
	if s := viewer.until("s1", api.Idle); s.Calls == 0 {
		t.Errorf("%+v", s)
	}
	p.undo(viewer, owner)
	if status, text := owner.ask("POST", "sessions/s1/messages", api.NewMessage{ID: "m1", Text: "more"}, nil); status != 202 {
		t.Error(status, text)
	}
	if err := first.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	first.ends(0, "")
	p.run("rein-temporal", "start", "--detach", "--id", "s2", "--host", "web", "--model", "script/"+script, "elsewhere").ends(0, "session s2")
	_, again := p.page()
	again.key = owner.key
	again.until("s1", api.Idle)
	again.until("s2", api.Waiting)
	var all []api.Session
	if again.ask("GET", "sessions", nil, &all); len(all) != 2 || all[0].ID != "s2" || all[0].Title != "elsewhere" {
		t.Errorf("%+v", all)
	}
}

// undo takes back what the session did, on the host.
func (p *programs) undo(viewer, owner *web) {
	p.t.Helper()
	file := filepath.Join(p.root, "work", "a.txt")
	if text, err := os.ReadFile(file); err != nil || string(text) != "hello" {
		p.t.Fatal(text, err)
	}
	var changes api.Changes
	if viewer.ask("GET", "sessions/s1/changes", nil, &changes); len(changes.Files) != 1 || changes.Files[0].Path != "a.txt" || !strings.Contains(changes.Files[0].Diff, "+hello") {
		p.t.Errorf("%+v", changes)
	}
	if status, text := viewer.ask("POST", "sessions/s1/undo", api.Undoing{Last: 1}, nil); status != 403 {
		p.t.Errorf("a viewer: %d %s", status, text)
	}
	var plan, done api.Undone
	owner.ask("POST", "sessions/s1/undo", api.Undoing{Last: 1}, &plan)
	owner.ask("POST", "sessions/s1/undo", api.Undoing{Last: 1, Hash: plan.Hash}, &done)
	if _, err := os.Stat(file); !os.IsNotExist(err) || !done.Done {
		p.t.Errorf("%+v, %v", done, err)
	}
}
