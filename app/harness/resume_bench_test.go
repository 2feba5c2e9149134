package harness

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"rein/app/sessions"
	"rein/app/settings"
	"rein/event"
	"rein/journal"
	"rein/model"
	"rein/tool"
)

// longJournal records a session of 10,000 events and 50 MB: 2,000 calls with outputs of 24 KB.
func longJournal(b *testing.B, d settings.Dirs, dir string) string {
	b.Helper()
	const id = "long"
	if err := os.MkdirAll(filepath.Join(d.Sessions, id), 0o700); err != nil {
		b.Fatal(err)
	}
	out := strings.Repeat("pkg/file.go:17: some \"output\" of a program\twith words\n", 470)
	at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	var text []byte
	seq := int64(0)
	add := func(e event.Event) {
		seq++
		e.Seq, e.Time, e.Session = seq, at.Add(time.Duration(seq)*time.Second), id
		var err error
		if text, err = e.Line(text); err != nil {
			b.Fatal(err)
		}
	}
	encode := func(m *model.Message) []byte { t, _ := json.Marshal(m); return t }
	add(event.Event{Kind: event.Started, Format: event.Format, Start: &event.Start{Terms: event.Terms{Dir: dir, Model: "script/x"}}})
	add(event.Event{Kind: event.Prompted, Text: "go", Message: encode(model.UserText("go"))})
	for i := range 2000 {
		call := tool.Call{ID: fmt.Sprintf("c%08d", i), Name: "bash", Args: []byte(`{"command":"go vet ./..."}`)}
		add(event.Event{Kind: event.Requested, Request: &event.Request{Model: "script/x"}})
		add(event.Event{Kind: event.Responded, Message: encode(&model.Message{Role: model.Assistant, Parts: []model.Part{{Kind: model.CallKind, ID: call.ID, Name: "bash", Args: string(call.Args)}}}), Usage: &event.Usage{Input: 100, Output: 10}})
		add(event.Event{Kind: event.Called, Call: &call, Intent: &tool.Intent{Command: "go vet ./..."}})
		add(event.Event{Kind: event.Granted, Call: &tool.Call{ID: call.ID, Name: "bash"}, Grant: &event.Grant{By: "guard", Hash: strings.Repeat("a", 64)}})
		add(event.Event{Kind: event.Replied, Call: &tool.Call{ID: call.ID, Name: "bash"}, Result: &tool.Result{ID: call.ID, Name: "bash", Text: out}})
	}
	add(event.Event{Kind: event.Stopped, Stop: event.Done})
	if err := os.WriteFile(filepath.Join(d.Sessions, id, journal.FileName), text, 0o600); err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(text)))
	return id
}

// BenchmarkResume is the time from opening the harness to a session that can send its next request. Figures are in
// docs/maintainers/performance/sessions.md.
func BenchmarkResume(b *testing.B) {
	root := b.TempDir()
	d := settings.Dirs{Config: filepath.Join(root, "c"), Sessions: filepath.Join(root, "s"), Output: filepath.Join(root, "o"), Private: filepath.Join(root, "p"), State: filepath.Join(root, "t")}
	work, err := filepath.EvalSymlinks(b.TempDir())
	if err != nil {
		b.Fatal(err)
	}
	m := scripted(b, "turns: [{text: Done.}]")
	id := longJournal(b, d, work)
	for b.Loop() {
		h, err := Open(b.Context(), Options{Dir: work, Dirs: d})
		if err != nil {
			b.Fatal(err)
		}
		s, err := h.Resume(b.Context(), id, NewSession{Model: m})
		if err != nil {
			b.Fatal(err)
		}
		if len(s.Messages()) != 4001 {
			b.Fatal(len(s.Messages()))
		}
		h.Close(b.Context())
	}
}

// BenchmarkPast is the time to read what a front end shows of a long session when it is opened again.
func BenchmarkPast(b *testing.B) {
	root := b.TempDir()
	d := settings.Dirs{Sessions: filepath.Join(root, "s"), Output: filepath.Join(root, "o")}
	id := longJournal(b, d, root)
	store := SessionStore(d, nil)
	for b.Loop() {
		p, err := store.Last(id, sessions.Most{Turns: 10, Steps: 60})
		if err != nil || p.Steps < 3900 || len(p.Events) > 200 {
			b.Fatal(p.Steps, len(p.Events), err)
		}
	}
}
