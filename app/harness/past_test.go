package harness

import (
	"encoding/json"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"rein/event"
	"rein/journal"
	"rein/model"
	"rein/tool"
)

func TestTheJournalIsRead(t *testing.T) {
	dir := t.TempDir()
	f, _, err := journal.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	notes, err := json.Marshal(model.UserText("the notes: port 48231"))
	if err != nil {
		t.Fatal(err)
	}
	result := tool.Result{ID: "1", Name: "bash", Text: "line one\nthe needle is here\nline three"}
	err = f.Append(
		event.Event{Kind: event.Prompted, Text: "look for the needle"},
		event.Event{Kind: event.Called, Call: &tool.Call{ID: "1", Name: "bash", Args: json.RawMessage(`{"command":"ls"}`)}},
		event.Event{Kind: event.Replied, Call: &tool.Call{ID: "1", Name: "bash"}, Result: &result},
		event.Event{Kind: event.Compacted, Compaction: &event.Compaction{Stage: event.BySummary}, Message: notes},
		event.Event{Kind: event.Responded, Text: "found a needle"})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	p := pastJournal{File: filepath.Join(dir, journal.FileName)}
	if text, ok, err := p.Result(t.Context(), "1"); err != nil || !ok || text != `bash {"command":"ls"}`+"\n"+result.Text {
		t.Errorf("the result: %q, %v, %v", text, ok, err)
	}
	if _, ok, err := p.Result(t.Context(), "2"); err != nil || ok {
		t.Errorf("no result: %v, %v", ok, err)
	}
	for number, want := range map[int64]string{1: "look for the needle", 4: "the notes: port 48231", 5: "found a needle", 3: "", 99: ""} {
		if text, ok, err := p.Message(t.Context(), number); err != nil || ok != (want != "") || text != want {
			t.Errorf("message %d: %q, %v, %v", number, text, ok, err)
		}
	}
	lines, all, err := p.Find(t.Context(), regexp.MustCompile("needle"), 2)
	if err != nil || all != 3 || len(lines) != 2 || !strings.HasPrefix(lines[0], `result of bash, call "1": line one the needle`) || !strings.HasPrefix(lines[1], "message 5 (the model)") {
		t.Errorf("found %d: %q, %v", all, lines, err)
	}
}

func TestFacts(t *testing.T) {
	facts := func(name, detail string) (s string) {
		f := pastFacts(tool.Result{Name: name, Detail: json.RawMessage(detail)})
		for _, x := range f.Files {
			s += x.Path + " " + x.State + ";"
		}
		for _, x := range f.Jobs {
			s += x.ID + map[bool]string{true: " runs;", false: " ended;"}[x.Running]
		}
		return s + strings.Join(f.Plan, ";")
	}
	for _, row := range [][3]string{
		{"todo", `{"plan":{"steps":[{"content":"a","status":"completed"},{"content":"b","status":"pending"}]}}`, "- [completed] a;- [pending] b"},
		{"edit_file", `{"changes":[{"path":"x","added":2,"removed":1},{"path":"y","deleted":true},{"path":"n","from":"o"},{"path":"z","created":true}]}`,
			"x changed, +2 -1;y deleted;n moved from o;z made;"},
		{"undo_edit", `{"changes":[{"path":"x"}]}`, "x a change was undone;"},
		{"bash", `{"command":{"job":"j1","running":true}}`, "j1 runs;"},
		{"job_kill", `{"command":{"job":"j1"}}`, "j1 ended;"},
		{"bash", `{"command":{"exit_code":0}}`, ""},
		{"x", `no json`, ""},
	} {
		if got := facts(row[0], row[1]); got != row[2] {
			t.Errorf("%s %s: %q", row[0], row[1], got)
		}
	}
}
