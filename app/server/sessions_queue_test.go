package server

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"rein/app/harness"
	"rein/app/server/api"
	"rein/event"
	"rein/journal"
)

func TestListsSurviveARestart(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "queues")
	open := func() (*queueStore[string], []string) {
		s, faults, err := openQueue[string](dir)
		if err != nil {
			t.Fatal(err)
		}
		return s, faults
	}
	put := func(s *queueStore[string], id string, list ...string) {
		t.Helper()
		if err := s.Put(id, list); err != nil {
			t.Fatal(err)
		}
	}
	s, _ := open()
	put(s, "b", "one", "two")
	put(s, "a", "three")
	put(s, "c", "four")
	put(s, "c")
	put(s, "never")
	if err := os.WriteFile(filepath.Join(dir, "broken.json"), []byte("["), 0o600); err != nil {
		t.Fatal(err)
	}
	s, faults := open()
	if got := s.Sessions(); !slices.Equal(got, []string{"a", "b"}) || !slices.Equal(s.Get("b"), []string{"one", "two"}) || len(faults) != 1 {
		t.Error(got, s.Get("b"), faults)
	}
}

// TestAKilledServerSendsWhatItTook has the files that a server leaves which is killed after it took the first message of a session, before and
// after that is recorded: the next one sends it once, in a session as it was wanted.
func TestAKilledServerSendsWhatItTook(t *testing.T) {
	const id = "20261127-killed"
	h := newHome(t, "turns: [{text: one}, {text: two}, {text: three}]")
	journalFile := filepath.Join(h.dirs.Sessions, id, journal.FileName)
	if err := os.MkdirAll(filepath.Dir(journalFile), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(journalFile, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	prompts := func() (n int, last event.Event) {
		for e, err := range journal.Read(journalFile) {
			if err == nil && e.Kind == event.Prompted {
				n, last = n+1, e
			}
		}
		return n, last
	}
	message := queued{Queued: api.Queued{ID: "m", Text: "remember me"}, Begin: &beginning{Dir: h.dir, Mode: "read-only"}, Taken: time.Now()}
	for _, step := range []struct {
		taken   time.Duration // after the last prompt
		prompts int
	}{{0, 1}, {-time.Millisecond, 1}, {time.Millisecond, 2}} {
		left, _, err := openQueue[queued](filepath.Join(h.dirs.State, "server", "queues"))
		if err != nil {
			t.Fatal(err)
		}
		if _, last := prompts(); !last.Time.IsZero() {
			message.Taken = last.Time.Add(step.taken)
		}
		if err := left.Put(id, []queued{message}); err != nil {
			t.Fatal(err)
		}
		v := h.start()
		v.until("nothing waits", func() bool {
			n, _ := prompts()
			return n >= step.prompts && len(v.server.sessions.queues.Get(id)) == 0
		})
		v.state(id, api.Idle)
		v.stop()
		if n, _ := prompts(); n != step.prompts {
			t.Errorf("taken %v after the last prompt: sent %d times in all, want %d", step.taken, n, step.prompts)
		}
	}
	if start, err := harness.Recorded(h.dirs.Sessions, id); err != nil || start.Mode != "read-only" || start.Dir != h.dir {
		t.Errorf("%+v, %v", start, err)
	}
}
