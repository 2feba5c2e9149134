package server

import (
	"context"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"rein/app/client"
	"rein/app/harness"
	"rein/app/server/api"
	"rein/event"
)

// share opens a session of a harness, with a scripted model, and shares it.
func share(t *testing.T, script string) (*harness.Session, SharedAddress) {
	t.Helper()
	home := newHome(t, script)
	h, err := harness.Open(t.Context(), harness.Options{Dir: home.dir, Dirs: home.dirs, Terms: event.Terms{Model: "script/" + home.script, Sandbox: "off"}, Unattended: harness.Wait})
	if err != nil {
		t.Fatal(err)
	}
	shared := Share(h)
	s, err := h.Start(t.Context(), shared.Sees(harness.NewSession{}))
	if err == nil {
		err = shared.Serve(s)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		shared.Close()
		if err := h.Close(context.Background()); err != nil {
			t.Error(err)
		}
		if left, _ := filepath.Glob(filepath.Join(home.dirs.Sessions, "*", "*o*et")); len(left) > 0 {
			t.Errorf("left: %q", left)
		}
		if _, err := ReadSharedAddress(s.Dir()); err == nil {
			t.Error("the address is left")
		}
	})
	a, err := ReadSharedAddress(s.Dir())
	if err != nil {
		t.Fatal(err)
	}
	return s, a
}

func (a SharedAddress) client() *client.Client {
	dial := func(context.Context, string, string) (net.Conn, error) { return net.Dial("unix", a.Socket) }
	return &client.Client{URL: a.URL(), Key: a.Key, HTTP: &http.Client{Transport: &http.Transport{DialContext: dial}}}
}

// A message of another terminal begins a turn, and waits while the turn of the first one is at work. It is taken once, and what a turn that is
// stopped has not got is dropped: who sent it has it in the line again.
func TestASharedSessionTakesMessages(t *testing.T) {
	s, a := share(t, "turns:\n  - {text: One.}\n  - calls: [{name: bash, args: {command: sleep 100}}]\n  - {text: Never.}\n")
	c, ctx := a.client(), t.Context()
	send := func(id, text string, want string) {
		t.Helper()
		if sent, err := c.Send(ctx, s.ID(), api.NewMessage{ID: id, Text: text}); err != nil || sent.State != want {
			t.Fatalf("%s: %+v %v, want %s", text, sent, err, want)
		}
	}
	until := func(what event.Kind) {
		t.Helper()
		for e, err := range c.Events(ctx, s.ID()) {
			if err != nil {
				t.Fatal(err)
			}
			if e.Kind == what {
				return
			}
		}
	}
	send("a", "hello", "sent")
	send("a", "hello", "repeated")
	until(event.Stopped)
	began := make(chan struct{})
	turn := make(chan event.Stop)
	go func() { // the first terminal
		var stop event.Stop
		for e := range s.Send(ctx, harness.Message("sleep")...) {
			if e.Kind == event.Called {
				close(began)
			}
			stop = e.Stop
		}
		turn <- stop
	}()
	<-began
	send("b", "later", "queued")
	now, err := c.Session(ctx, s.ID())
	if err != nil || !now.Working || len(now.Queued) != 1 || now.Queued[0].ID != "b" {
		t.Fatalf("%+v %v", now, err)
	}
	if err := c.Cancel(ctx, s.ID()); err != nil {
		t.Fatal(err)
	}
	if stop := <-turn; stop != event.Cancelled || len(s.Queued()) != 0 {
		t.Errorf("the turn ended with %q, and %v wait", stop, s.Queued())
	}
}

// Only this session is there, and only for who has the key that is in its directory.
func TestASharedSessionIsTheOnlyOne(t *testing.T) {
	s, a := share(t, "turns:\n  - {text: One.}\n")
	c := a.client()
	if all, err := c.Past(t.Context(), "another", 0, 10); err == nil {
		t.Errorf("another session is shown: %+v", all)
	}
	if _, err := c.Start(t.Context(), api.NewSession{}); err == nil {
		t.Error("a session was begun")
	}
	a.Key = strings.Repeat("x", len(a.Key))
	if _, err := a.client().Session(t.Context(), s.ID()); err == nil || !strings.Contains(err.Error(), "401") {
		t.Errorf("a wrong key: %v", err)
	}
	if info, err := os.Stat(a.Socket); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v %v", info.Mode(), err)
	}
}

// What a killed process left is removed, and a directory whose path is too long for a socket has it elsewhere.
func TestTheSocketOfASession(t *testing.T) {
	if !knowsPeers {
		t.Skip("nobody joins here")
	}
	dir := t.TempDir()
	for _, dir := range []string{dir, filepath.Join(dir, strings.Repeat("long", 30))} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		old, was, err := listenShared(dir)
		if err != nil {
			t.Fatal(err)
		}
		old.(sharedListener).Listener.(*net.UnixListener).SetUnlinkOnClose(false)
		if err := old.(sharedListener).Listener.Close(); err != nil { // as the end of the process does
			t.Fatal(err)
		}
		l, now, err := listenShared(dir)
		if err != nil {
			t.Fatal(err)
		}
		if was.Key == now.Key {
			t.Error("a key counts for two processes")
		}
		if _, err := os.Stat(was.Socket); err == nil && was.Socket != now.Socket {
			t.Errorf("%s is left", was.Socket)
		}
		if c, err := net.Dial("unix", now.Socket); err != nil {
			t.Error(err)
		} else {
			c.Close()
		}
		if err := l.Close(); err != nil && !strings.Contains(err.Error(), "no such file") {
			t.Error(err)
		}
		for _, name := range []string{now.Socket, filepath.Join(dir, addressName)} {
			if _, err := os.Lstat(name); err == nil {
				t.Errorf("%s is left", name)
			}
		}
	}
}
