//go:build unix

package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// attachable is a server below the shell of a pane, for the terminals that attach to it.
type attachable struct {
	*pane
	log string
	url string
	pid int
}

// serving leaves the chat of a pane and starts a server there, on a port that stays the same.
func (p *pane) serving(listen string) *attachable {
	p.t.Helper()
	s := &attachable{pane: p, log: filepath.Join(p.work, "..", "serve.log")}
	_ = os.Remove(s.log)
	p.line("REIN_HOME=" + p.home + " rein serve --model script/" + p.script + " --listen " + listen + " --json >" + s.log + " 2>&1 &")
	for end := time.Now().Add(time.Minute); ; time.Sleep(20 * time.Millisecond) {
		var ready struct {
			URL string
			PID int
		}
		if text, err := os.ReadFile(s.log); err == nil && json.Unmarshal(text, &ready) == nil && ready.PID > 0 {
			s.url, s.pid = ready.URL, ready.PID
			p.t.Cleanup(func() { _ = syscall.Kill(s.pid, syscall.SIGTERM) }) // it may be gone
			return s
		} else if time.Now().After(end) {
			p.t.Fatalf("the server never was ready: %s", text)
		}
	}
}

// prompted returns the id of the session that has a message.
func (p *pane) prompted() string {
	p.t.Helper()
	found, err := filepath.Glob(filepath.Join(p.home, "sessions", "*", "journal.jsonl"))
	for _, name := range found {
		if text, err := os.ReadFile(name); err == nil && strings.Contains(string(text), `"kind":"prompt"`) {
			return filepath.Base(filepath.Dir(name))
		}
	}
	p.t.Fatal(found, err)
	return ""
}

// answers goes to the request on the screen and presses Enter until the screen has a text.
func (p *pane) answers(want string) {
	p.t.Helper()
	p.keys("Tab")
	p.until(want, func(screen string) bool {
		if strings.Contains(screen, want) {
			return true
		}
		time.Sleep(time.Second)
		if !strings.Contains(p.screen(), want) {
			p.keys("Enter")
		}
		return false
	})
}

// The chat on a session of a server: a server that is killed with an open request is started again, and the answer runs the call,
// once. Another terminal answers the next request, and this one says who did.
func TestAttach(t *testing.T) {
	const once = "  - calls: [{name: bash, args: {command: 'git push origin main; echo x >> done.txt'}}]\n"
	p := inTmux(t, "turns:\n"+once+"  - text: It ran.\n"+once+"  - text: It was denied.\n")
	p.keys("C-d")
	p.until("the shell", func(screen string) bool { return strings.HasSuffix(strings.TrimSpace(screen), "$") })
	first := p.serving("127.0.0.1:0")
	p.line("clear; REIN_HOME=" + p.home + " rein attach " + first.url)
	p.ready("signed in as the owner at")
	p.line("go")
	p.waits("1 waits")
	if err := syscall.Kill(first.pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	p.waits("no connection to the server")
	p.tmux("new-window", "-d", "-t", "t:", "-n", "more", "-c", p.work, "sh")
	more := &pane{t: t, name: "t:more", socket: p.socket, home: p.home, work: p.work, script: p.script}
	more.serving(strings.TrimSuffix(strings.TrimPrefix(first.url, "http://"), "/"))
	p.until("the connection", func(screen string) bool { return !strings.Contains(screen, "no connection") })
	p.answers("It ran.")
	if text, err := os.ReadFile(filepath.Join(p.work, "done.txt")); err != nil || string(text) != "x\n" {
		t.Errorf("the call wrote %q, %v", text, err)
	}
	more.line("clear; REIN_HOME=" + p.home + " rein attach " + first.url + " " + p.prompted())
	more.ready("It ran.")
	p.line("again")
	more.waits("1 waits")
	more.keys("C-x", "n")
	more.until("the denial", func(screen string) bool {
		if strings.Contains(screen, "It was denied.") {
			return true
		}
		time.Sleep(time.Second)
		more.keys("C-x", "n")
		return false
	})
	p.waits("bash: denied by user")
	p.waits("It was denied.")
	p.keys("C-d")
	p.waits("continue with: rein attach " + first.url)
}
