package sessions

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"rein/event"
	"rein/journal"
)

// TestPrune: what is old goes with its sub-agents' sessions; what the user marked, what waits and what a process has open stays.
func TestPrune(t *testing.T) {
	s, d := fixture(t) // "one" waits for an answer
	now := time.Now()
	old := func(id string, events ...event.Event) {
		f, _, err := journal.Open(filepath.Join(d.Sessions, id))
		if err != nil {
			t.Fatal(err)
		}
		for i := range events {
			events[i].Session, events[i].Time = id, now.AddDate(0, 0, -40)
		}
		if err := errors.Join(f.Append(events...), f.Close()); err != nil {
			t.Fatal(err)
		}
	}
	begun := func() event.Event {
		return event.Event{Kind: event.Started, Start: &event.Start{Terms: event.Terms{Dir: "/w"}}}
	}
	for _, id := range []string{"named", "tagged", "asks", "held", "plain", "waits"} {
		old(id, begun(), message(event.Prompted, "user", id), event.Event{Kind: event.Stopped, Stop: event.Done})
	}
	old("waits", event.Event{Kind: event.Stopped, Stop: event.Waiting})
	old("plain", event.Event{Kind: event.SubAgentStarted, Child: "child"})
	old("child", event.Event{Kind: event.Started, Parent: "plain"}, message(event.Prompted, "user", "task"))
	record(t, d, "new", begun(), message(event.Prompted, "user", "new"))
	if _, err := s.Tag("tagged", []string{"keep"}, nil); err != nil {
		t.Fatal(err)
	}
	if err := s.SetName("named", "mine"); err != nil {
		t.Fatal(err)
	}
	f, _, err := journal.Open(filepath.Join(d.Sessions, "held"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	deleted, err := s.Prune(t.Context(), now.AddDate(0, 0, -30), map[string]bool{"asks": true})
	if err != nil || len(deleted) != 1 || deleted[0].ID != "plain" {
		t.Errorf("deleted %v, %v", deleted, err)
	}
	left, err := os.ReadDir(d.Sessions)
	var ids []string
	for _, e := range left {
		if e.IsDir() && e.Name() != ".index" {
			ids = append(ids, e.Name())
		}
	}
	if want := []string{"asks", "held", "named", "new", "one", "tagged", "waits"}; err != nil || !slices.Equal(ids, want) {
		t.Errorf("left %v, %v", ids, err)
	}
}
