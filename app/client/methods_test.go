package client_test

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"rein/app/client"
	"rein/app/server/api"
	"rein/event"
)

// must returns what a method answered without an error.
func must[T any](v T, err error) func(*testing.T) T {
	return func(t *testing.T) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// read reads a document whole.
func read(r io.ReadCloser, err error) func(*testing.T) string {
	return func(t *testing.T) string {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(r)
		if err := errors.Join(err, r.Close()); err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
}

// until waits for a condition.
func until(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for end := time.Now().Add(time.Minute); !holds(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("it never came: " + what)
		}
	}
}

// finished starts a session and waits for the end of its turn.
func finished(t *testing.T, c *client.Client, text string) api.Session {
	t.Helper()
	s := must(c.Start(t.Context(), api.NewSession{Text: text, Mode: "full"}))(t)
	until(t, "the end of the turn", func() bool { return must(c.Session(t.Context(), s.ID))(t).State == api.Idle })
	return s
}

// The conversation and the files of a session are shown, sent, exported, taken back and continued elsewhere.
func TestAProgramWorksWithASession(t *testing.T) {
	c, ctx := serve(t, `turns:
  - calls: [{name: write_file, args: {path: a.txt, content: "one\n"}}, {name: send_file, args: {path: a.txt}}]
  - text: It is written.
  - text: Notes are read.
  - text: The summary.
`), t.Context()
	s := finished(t, c, "write a file")
	if f := must(c.FileText(ctx, "", "a.txt"))(t); f.Text != "one\n" {
		t.Errorf("%+v", f)
	}
	if text := read(c.Download(ctx, "", "a.txt"))(t); text != "one\n" {
		t.Errorf("%q", text)
	}
	if l := must(c.Files(ctx, "", ""))(t); len(l.Entries) != 1 || l.Entries[0].Name != "a.txt" {
		t.Errorf("%+v", l)
	}
	for _, all := range []api.Changes{must(c.Changes(ctx, s.ID))(t), must(c.WorkspaceChanges(ctx, ""))(t)} {
		if len(all.Files) != 1 || all.Files[0].Path != "a.txt" || !strings.Contains(all.Files[0].Diff, "+one") {
			t.Errorf("%+v", all)
		}
	}
	call, prompt := "", int64(0)
	for _, e := range must(c.Past(ctx, s.ID, 0, 0))(t).Events {
		if e.Kind == event.Prompted {
			prompt = e.Seq
		}
		if e.Kind == event.Called && e.Call.Name == "send_file" {
			call = e.Call.ID
		}
	}
	if text := read(c.SentFile(ctx, s.ID, call))(t); text != "one\n" {
		t.Errorf("%q", text)
	}
	for format, want := range map[string]string{"": "It is written.", "html": "<html", "json": `"kind"`} {
		if text := read(c.Export(ctx, s.ID, format))(t); !strings.Contains(text, want) {
			t.Errorf("%s: %.300s", format, text)
		}
	}
	if found := must(c.Search(ctx, `"is written"`, 5))(t); len(found) != 1 || found[0].Session.ID != s.ID {
		t.Errorf("%+v", found)
	}
	undone(t, c, s.ID)
	fork := must(c.Fork(ctx, s.ID, api.At{}))(t)
	if all := must(c.FindSessions(ctx, client.SessionQuery{Limit: 1}))(t); fork.ID == s.ID || len(all) != 1 {
		t.Errorf("%+v: %+v", fork, all)
	}
	if all := must(c.FindSessions(ctx, client.SessionQuery{Title: "no such title"}))(t); len(all) != 0 {
		t.Errorf("%+v", all)
	}
	file := must(c.Attach(ctx, s.ID, api.Upload{Name: "notes.txt", Data: []byte("my notes")}))(t)
	must(c.Send(ctx, s.ID, api.NewMessage{Text: "read this", Attachments: []string{file.ID}}))(t)
	until(t, "the second answer", func() bool { return strings.Contains(read(c.Export(ctx, s.ID, ""))(t), "Notes are read.") })
	until(t, "the end of the turn", func() bool { return !must(c.Session(ctx, s.ID))(t).Working })
	if n := must(c.Names(ctx, s.ID, "rea"))(t); len(n.Commands) == 0 {
		t.Errorf("%+v", n)
	}
	must(c.Rewind(ctx, s.ID, api.At{At: prompt}))(t)
	if got := must(c.Compact(ctx, s.ID, api.Compaction{Focus: "files"}))(t); got.ID != s.ID {
		t.Errorf("%+v", got)
	}
}

// undone takes back what a session did, after a look at the plan.
func undone(t *testing.T, c *client.Client, session string) {
	t.Helper()
	steps := must(c.Steps(t.Context(), session))(t)
	if len(steps) != 1 || steps[0].Undone {
		t.Fatalf("%+v", steps)
	}
	what := api.Undoing{Call: steps[0].Call}
	plan := must(c.Undo(t.Context(), session, what))(t)
	what.Hash = plan.Hash
	done := must(c.Undo(t.Context(), session, what))(t)
	if l := must(c.Files(t.Context(), "", ""))(t); plan.Done || !done.Done || len(l.Entries) != 0 {
		t.Errorf("%+v %+v %+v", plan, done, l)
	}
}

// A list of sessions has pages, and what is deleted is in none.
func TestAProgramDeletesASession(t *testing.T) {
	c, ctx := serve(t, "turns:\n  - {text: Done., repeat: 9}\n"), t.Context()
	first, second := finished(t, c, "one"), finished(t, c, "two")
	page := must(c.FindSessions(ctx, client.SessionQuery{Limit: 1}))(t)
	if len(page) != 1 || page[0].ID != second.ID {
		t.Fatalf("%+v", page)
	}
	if page = must(c.FindSessions(ctx, client.SessionQuery{Limit: 1, Before: client.Behind(page[0])}))(t); len(page) != 1 || page[0].ID != first.ID {
		t.Fatalf("%+v", page)
	}
	if err := c.DeleteSession(ctx, first.ID); err != nil {
		t.Fatal(err)
	}
	if all := must(c.Sessions(ctx))(t); len(all) != 1 || all[0].ID != second.ID {
		t.Errorf("%+v", all)
	}
}

// Several requests are answered at once, and the answers, calls and what they cost are counted.
func TestAProgramAnswersAndCounts(t *testing.T) {
	c, ctx := serve(t, `turns:
  - calls: [{name: bash, args: {command: "git push origin main"}}]
  - text: Done.
`), t.Context()
	s := must(c.Start(ctx, api.NewSession{Text: "push"}))(t)
	var r api.Requests
	until(t, "the request", func() bool { r = must(c.Inbox(ctx))(t); return len(r.Requests) > 0 })
	shown := []api.Shown{{Session: r.Requests[0].Session, Call: r.Requests[0].Call, Hash: r.Requests[0].Hash}, {Session: s.ID, Call: "none", Hash: "0"}}
	got := must(c.AnswerAll(ctx, api.BatchAnswer{Choice: "denied", Words: "not now", Calls: shown}))(t)
	if len(got) != 2 || !got[0].Mine || got[1].Problem == "" {
		t.Errorf("%+v", got)
	}
	until(t, "the end of the turn", func() bool { return must(c.Session(ctx, s.ID))(t).State == api.Idle })
	if all := must(c.Usage(ctx, 2, ""))(t); len(all) != 1 || all[0].Sessions != 1 {
		t.Errorf("%+v", all)
	}
	if table := read(c.UsageTable(ctx, 0, ""))(t); strings.Count(table, "\n") != 2 {
		t.Errorf("%q", table)
	}
	must(c.CountCalls(ctx, 7, ""))(t)
	if err := c.Health(ctx); err != nil {
		t.Error(err)
	}
	if text := read(c.Metrics(ctx))(t); !strings.Contains(text, "# TYPE") {
		t.Errorf("%q", text)
	}
	newest := must(c.Audit(ctx, 0, 1))(t)
	if len(newest) != 1 || newest[0].Number < 2 {
		t.Fatalf("%+v", newest)
	}
	if older := must(c.Audit(ctx, newest[0].Number, 0))(t); int64(len(older)) != newest[0].Number-1 {
		t.Errorf("%+v before %+v", older, newest)
	}
}

// A background job is listed, read and stopped.
func TestAProgramStopsAJob(t *testing.T) {
	c, ctx := serve(t, `turns:
  - calls: [{name: bash, args: {command: "echo begin; sleep 300", background: true}}]
  - text: It runs.
`), t.Context()
	s := finished(t, c, "go")
	job := must(c.Jobs(ctx))(t)[0].ID
	until(t, "the output", func() bool { return must(c.JobOutput(ctx, s.ID, job, 0))(t).Text == "begin\n" })
	if o := must(c.JobOutput(ctx, s.ID, job, 2))(t); o.Text != "gin\n" || o.From != 2 || o.Next != 6 {
		t.Errorf("%+v", o)
	}
	must(c.StopJob(ctx, s.ID, job))(t)
	until(t, "the end of the job", func() bool { return !must(c.Jobs(ctx))(t)[0].Running })
}

// A task is checked, added, paused, run and deleted.
func TestAProgramPlansATask(t *testing.T) {
	c, ctx := serve(t, "turns: [{text: hi}]"), t.Context()
	task := api.NewSchedule{When: "@daily", Prompt: "look"}
	if s := must(c.CheckSchedule(ctx, task))(t); len(s.Next) == 0 || len(must(c.Schedules(ctx))(t)) != 0 {
		t.Errorf("%+v", s)
	}
	id := must(c.AddSchedule(ctx, task))(t).ID
	if err := c.PauseSchedule(ctx, id, api.Paused{Paused: true}); err != nil || !must(c.Schedules(ctx))(t)[0].Paused {
		t.Error(err)
	}
	if err := c.RunSchedule(ctx, id); err != nil {
		t.Error(err)
	}
	until(t, "the run", func() bool { all := must(c.Runs(ctx, id))(t); return len(all) == 1 && all[0].Text == "did look" })
	if err := c.DeleteSchedule(ctx, id); err != nil || len(must(c.Schedules(ctx))(t)) != 0 {
		t.Error(err)
	}
}

// A user is added, uses the key, sees what the role sees, and is removed.
func TestTheOwnerManagesUsers(t *testing.T) {
	c, ctx := serve(t, "turns: [{text: hi}]"), t.Context()
	k := must(c.AddUser(ctx, api.User{Name: "mei", Role: "operator"}))(t)
	mei := &client.Client{URL: c.URL, Key: k.Key}
	if me := must(mei.Me(ctx))(t); me.Name != "mei" || me.Role != "operator" {
		t.Errorf("%+v", me)
	}
	if all := must(c.Users(ctx))(t); len(all) != 1 || all[0].Name != "mei" {
		t.Errorf("%+v", all)
	}
	for what, err := range map[string]error{
		"an operator lists": second(mei.Users(ctx)), "an operator adds": second(mei.AddUser(ctx, api.User{Name: "sam", Role: "viewer"})), "an operator removes": mei.RemoveUser(ctx, "mei"),
		"the name twice": second(c.AddUser(ctx, api.User{Name: "mei", Role: "viewer"})), "a role": second(c.AddUser(ctx, api.User{Name: "x", Role: "owner"})),
		"a directory": second(c.AddUser(ctx, api.User{Name: "x", Role: "viewer", Workspaces: []string{"/elsewhere"}})), "nobody": c.RemoveUser(ctx, "nobody"),
	} {
		if err == nil {
			t.Errorf("%s: it was done", what)
		}
	}
	if err := c.RemoveUser(ctx, "mei"); err != nil {
		t.Error(err)
	}
	if _, err := mei.Me(ctx); err == nil {
		t.Error("the key of a user who was removed still works")
	}
	if all := must(c.Audit(ctx, 0, 0))(t); all[1].What != "removed_user" || all[1].Text != "mei" || all[2].What != "added_user" || all[2].Text != "mei operator" {
		t.Errorf("%+v", all)
	}
}

func second[T any](_ T, err error) error { return err }

// Rules and settings are read and changed, and calls explained.
func TestAProgramChangesRulesAndSettings(t *testing.T) {
	c, ctx := serve(t, "turns: [{text: hi}]"), t.Context()
	call := api.ExplainCall{Call: "git push origin main"}
	before := must(c.Explain(ctx, call))(t)
	change := api.RuleChange{Decision: "deny", Rule: "bash(git push:*)", Scope: "always"}
	if r := must(c.ChangeRule(ctx, change))(t); !r.Done || len(must(c.Rules(ctx, ""))(t).Rules) != 1 {
		t.Errorf("%+v", r)
	}
	if after := must(c.Explain(ctx, call))(t); before.Decision != "ask" || after.Decision != "deny" {
		t.Errorf("%+v, then %+v", before, after)
	}
	if s := must(c.Simulate(ctx, api.Simulation{Allow: []string{"bash(ls:*)"}}))(t); s.Calls != 0 {
		t.Errorf("%+v", s)
	}
	s := must(c.ChangeSetting(ctx, api.SettingChange{Names: []string{"mode"}, Value: "plan", Scope: "always"}))(t)
	if again := must(c.Settings(ctx, ""))(t); len(s.Values) == 0 || len(again.Values) != len(s.Values) {
		t.Errorf("%+v %+v", s, again)
	}
	if err := c.ReloadSettings(ctx); err != nil {
		t.Error(err)
	}
	if all := must(c.Workspaces(ctx))(t); len(all) != 1 || all[0].Name != "ws" {
		t.Errorf("%+v", all)
	}
	must(c.Models(ctx, ""))(t)
	if me := must(c.Me(ctx))(t); me.Role != "owner" {
		t.Errorf("%+v", me)
	}
}

// What a folder holds and what sessions use of it is listed, trusted and forgotten.
func TestAProgramTrustsAFolder(t *testing.T) {
	c, ctx := serve(t, "turns: [{text: hi}]"), t.Context()
	dir := must(c.Workspaces(ctx))(t)[0].Dir
	if err := os.WriteFile(filepath.Join(dir, "AGENTS.md"), []byte("Use tabs.\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	items := must(c.Trust(ctx))(t)[0].Items
	if len(items) != 1 || items[0].State != "new" {
		t.Fatalf("%+v", items)
	}
	if text := must(c.TrustText(ctx, dir, items[0].Kind, items[0].Path))(t); len(text.Files) != 1 || text.Files[0].Text != "Use tabs.\n" {
		t.Errorf("%+v", text)
	}
	if got := must(c.AnswerTrust(ctx, api.TrustAnswer{Dir: dir, Trust: true, Items: []api.Obeyed{items[0].Obeyed}}))(t); got.Items[0].State != "trusted" {
		t.Errorf("%+v", got)
	}
	if got := must(c.ForgetTrust(ctx, api.Place{Dir: dir}))(t); got.Items[0].State != "new" {
		t.Errorf("%+v", got)
	}
	if agents := must(c.Agents(ctx, dir))(t); len(agents) == 0 {
		t.Error("no kinds of sub-agents")
	}
	must(c.Skills(ctx, dir))(t)
}

// Kinds of sub-agents and skills of the user's own are written, changed and deleted.
func TestOwnDefinitions(t *testing.T) {
	c, ctx := serve(t, "turns: [{text: hi}]"), t.Context()
	text := "---\nname: tester\ndescription: Tests.\n---\nTest.\n"
	if out := must(c.SaveAgent(ctx, "tester", api.Definition{Text: text}))(t); len(out.Notes) != 0 {
		t.Errorf("%+v", out)
	}
	if out := must(c.SaveSkill(ctx, "tester", api.Definition{Text: text}))(t); len(out.Notes) != 0 {
		t.Errorf("%+v", out)
	}
	if err := errors.Join(c.DeleteAgent(ctx, "tester", api.Removal{Was: text}), c.DeleteSkill(ctx, "tester", api.Removal{Was: text}), c.AddMemory(ctx, api.MemoryText{Text: "x", Category: "task"})); err != nil {
		t.Error(err)
	}
}

// What does not exist gives a problem with a name: memory entries and tool servers, none of which is there.
func TestWhatDoesNotExist(t *testing.T) {
	c, ctx := serve(t, "turns: [{text: hi}]"), t.Context()
	if all := must(c.Memory(ctx, client.MemoryQuery{Words: "tabs", Limit: 3}))(t); len(all) != 0 {
		t.Errorf("%+v", all)
	}
	if all := must(c.ToolServers(ctx, ""))(t); len(all) != 0 {
		t.Errorf("%+v", all)
	}
	_, tried := c.TryToolServer(ctx, "", "none")
	_, accepted := c.AcceptTool(ctx, "none", api.PinAnswer{Tool: "x", Hash: "0"})
	_, begun := c.LoginToolServer(ctx, "", "none")
	_, ended := c.LogoutToolServer(ctx, "", "none")
	for name, err := range map[string]error{"confirm": c.ConfirmMemory(ctx, "", 7), "edit": c.EditMemory(ctx, 7, api.MemoryText{Text: "x", Category: "task"}), "delete": c.DeleteMemory(ctx, "", 7),
		"try": tried, "accept": accepted, "log in": begun, "log out": ended} {
		if p, ok := errors.AsType[*client.Problem](err); !ok || p.Status != 404 && p.Status != 409 || p.Kind() == "" || p.Kind() == "no_path" {
			t.Errorf("%s: %v", name, err)
		}
	}
}
