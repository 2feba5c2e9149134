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

	"rein/app/session"
)

// beside opens another terminal on the work of a pane, with a command.
func (p *pane) beside(name, command string) *pane {
	p.t.Helper()
	p.tmux("new-window", "-d", "-t", "t:", "-n", name, "-c", p.work, "sh")
	other := *p
	other.name = "t:" + name
	other.line("PS1='$ '; clear; REIN_HOME=" + p.home + " rein " + command)
	return &other
}

// leader returns the process that has the session open.
func (p *pane) leader() int {
	p.t.Helper()
	found, err := filepath.Glob(filepath.Join(p.home, "sessions", "*", "join.json"))
	if err != nil || len(found) != 1 {
		p.t.Fatal(found, err)
	}
	var a struct{ PID int }
	text, err := os.ReadFile(found[0])
	if err == nil {
		err = json.Unmarshal(text, &a)
	}
	if err != nil || a.PID == 0 {
		p.t.Fatalf("%s: %v", text, err)
	}
	return a.PID
}

// killsLeader kills the process that has the session open, as a crash does.
func (p *pane) killsLeader() {
	p.t.Helper()
	if err := syscall.Kill(p.leader(), syscall.SIGKILL); err != nil {
		p.t.Fatal(err)
	}
}

// wrote returns a file of the workspace.
func (p *pane) wrote(name string) string {
	text, _ := os.ReadFile(filepath.Join(p.work, name)) // "" where it is not there
	return string(text)
}

// The chat of this process lists its own tools: /tools.
var _ session.Toolbox = (*hostedSession)(nil)

// Three terminals on one session. What one writes all see; the first answer counts, and the others say who gave it. The one that has the session
// is killed while a request waits, and the next one while a call runs: those that are left go on, no call runs twice, and the mode stays.
func TestJoin(t *testing.T) {
	const push = "  - calls: [{name: bash, args: {command: 'git push origin main; echo x >> pushed.txt'}}]\n"
	p := inTmux(t, "turns:\n  - text: One.\n"+push+"  - text: It ran.\n"+push+"  - text: It ran again.\n"+
		"  - calls: [{name: bash, args: {command: 'echo x >> slept.txt; sleep 300'}}]\n  - {text: Gone on., repeat: 9}\n")
	p.line("hello")
	p.waits("One.")
	p.line("/mode ask")
	p.waits("edits ask")
	b := p.beside("b", "-c")
	b.ready("One.")
	b.waits("edits ask")
	b.line("push it")
	p.waits("› push it")
	p.waits("1 waits")
	b.waits("1 waits")
	b.answers("It ran.")
	p.waits("approved by user (joined terminal)")
	p.waits("It ran.")
	c := p.beside("c", "-r "+p.prompted())
	c.ready("It ran.")
	c.line("again")
	p.waits("1 waits")
	b.waits("1 waits")
	p.killsLeader()
	for _, left := range []*pane{b, c} {
		left.until("the session goes on", func(screen string) bool {
			return strings.Contains(screen, "the session goes on here") || strings.Contains(screen, "another terminal has the session now")
		})
		left.waits("1 waits")
		left.waits("edits ask")
	}
	c.answers("It ran again.")
	b.waits("It ran again.")
	if got := p.wrote("pushed.txt"); got != "x\nx\n" {
		t.Errorf("two approved calls wrote %q", got)
	}
	last, ends := b, c
	if strings.Contains(c.screen(), "another terminal has the session now") {
		last, ends = c, b
	}
	last.line("/mode supervised")
	ends.waits("ask when needed")
	last.line("sleep")
	ends.waits("▸ bash")
	for end := time.Now().Add(time.Minute); p.wrote("slept.txt") == "" && time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
	}
	last.killsLeader()
	last.waits("the session goes on here")
	last.passes("Gone on.")
	if got := p.wrote("slept.txt"); got != "x\n" {
		t.Errorf("the call that was cut off wrote %q", got)
	}
	last.keys("C-d")
	last.waits("continue with: rein -r ")
}

// Esc in either terminal stops the turn. When the first one leaves, the other goes on; flags that say how sessions run are refused to who joins.
func TestJoinedTurnsAreStopped(t *testing.T) {
	p := inTmux(t, "turns:\n  - calls: [{name: bash, args: {command: sleep 300}}]\n  - calls: [{name: bash, args: {command: sleep 300}}]\n  - {text: More., repeat: 9}\n")
	p.line("one")
	p.waits("▸ bash")
	b := p.beside("b", "-c --mode full")
	b.waits("leave out --mode")
	b.line("clear; REIN_HOME=" + p.home + " rein -c")
	b.ready("▸ bash")
	b.line("soon")
	b.waits("soon")
	b.keys("Escape")
	p.waits("interrupted; what came is kept")
	b.until("the message in the line", func(string) bool { return b.written() == "soon" })
	if strings.Contains(p.screen(), "› soon") {
		t.Errorf("the other's message is in this line:\n%s", p.screen())
	}
	b.keys("C-u")
	b.line("two")
	p.waits("› two")
	p.waits("▸ bash")
	p.keys("Escape")
	b.until("two ends", func(screen string) bool { return strings.Count(screen, "interrupted; what came is kept") == 2 })
	p.keys("C-d")
	p.waits("continue with: ")
	b.waits("the session goes on here")
	b.line("three")
	b.waits("More.")
}
