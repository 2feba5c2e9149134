package client_test

import (
	"context"
	"errors"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"rein/client"
	"rein/event"
	"rein/harness"
	"rein/harness/settings"
	"rein/server"
	"rein/server/api"
	"rein/server/auth"
)

// serve starts a server over a new home, with a model that answers from a script.
func serve(t *testing.T, script string) *client.Client {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	file, dir := filepath.Join(root, "script.yaml"), filepath.Join(root, "ws")
	if err := errors.Join(os.Mkdir(dir, 0o700), os.WriteFile(file, []byte(script), 0o600)); err != nil {
		t.Fatal(err)
	}
	dirs := settings.Dirs{Config: filepath.Join(root, "config"), Sessions: filepath.Join(root, "sessions"), Output: filepath.Join(root, "output"),
		Private: filepath.Join(root, "private"), State: filepath.Join(root, "state")}
	s, err := server.New(t.Context(), server.Options{Harness: harness.Options{Dir: dir, Dirs: dirs, Model: "script/" + file, Sandbox: "off"}})
	if err != nil {
		t.Fatal(err)
	}
	h := httptest.NewServer(s.Handler())
	t.Cleanup(func() {
		h.CloseClientConnections()
		h.Close()
		if err := s.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	key, err := os.ReadFile(auth.KeyFile(server.DefaultDir(dirs)))
	if err != nil {
		t.Fatal(err)
	}
	return &client.Client{URL: h.URL, Key: strings.TrimSpace(string(key))}
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
