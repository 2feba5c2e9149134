package journal

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"rein/event"
	"rein/tool"
)

func open(t testing.TB, dir string) *File {
	t.Helper()
	f, _, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

func texts(t testing.TB, dir string) (all []string, err error) {
	t.Helper()
	for e, readErr := range Read(filepath.Join(dir, FileName)) {
		if readErr != nil {
			return all, readErr
		}
		all = append(all, e.Text)
	}
	return all, nil
}

func TestWhatIsAppendedIsReadBack(t *testing.T) {
	dir := t.TempDir()
	f := open(t, dir)
	want := event.Event{Kind: event.Granted, Time: time.Now().UTC().Round(0), Session: "s", Text: "a\nb <c> \u2028",
		Call: &tool.Call{ID: "1", Name: "x", Args: []byte(`{"a":"\u003c"}`)}, Grant: &event.Grant{By: "user", Hash: "ff"}}
	if err := f.Append(want, event.Event{Kind: event.Replied, Text: "2"}); err != nil {
		t.Fatal(err)
	}
	var got []event.Event
	for e, err := range Read(filepath.Join(dir, FileName)) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, e)
	}
	if len(got) != 2 || got[0].Text != want.Text || string(got[0].Call.Args) != string(want.Call.Args) || *got[0].Grant != *want.Grant || !got[0].Time.Equal(want.Time) {
		t.Errorf("got %+v", got)
	}
}

func TestATornLastLineIsCutOff(t *testing.T) {
	for _, torn := range []string{`{"kind":"repl`, "\xff", strings.Repeat("x", 200_000)} {
		dir := t.TempDir()
		f := open(t, dir)
		if err := f.Append(event.Event{Kind: event.Prompted, Text: "one"}); err != nil {
			t.Fatal(err)
		}
		f.Close()
		name := filepath.Join(dir, FileName)
		whole, err := os.ReadFile(name)
		if err == nil {
			err = os.WriteFile(name, append(whole, torn...), 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
		if all, err := texts(t, dir); !errors.Is(err, ErrTorn) || len(all) != 1 {
			t.Errorf("reading gave %q, %v", all, err)
		}
		f, rest, err := Open(dir)
		if err != nil || rest.Torn != torn || rest.String() == "" {
			t.Fatalf("opening gave %v, %v", rest, err)
		}
		if err := f.Append(event.Event{Kind: event.Prompted, Text: "two"}); err != nil {
			t.Fatal(err)
		}
		f.Close()
		if all, err := texts(t, dir); err != nil || strings.Join(all, " ") != "one two" {
			t.Errorf("after going on: %q, %v", all, err)
		}
	}
}

func TestOneProcessHoldsASession(t *testing.T) {
	dir := t.TempDir()
	open(t, dir)
	if _, _, err := Open(dir); !errors.Is(err, ErrHeld) {
		t.Errorf("the second one got %v", err)
	}
}

func TestAppendsFromManyGoroutinesAreWholeLines(t *testing.T) {
	dir := t.TempDir()
	f := open(t, dir)
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			for n := range 50 {
				if err := f.Append(event.Event{Kind: event.Replied, Text: fmt.Sprint(i, " ", n, strings.Repeat(" x", i*100))}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	if lines, err := texts(t, dir); err != nil || len(lines) != 400 {
		t.Errorf("%d lines, %v", len(lines), err)
	}
}

// TestCloseWhileOthersAppend: an append that succeeded is on disk, whenever the journal is closed.
func TestCloseWhileOthersAppend(t *testing.T) {
	for range 20 {
		dir := t.TempDir()
		f := open(t, dir)
		var done atomic.Int64
		var all sync.WaitGroup
		for range 4 {
			all.Go(func() {
				for f.Append(event.Event{Kind: event.Replied}) == nil {
					done.Add(1)
				}
			})
		}
		for done.Load() < 3 {
			time.Sleep(time.Millisecond)
		}
		if err := f.Close(); err != nil {
			t.Error(err)
		}
		all.Wait()
		if lines, err := texts(t, dir); err != nil || int64(len(lines)) < done.Load() {
			t.Errorf("%d appends succeeded, and %d events are there: %v", done.Load(), len(lines), err)
		}
	}
}

func TestAJournalThatFailedStaysFailed(t *testing.T) {
	dir := t.TempDir()
	f := open(t, dir)
	f.f.Close() // the disk goes away
	first := f.Append(event.Event{Kind: event.Prompted})
	if first == nil {
		t.Fatal("no error")
	}
	if err := f.Append(event.Event{Kind: event.Prompted}); !errors.Is(err, os.ErrClosed) {
		t.Errorf("the next append said %v", err)
	}
}

func TestAFullDiskLeavesNoHalfLine(t *testing.T) {
	// A file size limit stands in for a full disk: RLIMIT_FSIZE would kill the process, so the journal is given a
	// file that refuses to grow.
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Logf("no /dev/full on this system, nothing to test: %v", err)
		return
	}
	f := open(t, t.TempDir())
	f.f.Close()
	f.f = full
	if err := f.Append(event.Event{Kind: event.Granted}); !errors.Is(err, ErrFailed) || !strings.Contains(err.Error(), "no space") {
		t.Errorf("got %v", err)
	}
}

func TestAnIDNamesNoOtherPlace(t *testing.T) {
	for _, id := range []string{"", ".", "..", "../x", "a/b", "A", "a\x00", "-a", strings.Repeat("a", 65)} {
		if dir, err := Dir("/sessions", id); !errors.Is(err, ErrNoSession) {
			t.Errorf("%q gave %q, %v", id, dir, err)
		}
	}
	id := NewID(time.Now())
	if dir, err := Dir("/sessions", id); err != nil || dir != "/sessions/"+id {
		t.Errorf("%q gave %q, %v", id, dir, err)
	}
}

// What must be on disk is there when Append returns; what need not be is written only.
func TestSynced(t *testing.T) {
	only := event.Event{Kind: event.Granted, Grant: &event.Grant{OnlyReads: true}}
	for i, row := range []struct {
		event event.Event
		want  bool
	}{
		{event.Event{Kind: event.Called}, false},
		{event.Event{Kind: event.Granted}, true},
		{event.Event{Kind: event.Granted, Grant: &event.Grant{By: "guard"}}, true},
		{only, false},
		{event.Event{Kind: event.Replied}, true},
	} {
		f := open(t, t.TempDir())
		if err := f.Append(row.event); err != nil {
			t.Fatal(err)
		}
		if f.synced == f.written != row.want {
			t.Errorf("row %d: %d of %d bytes are on disk", i, f.synced, f.written)
		}
	}
}

// BenchmarkAppendSynced beside BenchmarkBareSynced: what the journal adds to a write and an fdatasync.
func BenchmarkAppendSynced(b *testing.B) {
	f := open(b, b.TempDir())
	e := event.Event{Kind: event.Replied, Time: time.Now(), Session: "s", Call: &tool.Call{ID: "1", Name: "read_file"}, Result: &tool.Result{ID: "1", Text: strings.Repeat("line\n", 100)}}
	for b.Loop() {
		if err := f.Append(e); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkBareSynced(b *testing.B) {
	f, err := os.Create(filepath.Join(b.TempDir(), "bare"))
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	line := []byte(strings.Repeat("x", 700) + "\n")
	for b.Loop() {
		if _, err := f.Write(line); err != nil {
			b.Fatal(err)
		}
		if err := datasync(f); err != nil {
			b.Fatal(err)
		}
	}
}
