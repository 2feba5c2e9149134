//go:build unix

package main

import (
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"rein/app/server/api"
)

// TestAnUpgradeLosesNothing ends a server in the middle of the work of many sessions, as an upgrade does, and starts the next one at the same
// address. Turns that are at work end by themselves; messages that wait, and those that clients could not send meanwhile, are worked on by the next
// server; each once.
func TestAnUpgradeLosesNothing(t *testing.T) {
	t.Parallel()
	const attempts = 5 // another program may take the port while no server has it
	for range attempts {
		err := upgraded(t)
		if err == nil {
			return
		}
		if !errors.Is(err, errTaken) {
			t.Fatal(err)
		}
	}
	t.Fatalf("%d times another program took the port", attempts)
}

// Tasks that were run by a click hold no server back. The request of one that waits is in the inbox of the next server.
func TestAServerEndsWhileTasksRun(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	for name, text := range map[string]string{"ws/a.txt": "a\n", "script.yaml": `turns:
  - {calls: [{name: bash, args: {command: "git push origin main"}}]}
  - text: Done.
conversations:
  - when: silent
    turns: [{text: never, delay: 10m}]
`} {
		file := filepath.Join(root, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o700), os.WriteFile(file, []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	p := serveIn(t, root)
	b := sign(p)
	for i, prompt := range []string{"silent", "push"} {
		b.send("POST", "/v1/schedules", api.NewSchedule{Dir: filepath.Join(root, "ws"), When: "@every 90m", Prompt: prompt}, nil)
		b.send("POST", fmt.Sprintf("/v1/schedules/%d/run", i+1), nil, nil)
	}
	before := b.waits()
	if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	late := time.AfterFunc(time.Minute, func() { _ = p.cmd.Process.Kill() })
	if err := p.cmd.Wait(); err != nil {
		t.Errorf("the server ended with %v", err)
	}
	late.Stop()
	if after := sign(serveIn(t, root)).waits(); after.Hash != before.Hash {
		t.Errorf("another request: %+v, then %+v", before, after)
	}
}

func upgraded(t *testing.T) error {
	t.Helper()
	root := t.TempDir()
	for name, text := range map[string]string{"ws/a.txt": "a\n", "home/config/settings.json": `{"mode": "full", "memory": {"off": true}}`, "script.yaml": `turns:
  - {calls: [{name: bash, args: {command: "sleep 0.3; echo first >> marks"}}]}
  - text: Done.
  - {calls: [{name: bash, args: {command: "echo second >> marks"}}]}
  - text: Done.
`} {
		file := filepath.Join(root, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o700), os.WriteFile(file, []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	const sessions = 12
	p, err := serveAt(t, root, "127.0.0.1:0", "--drain", "1m")
	if err != nil {
		t.Fatal(err)
	}
	b := sign(p)
	var ids [sessions]string
	for i := range sessions / 2 {
		var s api.Session
		b.send("POST", "/v1/sessions", api.NewSession{Text: "first"}, &s)
		ids[i] = s.ID
		b.send("POST", "/v1/sessions/"+s.ID+"/messages", api.NewMessage{ID: "second-of-" + s.ID, Text: "second"}, nil) // it waits
	}
	// The others are sent by clients that try again until they are taken, under one id.
	var begun atomic.Int32
	var clients sync.WaitGroup
	for i := sessions / 2; i < sessions; i++ {
		clients.Go(func() {
			var s api.Session
			b.send("POST", "/v1/sessions", api.NewSession{Text: "first"}, &s)
			ids[i] = s.ID
			begun.Add(1)
			for t.Context().Err() == nil {
				answer, err := b.client.Do(b.request("POST", "/v1/sessions/"+s.ID+"/messages", api.NewMessage{ID: "second-of-" + s.ID, Text: "second"}))
				if err == nil {
					answer.Body.Close()
					if answer.StatusCode < 300 {
						return
					}
				}
				time.Sleep(20 * time.Millisecond)
			}
		})
	}
	for begun.Load() < sessions/2 {
		time.Sleep(time.Millisecond)
	}
	if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := p.cmd.Wait(); err != nil {
		t.Errorf("the server ended with %v", err)
	}
	next, err := serveAt(t, root, strings.Trim(strings.TrimPrefix(p.ready.URL, "http://"), "/"), "--drain", "1m")
	if err != nil {
		return err
	}
	clients.Wait()
	marks := func() string {
		text, _ := os.ReadFile(filepath.Join(root, "ws", "marks"))
		return fmt.Sprintf("%d first, %d second", strings.Count(string(text), "first"), strings.Count(string(text), "second"))
	}
	want := fmt.Sprintf("%d first, %d second", sessions, sessions)
	for end := time.Now().Add(time.Minute); time.Now().Before(end) && marks() != want; {
		time.Sleep(50 * time.Millisecond)
	}
	time.Sleep(300 * time.Millisecond) // what is done twice
	if got := marks(); got != want {
		t.Errorf("done: %s, want %s", got, want)
	}
	for _, id := range ids {
		var s api.Session
		b.send(http.MethodGet, "/v1/sessions/"+id, nil, &s)
		if s.Stop != "done" && !s.Working {
			t.Errorf("%s ended with %q", id, s.Stop)
		}
	}
	next.kill()
	return nil
}
