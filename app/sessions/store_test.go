package sessions

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"rein/app/inbox"
	"rein/event"
	"rein/journal"
	"rein/tool"
)

// fixture is a store with a session "one" of two messages, the second with a call that waits for an approval.
func fixture(t *testing.T) (*Store, Dirs) {
	t.Helper()
	root := t.TempDir()
	d := Dirs{Sessions: filepath.Join(root, "sessions"), Output: filepath.Join(root, "output")}
	s := New(d, func(line string) { t.Log(line) })
	t.Cleanup(func() { s.Close() })
	call := &tool.Call{ID: "c1", Name: "bash", Args: []byte(`{"command":"make"}`)}
	record(t, d, "one", event.Event{Kind: event.Started, Start: &event.Start{Terms: event.Terms{Dir: "/w"}}},
		message(event.Prompted, "user", "first"), message(event.Responded, "assistant", "answer one"),
		message(event.Prompted, "user", "second"), message(event.Responded, "assistant", "answer two"),
		event.Event{Kind: event.Called, Call: call}, event.Event{Kind: event.ApprovalRequested, Call: call, Grant: &event.Grant{Hash: "h"}},
		event.Event{Kind: event.Stopped, Stop: event.Waiting})
	return s, d
}

func message(kind event.Kind, role, text string) event.Event {
	m, _ := json.Marshal(map[string]any{"role": role, "parts": []map[string]string{{"kind": "text", "text": text}}})
	return event.Event{Kind: kind, Text: text, Message: m}
}

func record(t testing.TB, d Dirs, id string, events ...event.Event) {
	t.Helper()
	f, _, err := journal.Open(filepath.Join(d.Sessions, id))
	if err != nil {
		t.Fatal(err)
	}
	for i := range events {
		events[i].Session, events[i].Time = id, time.Now()
	}
	if err := errors.Join(f.Append(events...), f.Close()); err != nil {
		t.Fatal(err)
	}
}

func kinds(t *testing.T, s *Store, id string) (all []event.Kind) {
	t.Helper()
	for e, err := range s.Events(id, 0) {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, e.Kind)
	}
	return all
}

func TestRewindKeepsWhatFollowed(t *testing.T) {
	s, d := fixture(t)
	requests := filepath.Join(d.Sessions, "one", inbox.DirName)
	if err := errors.Join(os.Mkdir(requests, 0o700), os.WriteFile(filepath.Join(requests, "c1.json"), []byte("{}"), 0o600)); err != nil {
		t.Fatal(err)
	}
	for _, at := range []int64{0, 1, 3, 99} {
		if err := s.Rewind("one", at, ""); !errors.Is(err, ErrNotAMessage) {
			t.Errorf("rewound to %d: %v", at, err)
		}
	}
	before := kinds(t, s, "one")
	if err := s.Rewind("one", 4, ""); err != nil {
		t.Fatal(err)
	}
	after := kinds(t, s, "one")
	if !slices.Equal(after, append(before, event.ApprovalVoid, event.Rewound)) {
		t.Errorf("recorded %v", after)
	}
	if _, err := os.Stat(requests); !errors.Is(err, os.ErrNotExist) {
		t.Error("the request still waits")
	}
	all, err := s.Messages("one")
	if err != nil || len(all) != 4 || all[1].Gone || !all[2].Gone || !all[3].Gone || !all[2].User || all[3].User {
		t.Errorf("%+v, %v", all, err)
	}
	if err := s.Rewind("one", 4, ""); !errors.Is(err, ErrNotAMessage) {
		t.Errorf("rewound to a message that is not in the conversation: %v", err)
	}
	fork, err := s.Fork("one", 5, "") // the branch that the user left
	if err != nil {
		t.Fatal(err)
	}
	if all, err := s.Messages(fork); err != nil || len(all) != 4 || all[3].Gone {
		t.Errorf("%+v, %v", all, err)
	}
}

func TestForkTakesSubAgentsThatAreAtWork(t *testing.T) {
	s, d := fixture(t)
	record(t, d, "child", event.Event{Kind: event.Started, Parent: "one", ParentCall: "c1"})
	record(t, d, "ended", event.Event{Kind: event.Started, Parent: "one", ParentCall: "c0"})
	record(t, d, "one", event.Event{Kind: event.SubAgentStarted, Child: "ended"}, event.Event{Kind: event.SubAgentStopped, Child: "ended", Stop: event.Done},
		event.Event{Kind: event.SubAgentStarted, Child: "child"})
	fork, err := s.Fork("one", 0, "my-fork")
	if err != nil || fork != "my-fork" {
		t.Fatal(fork, err)
	}
	var children []string
	var origin *event.Origin
	for e, err := range s.Events(fork, 0) {
		if err != nil {
			t.Fatal(err)
		}
		if e.Kind == event.SubAgentStarted {
			children = append(children, e.Child)
		}
		if e.Kind == event.Forked {
			origin = e.Origin
		}
	}
	if len(children) != 2 || children[0] != "ended" || children[1] == "child" || origin == nil || origin.Session != "one" {
		t.Fatalf("children %v, origin %+v", children, origin)
	}
	if c, err := s.Get(children[1]); err != nil || c.Parent != "my-fork" {
		t.Errorf("the copy of the child: %+v, %v", c, err)
	}
	if _, err := s.Fork("one", 0, "my-fork"); !errors.Is(err, journal.ErrExists) {
		t.Errorf("forked over a session: %v", err)
	}
	if c, err := s.Fork("child", 0, ""); err != nil {
		t.Error(err)
	} else if own, err := s.Get(c); err != nil || own.Parent != "" {
		t.Errorf("a fork of a sub-agent's session is the user's: %+v, %v", own, err)
	}
}

