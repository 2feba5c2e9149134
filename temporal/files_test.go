package temporal

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"rein/app/harness"
	"rein/app/inbox"
	"rein/app/server"
	"rein/app/server/api"
	"rein/event"
)

// asked is a question to the host of a session, and what became of it.
type asked struct {
	answered
	name string
}

func (a *asked) Complete(name any, err error) {
	a.name, _ = name.(string)
	a.answered.Complete(name, err)
}

// What a session did to files is undone on its host, between its steps, and recorded; a host that is at work, or keeps nothing, says so. What a
// person is to be shown of a request is in the store.
func TestUndoOnTheHost(t *testing.T) {
	w := newWorld(t, `
turns:
- calls: [{name: read_file, id: c0, args: {path: notes.txt}}]
- calls: [{name: edit_file, id: c1, args: {path: notes.txt, edits: [{old: one, new: two}]}}]
- calls: [{name: bash, id: c2, args: {command: "curl https://example.org"}}]
- text: ready`)
	if err := os.WriteFile(filepath.Join(w.root, "notes.txt"), []byte("one\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	shown := w.withFiles(harness.Options{Terms: harness.Terms{Mode: "supervised"}})
	env := w.env()
	ask := func(u *api.Undoing) *asked {
		question, _ := json.Marshal(server.FileQuestion{Undo: u})
		a := &asked{}
		env.UpdateWorkflow(FilesName, "", a, json.RawMessage(question))
		return a
	}
	var early, plan, did, again *asked
	send(env, time.Second, Message{Text: "go"})
	env.RegisterDelayedCallback(func() { early = ask(&api.Undoing{Last: 1}) }, time.Second) // before the message has begun a step that ends
	env.RegisterDelayedCallback(func() { plan = ask(&api.Undoing{Last: 1}) }, time.Hour)
	env.RegisterDelayedCallback(func() {
		did = ask(&api.Undoing{Last: 1, Hash: w.undone(plan).Hash})
	}, 2*time.Hour)
	env.RegisterDelayedCallback(func() { again = ask(&api.Undoing{Last: 1}) }, 3*time.Hour)
	env.RegisterDelayedCallback(func() {
		if s := state(t, env); len(s.Pending) != 1 || s.Working != "" {
			t.Errorf("%+v", s)
		}
		env.UpdateWorkflow(AnswerName, "", &answered{}, answerTo(state(t, env).Pending[0], false))
		env.SignalWorkflow(CloseName, "")
	}, 4*time.Hour)
	env.ExecuteWorkflow(WorkflowName, Session{ID: "s1", Host: "host"})

	if early.err == nil || !strings.Contains(early.err.Error(), ErrBusy.Error()) {
		t.Errorf("while the session is at work: %+v", early)
	}
	if out := w.undone(did); !out.Done || len(out.Files) != 1 || w.file("notes.txt") != "one\n" {
		t.Errorf("%+v, the file is %q", out, w.file("notes.txt"))
	}
	if p := w.filesAnswer(again).Problem; p == nil || !strings.Contains(p.Error(), "nothing to undo") {
		t.Errorf("a second time: %+v", p)
	}
	undone := 0
	for e, err := range w.store.Events(t.Context(), "s1", 0) {
		if err != nil {
			t.Fatal(err)
		}
		if e.Kind == event.FilesUndone {
			undone++
		}
	}
	if undone != 1 || w.last("s1").Stop != event.Done {
		t.Errorf("the undo is recorded %d times, and the session ends with %+v", undone, w.last("s1"))
	}
	if len(*shown) == 0 || (*shown)[0].Call == "" || !strings.Contains(strings.Join((*shown)[0].Lines, "\n"), "example.org") {
		t.Errorf("a person is shown %+v", *shown)
	}
}

// withFiles is a host whose sessions are those of a harness, which answers questions about files. It gives the requests that a person is shown.
func (w *world) withFiles(o harness.Options) *[]inbox.Request {
	w.t.Helper()
	w.t.Setenv("REIN_HOME", w.t.TempDir())
	o.Dir, o.Sandbox, o.Warn = w.root, "off", func(line string) { w.t.Log(line) }
	h, err := harness.Open(w.t.Context(), o)
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() { _ = h.Close(context.Background()) })
	var shown []inbox.Request
	w.open = func(ctx context.Context, o Opening) (Opened, error) {
		s, err := harness.Step{Session: o.Session, Journal: o.Journal, Past: o.Past, Later: o.Later, Asked: func(r inbox.Request) error {
			shown = append(shown, r)
			return nil
		}}.Open(ctx, h, harness.NewSession{ModelName: w.model.Info().String()})
		if err != nil {
			return Opened{}, Refused(err)
		}
		return Opened{Session: s.Session, Close: s.Close, Files: func(ctx context.Context, question json.RawMessage) (json.RawMessage, error) {
			var q server.FileQuestion
			history, err := s.FileHistory()
			if err = errors.Join(err, json.Unmarshal(question, &q)); err != nil {
				return nil, err
			}
			return json.Marshal(q.Answer(ctx, h, history))
		}}, nil
	}
	return &shown
}

func (w *world) filesAnswer(a *asked) (out server.FileAnswer) {
	w.t.Helper()
	if a == nil || a.err != nil {
		w.t.Errorf("%+v", a)
		return out
	}
	text, err := w.store.Get(w.t.Context(), "s1", a.name)
	if err = errors.Join(err, json.Unmarshal(text, &out)); err != nil && !errors.Is(err, fs.ErrExist) {
		w.t.Error(err)
	}
	return out
}

func (w *world) undone(a *asked) api.Undone {
	w.t.Helper()
	out := w.filesAnswer(a)
	if out.Problem != nil {
		w.t.Error(out.Problem)
	}
	return out.Undone
}
