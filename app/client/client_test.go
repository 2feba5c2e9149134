package client_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"rein/app/client"
	"rein/app/schedule"
	"rein/app/server"
	"rein/app/server/api"
	"rein/event"
	"rein/lab/servertest"
)

// serve starts a server with tasks, and a model that answers from a script.
func serve(t *testing.T, script string) *client.Client {
	t.Helper()
	s := servertest.Start(t, script, func(o *server.Options, state string) {
		store, err := schedule.Open(filepath.Join(state, schedule.DirName))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = store.Close() }) // after the server has ended
		o.Tasks = &schedule.Daemon{Store: store, Do: func(_ context.Context, j schedule.Job, _ func(string)) (string, error) { return "did " + j.Prompt, nil }}
	})
	return &client.Client{URL: s.URL, Key: s.Key}
}

// A program starts a session, approves its call, and reads the answer.
func TestAProgramRunsATask(t *testing.T) {
	c := serve(t, `turns:
  - calls: [{name: bash, args: {command: "git push origin main; echo x >> done.txt"}}]
  - text: Done.
`)
	s, err := c.Start(t.Context(), api.NewSession{Text: "go"})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	answer, seq := "", int64(0)
	for e, err := range c.Events(ctx, s.ID) {
		if err != nil {
			t.Fatal(err)
		}
		if e.Seq > 0 && e.Seq != seq+1 {
			t.Fatalf("event %d came after %d", e.Seq, seq)
		}
		seq = max(seq, e.Seq)
		if e.Kind == event.ApprovalRequested {
			go approve(t, c)
		}
		if e.Kind == event.Stopped {
			answer = e.Text
			break
		}
	}
	if answer != "Done." {
		t.Errorf("the answer is %q", answer)
	}
}

// A client whose connection is cut anywhere, again and again, gets every recorded event once, and the whole of each live
// text once.
func TestACutStreamMissesAndDoublesNothing(t *testing.T) {
	const seeds = 4
	for seed := range uint64(seeds) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			followCut(t, rand.New(rand.NewPCG(seed, 1)))
		})
	}
}

func followCut(t *testing.T, random *rand.Rand) {
	text := strings.Repeat("words with an é and a 漢 in them. ", 20)
	c := serve(t, "pace: 8ms\ndelta: 7\nturns: [{error: {status: 529, times: 1, retry_after: 1s}, text: \""+text+"\", calls: [{name: bash, args: {command: \"for i in 1 2 3 4 5 6; do echo line $i; sleep 0.2; done\"}}]}, {text: \""+text+"\"}]")
	c.HTTP = &http.Client{Transport: cutting{random}}
	plain := &client.Client{URL: c.URL, Key: c.Key}
	s, err := plain.Start(t.Context(), api.NewSession{Text: "go", Mode: "full"})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	live, output, seq, answers, replies, notices := "", "", int64(0), 0, 0, 0
	for e, err := range c.Events(ctx, s.ID) {
		if err != nil {
			t.Fatal(err)
		}
		if e.Seq > 0 {
			if e.Seq != seq+1 {
				t.Fatalf("event %d came after %d", e.Seq, seq)
			}
			seq = e.Seq
		}
		switch e.Kind {
		case event.Requested:
			live = ""
		case event.Notice:
			notices++
		case event.Delta:
			if e.Offset != int64(len(live)) {
				t.Fatalf("%d bytes came, the next piece begins at %d", len(live), e.Offset)
			}
			live += e.Text
		case event.Output:
			if e.Offset != int64(len(output)) {
				t.Fatalf("%d bytes of output came, the next piece begins at %d", len(output), e.Offset)
			}
			output += e.Text
		case event.Responded:
			answers++
			if live != "" && !strings.HasPrefix(e.Text, strings.TrimSpace(live)) {
				t.Errorf("the live text is %q, the answer %q", live, e.Text)
			}
		case event.Replied:
			replies++
			if !strings.HasPrefix(e.Result.Text, output) {
				t.Errorf("the live output is %q, the result %q", output, e.Result.Text)
			}
		}
		if e.Kind == event.Stopped {
			break
		}
	}
	if answers != 2 || replies != 1 || notices != 1 {
		t.Errorf("%d answers, %d results, %d notices", answers, replies, notices)
	}
}

// cutting cuts each answer after some bytes.
type cutting struct{ random *rand.Rand }

func (c cutting) RoundTrip(r *http.Request) (*http.Response, error) {
	answer, err := http.DefaultTransport.RoundTrip(r)
	if err == nil {
		answer.Body = &cutBody{ReadCloser: answer.Body, left: 100 + c.random.IntN(3000)}
	}
	return answer, err
}

// cutBody ends some bytes after the first message with a number: with less the client would get no further.
type cutBody struct {
	io.ReadCloser
	left  int
	seen  []byte
	whole bool
}

func (b *cutBody) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, io.ErrUnexpectedEOF
	}
	n, err := b.ReadCloser.Read(p[:min(len(p), 500)])
	if b.whole {
		b.left -= n
		return n, err
	}
	b.seen = append(b.seen, p[:n]...)
	_, message, numbered := bytes.Cut(b.seen, []byte("\nid: "))
	b.whole = numbered && bytes.Contains(message, []byte("\n\n"))
	return n, err
}

func approve(t *testing.T, c *client.Client) {
	for range 100 {
		all, err := c.Inbox(t.Context())
		if err == nil && len(all.Requests) > 0 {
			r := all.Requests[0]
			if _, err := c.Answer(t.Context(), r.Session, r.Call, api.Answer{Choice: "approved", Hash: r.Hash}); err != nil {
				t.Error(err)
			}
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
	t.Error("no approval request came")
}

func TestProblemsHaveAKind(t *testing.T) {
	c := serve(t, "turns: [{text: hi}]")
	_, err := c.Session(t.Context(), "nothing")
	if p, ok := errors.AsType[*client.Problem](err); !ok || p.Kind() != "no_session" || p.Status != 404 {
		t.Errorf("%v", err)
	}
	for _, err := range c.Events(t.Context(), "nothing") {
		if p, ok := errors.AsType[*client.Problem](err); !ok || p.Kind() != "no_session" {
			t.Errorf("%v", err)
		}
	}
	c.Key = "wrong"
	if _, err := c.Sessions(t.Context()); err == nil {
		t.Error("a wrong key was taken")
	}
}