func TestFindAndNotes(t *testing.T) {
	s, d := fixture(t)
	record(t, d, "20260101-000000-one22", event.Event{Kind: event.Started, Start: &event.Start{Terms: event.Terms{Dir: "/other"}}})
	if err := s.SetName("20260101-000000-one22", " the release "); err != nil {
		t.Fatal(err)
	}
	if tags, err := s.Tag("one", []string{"b", "a", "b", "c"}, []string{"c"}); err != nil || !slices.Equal(tags, []string{"a", "b"}) {
		t.Errorf("tags %v, %v", tags, err)
	}
	for text, want := range map[string]string{"one": "one", "one2": "20260101-000000-one22", "the": "20260101-000000-one22", "the release": "20260101-000000-one22", "2026": "20260101-000000-one22"} {
		if id, err := s.Find(t.Context(), text); err != nil || id != want {
			t.Errorf("%q is %q, %v", text, id, err)
		}
	}
	for _, text := range []string{"", "../one", "zzz"} {
		if _, err := s.Find(t.Context(), text); err == nil {
			t.Errorf("%q is a session", text)
		}
	}
	if _, err := s.Find(t.Context(), "o"); !errors.Is(err, ErrAmbiguous) {
		t.Errorf("o: %v", err)
	}
	for _, bad := range []error{s.SetName("one", "a\x1b[31m"), s.SetName("one", string(make([]rune, 101))), s.SetName("none", "x"), second(s.Tag("one", []string{"two words"}, nil))} {
		if bad == nil {
			t.Error("a bad note was taken")
		}
	}
	if newest, err := s.Newest(t.Context(), "/w"); err != nil || newest.ID != "one" || !slices.Equal(newest.Tags, []string{"a", "b"}) {
		t.Errorf("%+v, %v", newest, err)
	}
	if _, err := s.Newest(t.Context(), "/nowhere"); !errors.Is(err, journal.ErrNoSession) {
		t.Error(err)
	}
}

func second[T any](_ T, err error) error { return err }

func TestDelete(t *testing.T) {
	s, d := fixture(t)
	record(t, d, "child", event.Event{Kind: event.Started, Parent: "one"})
	record(t, d, "one", event.Event{Kind: event.SubAgentStarted, Child: "child"}, event.Event{Kind: event.SubAgentStarted, Child: "other"})
	record(t, d, "other", event.Event{Kind: event.Started, Parent: "somebody"})
	if err := os.MkdirAll(filepath.Join(d.Output, "one-1"), 0o700); err != nil {
		t.Fatal(err)
	}
	f, _, err := journal.Open(filepath.Join(d.Sessions, "one"))
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Delete("one"); !errors.Is(err, journal.ErrHeld) {
		t.Errorf("deleted while it is open: %v", err)
	}
	if h := s.Holder("one"); h.PID != os.Getpid() {
		t.Errorf("held by %+v", h)
	}
	f.Close()
	if h := s.Holder("one"); h.PID != 0 {
		t.Errorf("held by %+v", h)
	}
	if err := s.Delete("one"); err != nil {
		t.Fatal(err)
	}
	left, _ := filepath.Glob(filepath.Join(d.Sessions, "*"))
	if fmt.Sprint(left) != fmt.Sprint([]string{filepath.Join(d.Sessions, "other")}) {
		t.Errorf("left: %v", left)
	}
	if _, err := os.Stat(filepath.Join(d.Output, "one-1")); err == nil {
		t.Error("outputs are left")
	}
}

func TestFollow(t *testing.T) {
	s, d := fixture(t)
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	f, _, err := journal.Open(filepath.Join(d.Sessions, "one"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var seen []string
	for e, err := range s.Follow(ctx, "one", 4) {
		if err != nil {
			t.Fatal(err)
		}
		if seen = append(seen, string(e.Kind)+e.Text); e.Kind == event.Stopped {
			if err := f.Append(event.Event{Kind: event.Prompted, Text: "more"}); err != nil {
				t.Fatal(err)
			}
		}
		if e.Text == "more" {
			break
		}
	}
	if ctx.Err() != nil || len(seen) != 5 || seen[0] != "responseanswer two" {
		t.Errorf("saw %v", seen)
	}
}

// A session is named by its first message, also where the user ran a command before; without a message by its first call.
func TestWhatNamesASession(t *testing.T) {
	_, d := fixture(t)
	call := event.Event{Kind: event.Called, Call: &tool.Call{ID: "c", Name: "bash", Args: []byte(`{"command":"ls"}`)}}
	for _, row := range []struct {
		id, title string
		events    []event.Event
	}{
		{"call", `bash {"command":"ls"}`, []event.Event{call}},
		{"own", "second try", []event.Event{call, message(event.Prompted, "user", "second try"), message(event.Prompted, "user", "third")}},
		{"empty", "third", []event.Event{message(event.Prompted, "user", " "), message(event.Prompted, "user", "third")}},
	} {
		record(t, d, row.id, row.events...)
		if s, err := Summary(d.Sessions, row.id); err != nil || s.Title != row.title {
			t.Errorf("%s: %q %v", row.id, s.Title, err)
		}
	}
}
