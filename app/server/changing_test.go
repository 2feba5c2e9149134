package server

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"rein/app/server/api"
	"rein/event"
	"rein/guard"
)

const writes = `turns:
  - calls: [{name: write_file, args: {path: a.txt, content: "one\n"}}]
  - text: wrote it
  - text: again
  - text: once more
`

// What a call wrote is taken back as it was shown, and not when the files have changed since.
func TestAnUndoDoesWhatWasShown(t *testing.T) {
	v := newHome(t, writes).start()
	s := ask[api.Session](v, "POST", "/v1/sessions", api.NewSession{Text: "go"})
	v.state(s.ID, api.Idle)
	name := filepath.Join(v.home.dir, "a.txt")
	steps := ask[[]api.Step](v, "GET", "/v1/sessions/"+s.ID+"/steps", nil)
	if len(steps) != 1 || len(steps[0].Files) != 1 || steps[0].Files[0].Path != "a.txt" {
		t.Fatalf("%+v", steps)
	}
	plan := ask[api.Undone](v, "POST", "/v1/sessions/"+s.ID+"/undo", api.Undoing{Call: steps[0].Call})
	if _, err := os.Stat(name); err != nil || plan.Done || len(plan.Files) != 1 || plan.Hash == "" {
		t.Fatalf("a plan must change nothing: %v %+v", err, plan)
	}
	if err := os.WriteFile(name, []byte("mine\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if status, text := v.request("POST", "/v1/sessions/"+s.ID+"/undo", `{"call":"`+steps[0].Call+`","hash":"`+plan.Hash+`"}`); status != http.StatusConflict {
		t.Errorf("files that changed since: %d %s", status, text)
	}
	if err := os.WriteFile(name, []byte("one\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	plan = ask[api.Undone](v, "POST", "/v1/sessions/"+s.ID+"/undo", api.Undoing{Call: steps[0].Call})
	if did := ask[api.Undone](v, "POST", "/v1/sessions/"+s.ID+"/undo", api.Undoing{Call: steps[0].Call, Hash: plan.Hash}); !did.Done || len(did.Files) != 1 {
		t.Errorf("%+v", did)
	}
	if _, err := os.Stat(name); err == nil {
		t.Error("the file is still there")
	}
	if status, text := v.request("POST", "/v1/sessions/"+s.ID+"/undo", `{"call":"none"}`); status != http.StatusConflict {
		t.Errorf("nothing to take back: %d %s", status, text)
	}
}

func TestASessionIsNamedForkedRewoundAndFound(t *testing.T) {
	v := newHome(t, writes).start()
	s := ask[api.Session](v, "POST", "/v1/sessions", api.NewSession{Text: "the purple elephant"})
	v.state(s.ID, api.Idle)
	ask[api.Sent](v, "POST", "/v1/sessions/"+s.ID+"/messages", api.NewMessage{Text: "second"})
	var prompts []event.Event
	v.until("two messages", func() bool {
		prompts = nil
		for _, e := range ask[api.Events](v, "GET", "/v1/sessions/"+s.ID+"/events", nil).Events {
			if e.Kind == event.Prompted {
				prompts = append(prompts, e)
			}
		}
		return len(prompts) == 2
	})
	v.state(s.ID, api.Idle)
	name := "elephants"
	if got := ask[api.Session](v, "POST", "/v1/sessions/"+s.ID, api.Change{Name: &name, Mode: "read-only"}); got.Title != name || got.Mode != "read-only" {
		t.Errorf("%+v", got)
	}
	fork := ask[api.Session](v, "POST", "/v1/sessions/"+s.ID+"/fork", api.At{At: prompts[1].Seq - 1})
	if fork.ID == s.ID || fork.ID == "" {
		t.Errorf("%+v", fork)
	}
	w := v.watch("watch=s:" + s.ID)
	for m := w.next(); m.name != "snapshot"; m = w.next() {
		if m.name == "" {
			t.Fatal("the stream ended")
		}
	}
	ask[api.Session](v, "POST", "/v1/sessions/"+s.ID+"/rewind", api.At{At: prompts[1].Seq})
	for m := w.next(); m.name != "event" || m.event(t).Kind != "rewound"; m = w.next() {
		if m.name == "" {
			t.Fatal("the client does not learn of the rewind")
		}
	}
	if status, text := v.request("POST", "/v1/sessions/"+s.ID+"/rewind", `{"at":1}`); status != http.StatusUnprocessableEntity {
		t.Errorf("a rewind to no message: %d %s", status, text)
	}
	found := ask[[]api.Found](v, "GET", "/v1/search?q=purple", nil)
	if len(found) != 2 || len(found[0].Matches) == 0 || !strings.Contains(found[0].Matches[0].Text, "purple") {
		t.Errorf("%+v", found)
	}
	used := ask[[]api.Spent](v, "GET", "/v1/usage", nil)
	if len(used) == 0 || used[0].Calls == 0 || used[0].Usage.Input == 0 {
		t.Errorf("%+v", used)
	}
	counted := ask[api.Counted](v, "GET", "/v1/usage/calls", nil)
	calls := 0
	for _, r := range counted.Stats.Tools {
		calls += r.Calls
	}
	if calls != used[0].Calls || counted.Stats.Sessions != used[0].Sessions || counted.More {
		t.Errorf("%+v of %+v", counted, used)
	}
}

// A client sees what another program does in a session.
func TestASessionOfAnotherProgramIsFollowed(t *testing.T) {
	h := newHome(t, "turns: [{text: one}, {text: two}]")
	v := h.start()
	s := ask[api.Session](v, "POST", "/v1/sessions", api.NewSession{Text: "1"})
	v.state(s.ID, api.Idle)
	v.stop()
	v = h.start()
	w := v.watch("watch=s:" + s.ID)
	for m := w.next(); m.name != "snapshot"; m = w.next() {
		if m.name == "" {
			t.Fatal("the stream ended")
		}
	}
	other := h.start() // another program over the same sessions
	ask[api.Sent](other, "POST", "/v1/sessions/"+s.ID+"/messages", api.NewMessage{Text: "2"})
	for m := w.next(); ; m = w.next() {
		if m.name == "" {
			t.Fatal("the stream ended")
		}
		if m.name == "event" && m.event(t).Kind == event.Responded && m.event(t).Text == "two" {
			break
		}
	}
}

// A client that leaves a session of another program, and comes back after more has happened there, gets all of it.
func TestASessionOfAnotherProgramIsFollowedAgain(t *testing.T) {
	h := newHome(t, "turns: [{text: one}, {text: two}, {text: three}, {text: four}]")
	v := h.start()
	s := ask[api.Session](v, "POST", "/v1/sessions", api.NewSession{Text: "1"})
	v.state(s.ID, api.Idle)
	v.stop()
	v = h.start()
	other := h.start() // another program over the same sessions
	turn := 1
	said := func(text string) {
		ask[api.Sent](other, "POST", "/v1/sessions/"+s.ID+"/messages", api.NewMessage{Text: text})
		turn++
		other.until("the end of the turn", func() bool {
			stops := 0
			for _, e := range ask[api.Events](other, "GET", "/v1/sessions/"+s.ID+"/events", nil).Events {
				if e.Kind == event.Stopped {
					stops++
				}
			}
			return stops == turn
		})
	}
	see := func(want string) {
		w := v.watch("watch=s:" + s.ID)
		defer time.AfterFunc(time.Minute, func() { w.answer.Body.Close() }).Stop()
		for m := w.next(); m.name != "event" || m.event(t).Text != want; m = w.next() {
			if m.name == "" {
				t.Fatal("the stream ended before ", want)
			}
		}
		if want == "two" {
			said("3") // seen by this stream
			for m := w.next(); m.name != "event" || m.event(t).Text != "three"; m = w.next() {
				if m.name == "" {
					t.Fatal("the stream ended before three")
				}
			}
		}
		w.answer.Body.Close()
		v.until("the end of the stream", func() bool {
			return v.server.sessions.followers.Count() == 0
		})
	}
	said("2")
	see("two")
	said("4") // nobody watches
	see("four")
}

// A session is exported and compacted, and the figures count it.
func TestASessionIsExportedCompactedAndCounted(t *testing.T) {
	v := newHome(t, "turns: [{text: the answer}, {text: a summary}]").start()
	s := ask[api.Session](v, "POST", "/v1/sessions", api.NewSession{Text: "the question"})
	v.state(s.ID, api.Idle)
	for _, format := range []string{"markdown", "html", "json"} {
		status, text := v.request("GET", "/v1/sessions/"+s.ID+"/export?format="+format, "")
		if status != http.StatusOK || !strings.Contains(text, "the question") || !strings.Contains(text, "the answer") {
			t.Errorf("%s: %d %.200s", format, status, text)
		}
	}
	status, text := v.request("POST", "/v1/sessions/"+s.ID+"/compact", "{}")
	if status != http.StatusAccepted {
		t.Errorf("%d %s", status, text)
	}
	v.until("the end of the compaction", func() bool { return !ask[api.Session](v, "GET", "/v1/sessions/"+s.ID, nil).Working })
	if status, table := v.request("GET", "/v1/usage.csv", ""); status != http.StatusOK || !strings.HasPrefix(table, "day,dir,") || !strings.Contains(table, v.home.dir) {
		t.Errorf("%d %s", status, table)
	}
	_, text = v.request("GET", "/v1/metrics", "")
	for _, line := range []string{"rein_sessions{state=\"working\"} 0", "rein_approval_requests 0", "rein_http_answers_total{class=\"2xx\"}", "gen_ai_invoke_agent_duration_seconds_count{"} {
		if !strings.Contains(text, line) {
			t.Errorf("%q is missing in\n%s", line, text)
		}
	}
}

// A slash command of a file becomes its message.
func TestASlashCommandIsExpanded(t *testing.T) {
	h := newHome(t, "turns: [{text: one}]")
	if err := errors.Join(os.MkdirAll(filepath.Join(h.dirs.Config, "commands"), 0o700), os.WriteFile(filepath.Join(h.dirs.Config, "commands", "greet.md"), []byte("Say hello to $ARGUMENTS."), 0o600)); err != nil {
		t.Fatal(err)
	}
	v := h.start()
	s := ask[api.Session](v, "POST", "/v1/sessions", api.NewSession{Text: "/greet the world"})
	v.state(s.ID, api.Idle)
	v.until("the message of the command", func() bool {
		for _, e := range ask[api.Events](v, "GET", "/v1/sessions/"+s.ID+"/events", nil).Events {
			if e.Kind == event.Prompted {
				return strings.Contains(e.Text, "hello to the world")
			}
		}
		return false
	})
}

func TestASessionMayHaveEachMode(t *testing.T) {
	v := newHome(t, writes).start()
	s := ask[api.Session](v, "POST", "/v1/sessions", api.NewSession{})
	for _, mode := range []guard.Mode{guard.ReadOnly, guard.Plan, guard.Supervised, guard.Auto, guard.Full} {
		if status, text := v.request("POST", "/v1/sessions/"+s.ID, `{"mode":"`+mode.String()+`"}`); status != http.StatusOK {
			t.Errorf("%s: %d %s", mode, status, text)
		}
	}
}

// Who only answers requests makes no rules: an approval that is kept in the settings needs an operator, and one that is kept for all
// projects needs one who sees all workspaces.
func TestAnApproverMakesNoRules(t *testing.T) {
	v := newHome(t, `turns: [{calls: [{name: bash, args: {command: "./build.sh"}}]}, {text: done}]`).start()
	approver, err := v.server.Auth().Add(User{Name: "mei", Role: roleApprover})
	if err != nil {
		t.Fatal(err)
	}
	limited, err := v.server.Auth().Add(User{Name: "some", Role: roleOperator, Workspaces: []string{v.home.dir}})
	if err != nil {
		t.Fatal(err)
	}
	ask[api.Session](v, "POST", "/v1/sessions", api.NewSession{Text: "go"})
	r := v.pending()
	kept := 0
	for _, s := range r.Scopes {
		if s.Scope == guard.Once || s.Scope == guard.ForSession {
			continue
		}
		kept++
		body, err := json.Marshal(api.Answer{Choice: "approved", Hash: r.Hash, Scope: s.Scope})
		if err != nil {
			t.Fatal(err)
		}
		keys := []string{approver}
		if s.Scope == guard.Always {
			keys = append(keys, limited)
		}
		for _, key := range keys {
			if status, text := v.request("POST", "/v1/inbox/"+r.Session+"/"+r.Call, string(body), header("Authorization", "Bearer "+key)); status != http.StatusForbidden {
				t.Errorf("%s: %d %s", s.Scope, status, text)
			}
		}
	}
	if kept < 2 || v.pending().Hash != r.Hash {
		t.Errorf("%d kept scopes; the request is answered", kept)
	}
}

// What was allowed for a session is shown with it, and can be taken back.
func TestWhatWasAllowedForASessionIsTakenBack(t *testing.T) {
	v := newHome(t, `turns: [{calls: [{name: bash, args: {command: "./build.sh"}}]}, {text: done}]`).start()
	s := ask[api.Session](v, "POST", "/v1/sessions", api.NewSession{Text: "go"})
	r := v.pending()
	ask[any](v, "POST", "/v1/inbox/"+r.Session+"/"+r.Call, api.Answer{Choice: "approved", Hash: r.Hash, Scope: guard.ForSession})
	v.state(s.ID, api.Idle)
	path := "/v1/sessions/" + s.ID
	if got := ask[api.Session](v, "GET", path, nil).Allowed; !slices.Equal(got, []string{"bash(./build.sh)"}) {
		t.Fatalf("allowed: %q", got)
	}
	explained := func(allowed ...string) string {
		return ask[api.Explained](v, "POST", "/v1/rules/explain", api.ExplainCall{Call: "./build.sh", Isolation: "none", Allowed: allowed}).Decision
	}
	if before, now := explained(), explained("bash(./build.sh)"); before != "ask" || now != "allow" {
		t.Errorf("explained as %s, and as %s where it is allowed", before, now)
	}
	if got := ask[api.Session](v, "POST", path, api.Change{Disallow: "bash(./build.sh)"}).Allowed; len(got) > 0 {
		t.Errorf("allowed: %q", got)
	}
	if status, text := v.request("POST", path, `{"disallow":"bash(./build.sh)"}`); status != http.StatusNotFound {
		t.Errorf("%d %s", status, text)
	}
}

// An operator may change a call before approving it. The changed call is checked again; where the rules ask about it, it needs
// an approval of its own, bound to the changed arguments.
func TestACallIsChangedBeforeItIsApproved(t *testing.T) {
	v := newHome(t, asksOnce).start()
	approver, err := v.server.Auth().Add(User{Name: "mei", Role: roleApprover})
	if err != nil {
		t.Fatal(err)
	}
	s := ask[api.Session](v, "POST", "/v1/sessions", api.NewSession{Text: "go"})
	r := v.pending()
	path := "/v1/inbox/" + r.Session + "/" + r.Call
	changed := func(command, more string) string {
		return `{"choice":"approved","hash":"` + r.Hash + `","args":{"command":"` + command + `"}` + more + `}`
	}
	for _, row := range []struct {
		name, body string
		want       int
		who        func(*http.Request)
	}{
		{"an approver may only answer", changed("true", ""), 403, header("Authorization", "Bearer "+approver)},
		{"a change for the whole session", changed("true", `,"scope":"session"`), 422, nil},
		{"a change of a denied call", strings.Replace(changed("true", ""), "approved", "denied", 1), 422, nil},
		{"no object", `{"choice":"approved","hash":"` + r.Hash + `","args":[1]}`, 422, nil},
		{"a name that comes twice", strings.Replace(changed("true", ""), `{"command"`, `{"command":"x","command"`, 1), 400, nil},
		{"another hash", strings.Replace(changed("true", ""), r.Hash, "0", 1), 409, nil},
	} {
		who := row.who
		if who == nil {
			who = func(*http.Request) {}
		}
		if status, text := v.request("POST", path, row.body, who); status != row.want {
			t.Errorf("%s: %d, want %d: %s", row.name, status, row.want, text)
		}
	}
	if status, text := v.request("POST", path, changed("git push origin dev; echo y >> other.txt", "")); status != 200 {
		t.Fatal(status, text)
	}
	var again api.Request
	v.until("the changed call asks again", func() bool {
		all := ask[api.Requests](v, "GET", "/v1/inbox", nil).Requests
		if len(all) == 1 && all[0].Hash != r.Hash {
			again = all[0]
		}
		return again.Hash != ""
	})
	if !strings.Contains(again.Intent.Command, "other.txt") {
		t.Error("the request is about something else:", again.Intent.Command)
	}
	ask[api.Answered](v, "POST", path, api.Answer{Choice: "approved", Hash: again.Hash})
	v.state(s.ID, api.Idle)
	if v.lines("done.txt") != 0 || v.lines("other.txt") != 1 {
		t.Error("not the changed call ran")
	}
}

// A session is deleted while nothing of it is at work, with what waits for it.
func TestASessionIsDeleted(t *testing.T) {
	v := newHome(t, "turns:\n  - calls: [{name: bash, args: {command: sleep 100}}]\n  - {text: Done., repeat: 9}\n").start()
	s := ask[api.Session](v, "POST", "/v1/sessions", api.NewSession{Text: "go"})
	v.state(s.ID, api.Working)
	if status, text := v.request("DELETE", "/v1/sessions/"+s.ID, ""); status != http.StatusConflict {
		t.Errorf("a session at work: %d %s", status, text)
	}
	ask[any](v, "POST", "/v1/sessions/"+s.ID+"/cancel", struct{}{})
	v.state(s.ID, api.Cancelled)
	if status, text := v.request("DELETE", "/v1/sessions/"+s.ID, ""); status != http.StatusNoContent {
		t.Fatalf("%d %s", status, text)
	}
	if status, _ := v.request("GET", "/v1/sessions/"+s.ID, ""); status != http.StatusNotFound {
		t.Errorf("it is still shown: %d", status)
	}
	if all := ask[[]api.Session](v, "GET", "/v1/sessions", nil); len(all) != 0 {
		t.Errorf("it is still listed: %+v", all)
	}
	if _, err := os.Stat(filepath.Join(v.home.dirs.Sessions, s.ID)); err == nil {
		t.Error("its files are left")
	}
	if entries := ask[[]api.Entry](v, "GET", "/v1/audit", nil); entries[0].What != "deleted" || entries[0].Session != s.ID {
		t.Errorf("%+v", entries[0])
	}
}

// A request to begin a session is sent again: one session begins, and gets its message once, also from a server that was started again.
func TestASessionBeginsOnce(t *testing.T) {
	home := newHome(t, "turns:\n  - {text: Done., repeat: 9}\n")
	v := home.start()
	n := api.NewSession{ID: "mine-1", Text: "go"}
	for range 3 {
		if s := ask[api.Session](v, "POST", "/v1/sessions", n); s.ID != "mine-1" {
			t.Fatalf("%+v", s)
		}
	}
	v.state("mine-1", api.Idle)
	v.stop()
	v = home.start()
	ask[api.Session](v, "POST", "/v1/sessions", n)
	prompted := 0
	for _, e := range ask[api.Events](v, "GET", "/v1/sessions/mine-1/events", nil).Events {
		if e.Kind == event.Prompted {
			prompted++
		}
	}
	if all := ask[[]api.Session](v, "GET", "/v1/sessions", nil); len(all) != 1 || prompted != 1 {
		t.Errorf("%d sessions, and the message came %d times", len(all), prompted)
	}
	if status, _ := v.request("POST", "/v1/sessions", `{"id":"../x"}`); status != http.StatusUnprocessableEntity {
		t.Errorf("no id of a session: %d", status)
	}
}

// A list is read in pages: none is missing and none comes twice, also where a session is at work again meanwhile.
func TestAListOfSessionsHasPages(t *testing.T) {
	v := newHome(t, "turns:\n  - {text: Done., repeat: 99}\n").unlimited().start()
	for i := range 7 {
		id := "s" + string(rune('a'+i))
		ask[api.Session](v, "POST", "/v1/sessions", api.NewSession{ID: id, Text: id})
		v.state(id, api.Idle)
	}
	var got []string
	before := ""
	for {
		page := ask[[]api.Session](v, "GET", "/v1/sessions?limit=3&before="+url.QueryEscape(before), nil)
		for _, s := range page {
			got = append(got, s.ID)
			before = s.Last.Format(time.RFC3339Nano) + "," + s.ID
		}
		if len(got) == 3 {
			ask[api.Sent](v, "POST", "/v1/sessions/sa/messages", api.NewMessage{Text: "again"}) // it is the newest now
			v.state("sa", api.Idle)
		}
		if len(page) < 3 {
			break
		}
	}
	if want := "sg sf se sd sc sb"; strings.Join(got, " ") != want {
		t.Errorf("the pages have %q, want %q", got, want)
	}
	if status, _ := v.request("GET", "/v1/sessions?before=yesterday", ""); status != http.StatusBadRequest {
		t.Errorf("no place in a list: %d", status)
	}
}
