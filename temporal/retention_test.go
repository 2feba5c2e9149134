package temporal

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"rein/event"
	"rein/journal"
)

// recorded makes a session in a store.
func recordedIn(t *testing.T, s Store, id string, events ...event.Event) {
	t.Helper()
	log, err := s.Open(t.Context(), id)
	if err == nil {
		err = errors.Join(log.Append(events...), log.Close())
	}
	if err == nil {
		err = s.Put(t.Context(), id, "one", []byte("data"))
	}
	if err != nil {
		t.Fatal(err)
	}
}

// A session is removed with its data, and only where nobody has it open or has gone on with it. What a removal that was cut off has left goes later.
func TestASessionOfFilesIsRemoved(t *testing.T) {
	f := Files{Dir: t.TempDir()}
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for _, id := range []string{"s1", "s2"} {
		recordedIn(t, f, id, event.Event{Kind: event.Prompted, Session: id, Time: at, Text: "go"}, event.Event{Kind: event.Stopped, Session: id, Time: at.Add(time.Hour), Stop: event.Done})
	}
	if err := f.Put(t.Context(), "doctor", "one", nil); err != nil {
		t.Fatal(err)
	}
	var all []Stored
	for s, err := range f.Sessions(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, s)
	}
	if len(all) != 2 || all[0].ID != "s1" || all[0].Seq != 2 || !all[0].Last.Equal(at.Add(time.Hour)) {
		t.Errorf("%+v", all)
	}
	if err := f.Remove(t.Context(), Removal{Session: "s1", Seq: 1}); !errors.Is(err, ErrUsed) {
		t.Errorf("one that somebody has gone on with: %v", err)
	}
	open, err := f.Open(t.Context(), "s1")
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Remove(t.Context(), Removal{Session: "s1", Seq: 2}); !errors.Is(err, ErrUsed) {
		t.Errorf("one that is open: %v", err)
	}
	open.Close()
	crash := errors.New("a crash")
	if err := f.Remove(t.Context(), Removal{Session: "s1", Seq: 2, First: func(context.Context) error { return crash }}); !errors.Is(err, crash) {
		t.Errorf("%v", err)
	}
	if got, err := f.Get(t.Context(), "s1", "one"); string(got) != "data" {
		t.Errorf("it lost data: %v", err)
	}
	left := filepath.Join(f.Dir, removedPrefix+"s9") // of a removal that was cut off
	if err := os.MkdirAll(left, 0o700); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := f.Remove(t.Context(), Removal{Session: "s1", Seq: 2}); err != nil {
			t.Error(err)
		}
	}
	for _, err := range f.Events(t.Context(), "s1", 0) {
		if !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("its events: %v", err)
		}
	}
	entries, _ := os.ReadDir(f.Dir)
	for _, e := range entries {
		if e.Name() != "s2" && e.Name() != "doctor" && e.Name() != liveName {
			t.Errorf("%s is left", e.Name())
		}
	}
	if _, err := os.Stat(filepath.Join(f.Dir, "s2", journal.FileName)); err != nil {
		t.Error(err)
	}
}
