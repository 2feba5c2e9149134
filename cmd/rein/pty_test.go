//go:build unix

package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/creack/pty"
)

// console is rein at a terminal.
type console struct {
	t    *testing.T
	tty  *os.File
	cmd  *exec.Cmd
	mu   sync.Mutex
	seen bytes.Buffer
	at   int // what was expected before this has been seen
}

// atTerminal starts rein at a terminal of its own, with a scripted model.
func atTerminal(t *testing.T, script string, args ...string) *console {
	t.Helper()
	dir := t.TempDir()
	name := filepath.Join(dir, "script.yaml")
	if err := os.WriteFile(name, []byte(script), 0o600); err != nil {
		t.Fatal(err)
	}
	work := filepath.Join(dir, "work")
	if err := os.Mkdir(work, 0o700); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("rein", append(args, "--model", "script/"+name, "--cwd", work)...)
	cmd.Env = append(os.Environ(), "REIN_HOME="+filepath.Join(dir, "home"), "TERM=dumb")
	return onConsole(t, cmd)
}

// onConsole starts a command at a terminal of its own.
func onConsole(t *testing.T, cmd *exec.Cmd) *console {
	t.Helper()
	c := &console{t: t, cmd: cmd}
	var err error
	if c.tty, err = pty.Start(c.cmd); err != nil {
		t.Fatal(err)
	}
	c.reads()
	return c
}

// reads keeps what is on the screen, to the end of the test.
func (c *console) reads() {
	go func() {
		piece := make([]byte, 4096)
		for {
			n, err := c.tty.Read(piece)
			c.mu.Lock()
			c.seen.Write(piece[:n])
			c.mu.Unlock()
			if err != nil {
				return
			}
		}
	}()
	c.t.Cleanup(func() {
		c.cmd.Process.Kill()
		c.tty.Close()
	})
}

// expect waits until the text is on the screen, after what was expected before.
func (c *console) expect(text string) {
	c.t.Helper()
	for range 1000 {
		c.mu.Lock()
		at := strings.Index(c.seen.String()[c.at:], text)
		if at >= 0 {
			c.at += at + len(text)
		}
		c.mu.Unlock()
		if at >= 0 {
			return
		}
		time.Sleep(10 * time.Millisecond) // another process and a real terminal: there is no fake clock here
	}
	c.t.Fatalf("%q did not appear; the screen:\n%s", text, c.seen.String())
}

func (c *console) typed(keys string) {
	c.t.Helper()
	if _, err := c.tty.WriteString(keys); err != nil {
		c.t.Fatal(err)
	}
}

// exit waits for the end and gives the exit code.
func (c *console) exit() int {
	c.t.Helper()
	ended := make(chan struct{})
	go func() {
		c.cmd.Wait()
		close(ended)
	}()
	select {
	case <-ended:
	case <-time.After(10 * time.Second):
		c.t.Fatalf("it did not end; the screen:\n%s", c.seen.String())
	}
	return c.cmd.ProcessState.ExitCode()
}

const pushes = `
turns:
  - text: I shall push.
    calls: [{name: bash, args: {command: git push --force origin main}}]
  - text: So be it.
  - text: And again.
`

func TestChatAtATerminal(t *testing.T) {
	c := atTerminal(t, pushes)
	c.expect("›")
	c.typed("go on\n")
	c.expect("git push --force origin main")
	c.expect("[y]es")
	c.typed("y") // typed before the question could be read: ignored
	time.Sleep(deaf + 100*time.Millisecond)
	c.typed("t")
	c.expect("Tell it:")
	c.typed("not today\r")
	c.expect("The user said no: not today")
	c.expect("So be it.")
	c.expect("›")
	c.typed("once more\n")
	c.expect("And again.")
	c.expect("›")
	c.typed("\x04")
	if code := c.exit(); code != 0 {
		t.Errorf("ended with %d", code)
	}
}

const sleeps = `
turns:
  - calls: [{name: bash, args: {command: sleep 100}}]
  - text: Never said.
  - text: Still here.
`

func TestCtrlCStopsTheTurnAndTheChatGoesOn(t *testing.T) {
	c := atTerminal(t, sleeps, "--mode", "full")
	c.expect("›")
	c.typed("sleep\n")
	c.expect("● bash")
	time.Sleep(200 * time.Millisecond)
	began := time.Now()
	c.typed("\x03")
	c.expect("Cancelled")
	c.expect("■ cancelled")
	if took := time.Since(began); took > 2*time.Second {
		t.Errorf("it took %v", took)
	}
	c.expect("›")
	c.typed("/quit\n")
	if code := c.exit(); code != 0 {
		t.Errorf("ended with %d", code)
	}
}

const jobs = `
turns:
  - calls: [{name: bash, args: {command: sleep 100, background: true}}]
  - text: Started.
`

func TestTheUserSeesWhatRunsInTheBackground(t *testing.T) {
	c := atTerminal(t, jobs, "--mode", "full")
	c.expect("›")
	c.typed("go\n")
	c.expect("Started.")
	c.expect("job1 runs since 0s: sleep 100")
	c.expect("›")
	c.typed("/quit\n")
	if code := c.exit(); code != 0 {
		t.Errorf("ended with %d", code)
	}
}

func TestARunTellsWhatEndsWithIt(t *testing.T) {
	c := atTerminal(t, jobs, "run", "--mode", "full", "go")
	c.expect("job1 ends with the session: sleep 100")
	if code := c.exit(); code != 0 {
		t.Errorf("ended with %d", code)
	}
}

func TestCtrlCEndsARun(t *testing.T) {
	c := atTerminal(t, sleeps, "run", "--mode", "full", "sleep")
	c.expect("● bash")
	time.Sleep(200 * time.Millisecond)
	c.typed("\x03")
	if code := c.exit(); code != exitInterrupted {
		t.Errorf("ended with %d; the screen:\n%s", code, c.seen.String())
	}
}

func TestCtrlCAtAQuestionCancelsTheTurn(t *testing.T) {
	c := atTerminal(t, pushes, "run", "go on")
	c.expect("[y]es")
	c.typed("\x03")
	if code := c.exit(); code != exitInterrupted {
		t.Errorf("ended with %d; the screen:\n%s", code, c.seen.String())
	}
}
