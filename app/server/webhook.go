package server

// Webhooks are messages to addresses of the user: signed, each at least once, the oldest first. What could not be
// delivered yet is kept in files, so that a restart loses nothing.

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"rein/app/notify"
)

// The kinds of messages.
const (
	webhookRequest  = "request"  // a call waits for an answer
	webhookAnswered = "answered" // a request was answered, or no longer holds
	webhookEnd      = "end"      // a turn of a session has ended
)

// webhookMessage is what an address gets, as JSON.
type webhookMessage struct {
	ID      string    `json:"id"` // the same each time it is sent: a receiver drops what it has
	Kind    string    `json:"kind"`
	Time    time.Time `json:"time"`
	Dir     string    `json:"dir"`
	Session string    `json:"session"`
	Title   string    `json:"title,omitempty"` // of the session
	Text    string    `json:"text,omitempty"`
	Data    any       `json:"data,omitempty"`   // of a request: the request; of an answer: who, and how
	Link    string    `json:"link,omitempty"`   // to the session in the page
	Answer  string    `json:"answer,omitempty"` // one-time link that shows a request and takes the answer
}

// newID returns the id of a message about something that the parts name.
func newID(parts ...string) string {
	text, _ := json.Marshal(parts) // strings always can be encoded
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:16])
}

// webhook is one address.
type webhook struct {
	URL    string
	Key    string                      // of the signature, see notify.Signed; "": it is not signed
	Kinds  []string                    // none: all
	Dirs   []string                    // of these workspaces; none: of all
	Client *http.Client                // nil: http.DefaultClient
	Answer func(webhookMessage) string // gives Message.Answer; nil: it has none
}

func (h webhook) wants(m webhookMessage) bool {
	return (len(h.Kinds) == 0 || slices.Contains(h.Kinds, m.Kind)) && (len(h.Dirs) == 0 || slices.Contains(h.Dirs, m.Dir))
}

// webhookOptions say what is sent where. Zero means the default.
type webhookOptions struct {
	Dir   string // of the files
	Hooks []webhook
	Most  int                         // messages of one hook that wait; the oldest are dropped. 1000
	Wait  func(try int) time.Duration // before a message is sent again; 1 s, then twice as long each time, at most 5 min
	Until time.Duration               // how old a message gets before it is given up; 24 h
	Log   *slog.Logger
}

// webhookSender sends. Make it with openWebhook. Several goroutines may use it at once.
type webhookSender struct {
	o      webhookOptions
	queues []*queue
}

// queue is what waits for one hook: the names of files, which begin with a number.
type queue struct {
	webhook
	dir string

	mu    sync.Mutex
	next  int
	names []string
	come  chan struct{} // of one value: something has come
}

// openWebhook reads what waits.
func openWebhook(o webhookOptions) (*webhookSender, error) {
	if o.Wait == nil {
		o.Wait = func(try int) time.Duration { return min(time.Second<<min(try, 10), 5*time.Minute) }
	}
	o.Most, o.Until = cmp.Or(o.Most, 1000), cmp.Or(o.Until, 24*time.Hour)
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	s := &webhookSender{o: o}
	for _, h := range o.Hooks {
		q := &queue{webhook: h, dir: filepath.Join(o.Dir, newID(h.URL)), come: make(chan struct{}, 1)}
		if err := os.MkdirAll(q.dir, 0o700); err != nil {
			return nil, fmt.Errorf("webhooks: %w", err)
		}
		found, err := filepath.Glob(filepath.Join(q.dir, "*.json"))
		if err != nil {
			return nil, err
		}
		slices.Sort(found)
		for _, f := range found {
			q.names = append(q.names, filepath.Base(f))
			fmt.Sscanf(filepath.Base(f), "%d.json", &q.next) // a name of another form leaves the number
		}
		s.queues = append(s.queues, q)
	}
	return s, nil
}

