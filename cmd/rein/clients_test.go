//go:build unix

package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/creack/pty"

	"rein/app/settings"
)

// elsewhere runs rein in another terminal, with the same sessions, and returns its output and its exit code.
func (c *ptySession) elsewhere(args ...string) (string, int) {
	c.t.Helper()
	cmd := exec.Command("rein", args...)
	cmd.Env = c.cmd.Env
	out, err := cmd.CombinedOutput()
	if err != nil && cmd.ProcessState == nil {
		c.t.Fatal(err)
	}
	return string(out), cmd.ProcessState.ExitCode()
}

// session returns the id of the one session.
func (c *ptySession) session() string {
	c.t.Helper()
	for _, e := range c.cmd.Env {
		if home, is := strings.CutPrefix(e, "REIN_HOME="); is {
			l := &lives{t: c.t, dir: filepath.Dir(home)}
			return l.session()
		}
	}
	c.t.Fatal("there is none")
	return ""
}

// waits returns the ids of the calls that wait, as another terminal sees them.
func (c *ptySession) waits() []string {
	c.t.Helper()
	out, code := c.elsewhere("approve", c.session())
	if code != 0 {
		c.t.Fatalf("approve ended with %d: %s", code, out)
	}
	var ids []string
	for line := range strings.Lines(out) {
		if id, _, ok := strings.Cut(line, "\t"); ok && id != "" {
			ids = append(ids, id)
		}
	}
	return ids
}

const twoMarks = `
turns:
  - calls:
      - {name: bash, args: {command: 'echo one >> marks; sleep 0; pkill -x nothing'}}
      - {name: bash, args: {command: 'echo two >> marks; sleep 0; pkill -x nothing'}}
  - text: So be it.
`

func TestAnAnswerFromAnotherTerminal(t *testing.T) {
	t.Parallel()
	c := atTerminal(t, twoMarks, "run", "go on")
	c.expect("2 of 2")
	c.expect("Run them?")
	ids := c.waits()
	if len(ids) != 2 {
		t.Fatalf("%v wait", ids)
	}
	if list, _ := c.elsewhere("approve", c.session()); strings.Index(list, "echo two") < strings.Index(list, "echo one") {
		slices.Reverse(ids) // requests of one turn have no order
	}
	if out, code := c.elsewhere("approve", c.session(), ids[0]); code != 0 {
		t.Fatalf("ended with %d: %s", code, out)
	}
	c.expect("answered elsewhere: approved by user (rein approve)")
	if out, code := c.elsewhere("approve", "--no", c.session(), ids[0]); code != exitInput || !strings.Contains(out, "answered") {
		t.Errorf("the later client got exit code %d: %s", code, out)
	}
	c.expect("echo two")
	c.expect("Run it?")
	if out, code := c.elsewhere("approve", "--words", "not two", c.session(), ids[1]); code != exitUsage || !strings.Contains(out, "--no") {
		t.Errorf("words for a denial without --no: %d, %s", code, out)
	}
	if out, code := c.elsewhere("approve", "--no", "--words", "not two", c.session(), ids[1]); code != 0 {
		t.Fatalf("ended with %d: %s", code, out)
	}
	c.expect("answered elsewhere: denied by user (rein approve): not two")
	c.expect("The user denied this call: not two")
	c.expect("So be it.")
	if code := c.exit(); code != 0 {
		t.Errorf("ended with %d", code)
	}
	if text, err := os.ReadFile(filepath.Join(c.work(), "marks")); string(text) != "one\n" {
		t.Errorf("ran %q, %v", text, err)
	}
}

// work is the directory in which rein runs.
func (c *ptySession) work() string { return c.cmd.Args[len(c.cmd.Args)-1] }

func TestWhoIsTooLateAtAnotherTerminalIsTold(t *testing.T) {
	t.Parallel()
	c := atTerminal(t, pushes, "run", "go on")
	c.expect("Run it?")
	id := c.waits()[0]
	c.typed("n\r")
	c.expect("So be it.")
	c.exit()
	if out, code := c.elsewhere("approve", c.session(), id); code != exitInput || !strings.Contains(out, "it was answered: denied by user") {
		t.Errorf("ended with %d: %s", code, out)
	}
}

