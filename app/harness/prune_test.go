package harness

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"rein/event"
	"rein/journal"
)

// TestOldSessionsAreDeleted: the setting deletes them when a session begins or is resumed, and not before a day has passed again. The one that
// is resumed stays.
func TestOldSessionsAreDeleted(t *testing.T) {
	h, err := openWith(t, `{"sessions": {"days": 30}}`)
	if err != nil {
		t.Fatal(err)
	}
	write := func(id string) (dir string) {
		dir = filepath.Join(h.dirs.Sessions, id)
		f, _, err := journal.Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		begun := event.Event{Kind: event.Started, Session: id, Time: time.Now().AddDate(0, 0, -31), Start: &event.Start{Terms: event.Terms{Dir: h.root}}}
		if err := errors.Join(f.Append(begun), f.Close()); err != nil {
			t.Fatal(err)
		}
		return dir
	}
	there := func(dir string) bool { _, err := os.Stat(dir); return err == nil }
	first := write("first")
	begin := func() {
		s, err := h.Start(t.Context(), NewSession{NoModel: true})
		if err != nil {
			t.Fatal(err)
		}
		h.pruning.work.Wait()
		if err := s.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if begin(); there(first) {
		t.Error("an old session stays")
	}
	second := write("second")
	if begin(); !there(second) {
		t.Error("sessions are deleted twice a day")
	}
	h.pruning.last = h.pruning.last.Add(-24 * time.Hour)
	if begin(); there(second) {
		t.Error("an old session stays on the next day")
	}
	old, other := write("old"), write("other")
	h.pruning.last = h.pruning.last.Add(-24 * time.Hour)
	s, err := h.Resume(t.Context(), "old", NewSession{NoModel: true})
	if err != nil {
		t.Fatal(err)
	}
	if h.pruning.work.Wait(); there(other) || !there(old) {
		t.Errorf("a resumed session left another one: %v, and it is there: %v", there(other), there(old))
	}
	if err := errors.Join(s.Close(t.Context()), h.Close(t.Context())); err != nil {
		t.Fatal(err)
	}
	if h, err = openWith(t, `{}`); err != nil {
		t.Fatal(err)
	}
	third := write("third")
	if begin(); !there(third) {
		t.Error("without the setting a session is deleted")
	}
	if err := h.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := openWith(t, `{"sessions": {"days": -1}}`); err == nil {
		t.Error("-1 days are taken")
	}
}
