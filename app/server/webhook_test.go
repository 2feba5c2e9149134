package server

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"
)

// receiver is an address that keeps what it gets, and answers as answer says.
type receiver struct {
	*httptest.Server
	mu     sync.Mutex
	got    []webhookMessage
	signed []bool
	answer func(n int) int
}

func receive(t *testing.T, key string, answer func(n int) int) *receiver {
	r := &receiver{answer: answer}
	r.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		body, _ := io.ReadAll(q.Body)
		var m webhookMessage
		if err := json.Unmarshal(body, &m); err != nil {
			t.Error(err)
		}
		mac := hmac.New(sha256.New, []byte(key))
		fmt.Fprintf(mac, "%s.%s", q.Header.Get("X-Rein-Time"), body)
		r.mu.Lock()
		defer r.mu.Unlock()
		r.got = append(r.got, m)
		r.signed = append(r.signed, q.Header.Get("X-Rein-Signature") == "sha256="+hex.EncodeToString(mac.Sum(nil)))
		w.WriteHeader(r.answer(len(r.got)))
	}))
	t.Cleanup(r.Close)
	return r
}

func (r *receiver) ids() (all []string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, m := range r.got {
		all = append(all, m.ID)
	}
	return all
}

func until(t *testing.T, what string, is func() bool) {
	t.Helper()
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		if is() {
			return
		}
	}
	t.Fatal("it never happened: " + what)
}

func run(t *testing.T, s *webhookSender) (stop func()) {
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		s.Run(ctx)
	}()
	return func() { cancel(); <-done }
}

func soon(int) time.Duration { return time.Millisecond }

func webhookMessageOf(id, kind string) webhookMessage {
	return webhookMessage{ID: id, Kind: kind, Time: time.Now(), Dir: "/a"}
}

func TestMessagesAreSignedAndSentAgainInTheirOrder(t *testing.T) {
	r := receive(t, "key", func(n int) int { return map[bool]int{true: 503, false: 204}[n <= 3] })
	s, err := openWebhook(webhookOptions{Dir: t.TempDir(), Hooks: []webhook{{URL: r.URL, Key: "key"}}, Wait: soon})
	if err != nil {
		t.Fatal(err)
	}
	defer run(t, s)()
	for _, id := range []string{"one", "two", "three"} {
		if err := s.Send(webhookMessageOf(id, webhookEnd)); err != nil {
			t.Fatal(err)
		}
	}
	until(t, "all are delivered", func() bool { return s.Waiting() == 0 })
	if got := r.ids(); !slices.Equal(got, []string{"one", "one", "one", "one", "two", "three"}) {
		t.Error(got)
	}
	if slices.Contains(r.signed, false) {
		t.Error("a signature is wrong")
	}
}

// What waits when the program ends is delivered by the next one.
func TestARestartLosesNothing(t *testing.T) {
	down := true
	r := receive(t, "", func(int) int { return map[bool]int{true: 500, false: 200}[down] })
	o := webhookOptions{Dir: t.TempDir(), Hooks: []webhook{{URL: r.URL}}, Wait: soon}
	s, err := openWebhook(o)
	if err != nil {
		t.Fatal(err)
	}
	stop := run(t, s)
	for i := range 5 {
		if err := s.Send(webhookMessageOf(fmt.Sprint(i), webhookEnd)); err != nil {
			t.Fatal(err)
		}
	}
	until(t, "a try", func() bool { return len(r.ids()) > 0 })
	stop()
	r.mu.Lock()
	down, r.got = false, nil
	r.mu.Unlock()
	if s, err = openWebhook(o); err != nil || s.Waiting() != 5 {
		t.Fatal(err, s.Waiting())
	}
	defer run(t, s)()
	if err := s.Send(webhookMessageOf("5", webhookEnd)); err != nil {
		t.Fatal(err)
	}
	until(t, "all are delivered", func() bool { return s.Waiting() == 0 })
	var got []string
	for _, id := range r.ids() {
		if !slices.Contains(got, id) { // a request that was cut off may come late
			got = append(got, id)
		}
	}
	if !slices.Equal(got, []string{"0", "1", "2", "3", "4", "5"}) {
		t.Error(got)
	}
	if left, _ := filepath.Glob(filepath.Join(o.Dir, "*", "*")); len(left) != 0 {
		t.Error("files are left:", left)
	}
}

func TestWhatIsGivenUp(t *testing.T) {
	for _, row := range []struct {
		name   string
		status int
		age    time.Duration
		again  bool
	}{
		{"a wrong address", 404, 0, false},
		{"a redirect", 302, 0, false},
		{"a failing server", 502, 0, true},
		{"a busy server", 429, 0, true},
		{"a failing server for a day", 502, 25 * time.Hour, false},
	} {
		r := receive(t, "", func(int) int { return row.status })
		s, err := openWebhook(webhookOptions{Dir: t.TempDir(), Hooks: []webhook{{URL: r.URL}}})
		if err != nil {
			t.Fatal(err)
		}
		m := webhookMessageOf("x", webhookEnd)
		m.Time = m.Time.Add(-row.age)
		if err := s.Send(m); err != nil {
			t.Fatal(err)
		}
		if again, err := s.post(t.Context(), s.queues[0], s.queues[0].first()); again != row.again || err == nil {
			t.Errorf("%s: again is %v, %v", row.name, again, err)
		}
	}
}

func TestAHookGetsWhatItWants(t *testing.T) {
	s, err := openWebhook(webhookOptions{Dir: t.TempDir(), Most: 2, Hooks: []webhook{
		{URL: "https://a.example", Kinds: []string{webhookRequest}}, {URL: "https://b.example", Dirs: []string{"/other"}}, {URL: "https://c.example"},
	}})
	if err != nil {
		t.Fatal(err)
	}
	for i := range 5 {
		if err := s.Send(webhookMessageOf(fmt.Sprint(i), webhookEnd)); err != nil {
			t.Fatal(err)
		}
	}
	m := webhookMessageOf("q", webhookRequest)
	m.Link = "https://rein.example/s/x"
	if err := s.Send(m); err != nil {
		t.Fatal(err)
	}
	read := func(q *queue) (all []webhookMessage) {
		for _, name := range q.names {
			text, err := os.ReadFile(filepath.Join(q.dir, name))
			var m webhookMessage
			if err == nil {
				err = json.Unmarshal(text, &m)
			}
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, m)
		}
		return all
	}
	if got := read(s.queues[0]); len(got) != 1 || got[0].Link == "" {
		t.Errorf("%+v", got)
	}
	if got := read(s.queues[1]); len(got) != 0 {
		t.Errorf("%+v", got)
	}
	if got := read(s.queues[2]); len(got) != 2 || got[0].ID != "4" || got[1].ID != "q" {
		t.Errorf("the newest two: %+v", got)
	}
}

// Waiting returns how many messages wait, over all hooks.
func (s *webhookSender) Waiting() (n int) {
	for _, q := range s.queues {
		q.mu.Lock()
		n += len(q.names)
		q.mu.Unlock()
	}
	return n
}