func TestALastingAnswerInAnotherSessionAnswersWhatWaitsHere(t *testing.T) {
	t.Parallel()
	c := atTerminal(t, `
turns:
  - calls: [{name: bash, args: {command: 'npm install left-pad --offline --dry-run'}}, {name: bash, args: {command: 'git push --force'}}]
  - text: So be it.
`, "run", "go on")
	c.expect("npm install left-pad")
	c.expect("Run it?")
	d := newDirsAt(c)
	if err := settings.AddAllow(filepath.Join(d.Config, "settings.json"), "bash(npm install:*)"); err != nil {
		t.Fatal(err)
	}
	c.expect("answered elsewhere: approved by rule bash(npm install:*)")
	c.expect("git push --force") // a rule for an ordinary command does not approve a call of high risk
	c.expect("Run it?")
	c.typed("n\r")
	c.expect("So be it.")
	c.exit()
}

// newDirsAt returns the directories of the rein at a terminal.
func newDirsAt(c *ptySession) settings.Dirs {
	home := ""
	for _, e := range c.cmd.Env {
		if value, is := strings.CutPrefix(e, "REIN_HOME="); is {
			home = value
		}
	}
	return settings.Dirs{Config: filepath.Join(home, "config"), Sessions: filepath.Join(home, "sessions")}
}

// begin starts rein at a terminal, in the place of these lives.
func (l *lives) begin(args ...string) *ptySession {
	l.t.Helper()
	c := &ptySession{t: l.t, cmd: l.command(args...)}
	var err error
	if c.tty, err = pty.Start(c.cmd); err != nil {
		l.t.Fatal(err)
	}
	c.reads()
	return c
}

// TestEitherClientIsKilled kills one of two clients at some moment of an answer: what was answered counts at most once,
// and what was not is asked again.
func TestEitherClientIsKilled(t *testing.T) {
	t.Parallel()
	for i := range 3 {
		moment := time.Duration(i) * 10 * time.Millisecond
		t.Run(fmt.Sprintf("the one who answers, after %v", moment), func(t *testing.T) {
			t.Parallel()
			l := newLives(t)
			c := l.begin("run", "--model", "script/"+l.model, "go")
			c.expect("Run it?")
			id := c.waits()[0]
			other := l.command("approve", l.session(), id)
			if err := other.Start(); err != nil {
				t.Fatal(err)
			}
			time.Sleep(moment)
			other.Process.Kill()
			other.Wait() // it ends as it was killed
			_, err := os.Stat(filepath.Join(filepath.Dir(l.journal()), "answers", id+".json"))
			answered := err == nil
			if !answered {
				c.typed("n\r")
			}
			c.expect("Done.")
			c.exit()
			if want := map[bool]int{true: 1}[answered]; l.ran() != want {
				t.Errorf("it ran %d times, want %d; the screen:\n%s", l.ran(), want, c.screen())
			}
		})
		t.Run(fmt.Sprintf("the one that asks, after %v", moment*4), func(t *testing.T) {
			t.Parallel()
			l := newLives(t)
			c := l.begin("run", "--model", "script/"+l.model, "go")
			c.expect("Run it?")
			id := c.waits()[0]
			if out, code := l.run("approve", l.session(), id); code != 0 {
				t.Fatalf("ended with %d: %s", code, out)
			}
			time.Sleep(moment * 4)
			c.cmd.Process.Kill()
			c.cmd.Wait() // it ends as it was killed
			ran := l.ran()
			l.toTheEnd([]string{"run", "--model", "script/" + l.model, "--suspend", "--resume", l.session()})
			if n := l.ran(); n > 1 || n < ran {
				t.Errorf("it ran %d times, %d of them before the kill", n, ran)
			}
		})
	}
}
