package notify

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// newWatch returns a watch of a session, the notes that it sent, and a function that waits for them.
func newWatch(t *testing.T) (w *Watch, sent func() []Note) {
	var mu sync.Mutex
	var notes []Note
	var running sync.WaitGroup
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		var n Note
		if err := json.NewDecoder(r.Body).Decode(&n); err != nil {
			t.Error(err)
		}
		mu.Lock()
		defer mu.Unlock()
		notes = append(notes, n)
	}))
	t.Cleanup(server.Close)
	w = &Watch{Dir: "/work", Session: "s1", After: time.Minute, Go: running.Go, Warn: func(line string) { t.Error(line) },
		To: func(string) *Sender { return &Sender{Webhook: server.URL} }}
	return w, func() []Note {
		running.Wait()
		mu.Lock()
		defer mu.Unlock()
		all := notes
		notes = nil
		return all
	}
}

func TestTheEndOfALongRunIsNotified(t *testing.T) {
	w, sent := newWatch(t)
	begin := time.Unix(1000, 0)
	for _, row := range []struct {
		rule    string
		quiet   bool
		session string
		took    time.Duration
		waits   bool
		failed  string
		want    string
	}{
		{"long", false, "s1", 2 * time.Minute, false, "", "end: rein has finished"},
		{"short", false, "s1", time.Second, false, "", ""},
		{"long, with an error", false, "s1", time.Hour, false, "error", "end: rein stopped: error"},
		{"suspended at once", false, "s1", 0, true, "", "approval: rein waits: rein approve s1"},
		{"of a sub-agent", false, "s1-sub", time.Hour, false, "", ""},
		{"of a task", true, "s1", time.Hour, false, "", ""},
		{"of a task that waits", true, "s1", 0, true, "", "approval: rein waits: rein approve s1"},
	} {
		w.Quiet = row.quiet
		w.Prompted(row.session, begin)
		w.Stopped(row.session, Stopped{Time: begin.Add(row.took), Text: "all green", Waits: row.waits, Failed: row.failed})
		w.Stopped(row.session, Stopped{Time: begin.Add(2 * time.Hour), Text: "once more"}) // no run began
		got := ""
		for _, n := range sent() {
			got += n.Kind + ": " + n.Title
			if n.Text != "all green" || n.Dir != "/work" || n.Session != "s1" {
				t.Errorf("%s: %+v", row.rule, n)
			}
		}
		if got != row.want {
			t.Errorf("%s: %q, want %q", row.rule, got, row.want)
		}
	}
}

func TestARequestThatIsAnsweredIsNotNotified(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var running sync.WaitGroup
		failed := make(chan string, 2)
		// The address is not one that a note is sent to, so each note is a warning, and no network is used.
		w := &Watch{Session: "s1", After: time.Minute, Go: running.Go, Warn: func(line string) { failed <- line }, To: func(string) *Sender { return &Sender{Webhook: "nowhere"} }}
		answered, answer := context.WithCancel(t.Context())
		w.Waits(answered, "bash", "git push")
		time.Sleep(59 * time.Second)
		answer()
		running.Wait()
		if len(failed) != 0 {
			t.Error("notified before the time was over")
		}
		w.Waits(t.Context(), "bash", "git push")
		running.Wait()
		if len(failed) != 1 {
			t.Error("not notified")
		}
	})
}