// Send keeps a message for each hook that wants it. It does not wait for the delivery.
func (s *webhookSender) Send(m webhookMessage) error {
	var failed []error
	for _, q := range s.queues {
		if !q.wants(m) {
			continue
		}
		one := m
		if q.Answer != nil {
			one.Answer = q.Answer(m)
		}
		body, err := json.Marshal(one)
		if err == nil {
			err = q.put(body, s.o.Most)
		}
		failed = append(failed, err)
	}
	return errors.Join(failed...)
}

// put keeps a message, and drops the oldest ones where too many wait.
func (q *queue) put(body []byte, most int) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.next++
	name := fmt.Sprintf("%012d.json", q.next)
	file := filepath.Join(q.dir, name)
	err := os.WriteFile(file+".new", body, 0o600)
	if err == nil {
		err = os.Rename(file+".new", file)
	}
	if err != nil {
		return fmt.Errorf("webhooks: %w", err)
	}
	q.names = append(q.names, name)
	for len(q.names) > most {
		err = errors.Join(err, os.Remove(filepath.Join(q.dir, q.names[0])))
		q.names = q.names[1:]
	}
	select {
	case q.come <- struct{}{}:
	default:
	}
	return err
}

// Run delivers until ctx is done.
func (s *webhookSender) Run(ctx context.Context) {
	var all sync.WaitGroup
	for _, q := range s.queues {
		all.Go(func() { s.deliver(ctx, q) })
	}
	all.Wait()
}

func (s *webhookSender) deliver(ctx context.Context, q *queue) {
	try := 0
	for ctx.Err() == nil {
		name := q.first()
		if name == "" {
			select {
			case <-ctx.Done():
			case <-q.come:
			}
			continue
		}
		again, err := s.post(ctx, q, name)
		switch {
		case ctx.Err() != nil:
			return
		case !again:
			if err != nil {
				s.o.Log.Warn("a message to a webhook is given up", "host", webhookHost(q.URL), "error", err)
			}
			q.remove(name)
			try = 0
			continue
		}
		s.o.Log.Info("a message to a webhook is sent again later", "host", webhookHost(q.URL), "error", err)
		select {
		case <-ctx.Done():
		case <-time.After(s.o.Wait(try)):
			try++
		}
	}
}

func (q *queue) first() string {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.names) == 0 {
		return ""
	}
	return q.names[0]
}

// remove removes a message, which may have been dropped meanwhile.
func (q *queue) remove(name string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.names = slices.DeleteFunc(q.names, func(n string) bool { return n == name })
	_ = os.Remove(filepath.Join(q.dir, name)) // one that stays is sent again after a restart
}

// postTime is how long an address has to answer.
const postTime = 10 * time.Second

// post sends one message. again means that it must be tried again.
func (s *webhookSender) post(ctx context.Context, q *queue, name string) (again bool, err error) {
	body, err := os.ReadFile(filepath.Join(q.dir, name))
	var m webhookMessage
	if err == nil {
		err = json.Unmarshal(body, &m)
	}
	if err != nil {
		return false, err
	}
	ctx, stop := context.WithTimeout(ctx, postTime)
	defer stop()
	r, err := notify.Signed(ctx, q.URL, q.Key, body)
	if err != nil {
		return false, err
	}
	client := http.DefaultClient
	if q.Client != nil {
		client = q.Client
	}
	one := *client
	one.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	answer, err := one.Do(r)
	if err == nil {
		_, _ = io.Copy(io.Discard, io.LimitReader(answer.Body, 64<<10)) // so that the connection can be used again
		err = answer.Body.Close()
		if answer.StatusCode < 300 {
			return false, nil
		}
		err = fmt.Errorf("it answered %s", answer.Status)
		if !slices.Contains([]int{http.StatusRequestTimeout, http.StatusTooEarly, http.StatusTooManyRequests}, answer.StatusCode) && answer.StatusCode < 500 {
			return false, err
		}
	}
	return time.Since(m.Time) < s.o.Until, err
}

// webhookHost names an address in the log: its path may hold a secret.
func webhookHost(address string) string {
	r, err := http.NewRequest(http.MethodPost, address, nil)
	if err != nil {
		return "?"
	}
	return r.URL.Host
}

// hostOf names a webhook in the audit log: its path may hold a secret.
func hostOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return "?"
	}
	return u.Host
}
