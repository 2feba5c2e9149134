//go:build unix

package main

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/creack/pty"

	"rein/event"
	"rein/journal"
)

// ptySession is rein at a terminal.
type ptySession struct {
	t    *testing.T
	tty  *os.File
	cmd  *exec.Cmd
	mu   sync.Mutex
	seen bytes.Buffer
	at   int // what was expected before this has been seen
}

// atTerminal starts rein at a terminal of its own, with a scripted model.
func atTerminal(t *testing.T, script string, args ...string) *ptySession {
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
func onConsole(t *testing.T, cmd *exec.Cmd) *ptySession {
	t.Helper()
	c := &ptySession{t: t, cmd: cmd}
	var err error
	if c.tty, err = pty.Start(c.cmd); err != nil {
		t.Fatal(err)
	}
	c.reads()
	return c
}

// reads keeps what is on the screen, to the end of the test.
func (c *ptySession) reads() {
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

// screen returns what was on the screen so far.
func (c *ptySession) screen() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.seen.String()
}

// expect waits until the text is on the screen, after what was expected before.
func (c *ptySession) expect(text string) {
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
	c.t.Fatalf("%q did not appear; the screen:\n%s", text, c.screen())
}

func (c *ptySession) typed(keys string) {
	c.t.Helper()
	if _, err := c.tty.WriteString(keys); err != nil {
		c.t.Fatal(err)
	}
}

// exit waits for the end and returns the exit code.
func (c *ptySession) exit() int {
	c.t.Helper()
	ended := make(chan struct{})
	go func() {
		c.cmd.Wait()
		close(ended)
	}()
	select {
	case <-ended:
	case <-time.After(time.Minute):
		c.t.Fatalf("it did not end; the screen:\n%s", c.screen())
	}
	return c.cmd.ProcessState.ExitCode()
}

const pushes = `
turns:
  - text: I shall push.
    calls: [{name: bash, args: {command: git push --force origin main}}]
  - text: So be it.
  - text: And again.
  - text: That is a path.
`

// Who did not trust a folder at the start does so later: what it holds is shown, and only a yes trusts it.
func TestTrustAsksAtATerminal(t *testing.T) {
	t.Parallel()
	dir, home := t.TempDir(), t.TempDir()
	if err := errors.Join(os.Mkdir(filepath.Join(dir, ".git"), 0o700), os.WriteFile(filepath.Join(dir, "AGENTS.md"), []byte("Be short."), 0o600)); err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct{ typed, says string }{{"n", ""}, {"y", "trusted; a chat that is open"}, {"", ""}} {
		cmd := exec.Command("rein", "trust", "--ask", dir)
		cmd.Env = append(os.Environ(), "REIN_HOME="+home, "TERM=dumb")
		c := onConsole(t, cmd)
		c.typed("y\n") // typed ahead: no answer
		c.expect("AGENTS.md")
		if row.typed != "" {
			c.expect("Trust this content as it is now?")
			c.typed(row.typed + "\n")
		}
		c.expect(row.says)
		if code := c.exit(); code != 0 || row.typed == "n" && strings.Contains(c.screen(), "trusted;") {
			t.Errorf("%q: %d\n%s", row.typed, code, c.screen())
		}
	}
}

func TestChatAtATerminal(t *testing.T) {
	t.Parallel()
	c := atTerminal(t, pushes)
	c.expect("›")
	c.typed("go on\n")
	c.expect("git push --force origin main")
	c.typed("y\r") // typed before the request could be read: no answer
	c.expect("[y]es")
	c.typed("t\r")
	c.expect("Tell the model:")
	c.typed("not today\r")
	c.expect("The user denied this call: not today")
	c.expect("So be it.")
	c.expect("›")
	c.typed("once more\n")
	c.expect("And again.")
	c.expect("›")
	c.typed("/nosuch and more\n")
	c.expect("there is no command /nosuch here")
	c.expect("›")
	c.typed("!touch x\n")
	c.expect("a command after ! runs only in the full chat")
	c.expect("›")
	c.typed("/etc/hosts looks odd\n") // no command
	c.expect("That is a path.")
	c.expect("›")
	c.typed("/compact\n")
	c.expect("not compacted: the conversation is short")
	c.expect("›")
	c.typed("\x04")
	if code := c.exit(); code != 0 {
		t.Errorf("ended with %d", code)
	}
}

// For screen readers states are words, and nothing is drawn again.
func TestAccessible(t *testing.T) {
	t.Parallel()
	c := atTerminal(t, pushes, "--accessible")
	c.expect("input: ")
	c.typed("go on\n")
	c.expect("question: bash")
	c.expect("git push --force origin main")
	c.expect("[y]es")
	c.typed("n\r")
	c.expect("failed: bash: The user denied this call")
	c.expect("the turn ended: done")
	c.expect("input: ")
	c.typed("\x04")
	if code := c.exit(); code != 0 {
		t.Errorf("ended with %d", code)
	}
}

const sleeps = `
turns:
  - calls: [{name: bash, args: {command: sleep 100}}]
  - text: Never sent.
  - text: Still here.
`

func TestCtrlCStopsTheTurnAndTheChatGoesOn(t *testing.T) {
	t.Parallel()
	c := atTerminal(t, sleeps, "--mode", "full")
	c.expect("›")
	c.typed("sleep\n")
	c.expect("● bash")
	time.Sleep(200 * time.Millisecond)
	began := time.Now()
	c.typed("\x03")
	c.expect("Cancelled")
	c.expect("■ cancelled")
	if took := time.Since(began); took > 20*time.Second {
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
	t.Parallel()
	c := atTerminal(t, jobs, "--mode", "full")
	c.expect("›")
	c.typed("go\n")
	c.expect("Started.")
	c.expect("job1 runs since ")
	c.expect("s: sleep 100")
	c.expect("›")
	c.typed("/quit\n")
	if code := c.exit(); code != 0 {
		t.Errorf("ended with %d", code)
	}
}

func TestARunTellsWhatEndsWithIt(t *testing.T) {
	t.Parallel()
	c := atTerminal(t, jobs, "run", "--mode", "full", "go")
	c.expect("job1 ends with the session: sleep 100")
	if code := c.exit(); code != 0 {
		t.Errorf("ended with %d", code)
	}
}

func TestCtrlCEndsARun(t *testing.T) {
	t.Parallel()
	c := atTerminal(t, sleeps, "run", "--mode", "full", "sleep")
	c.expect("● bash")
	time.Sleep(200 * time.Millisecond)
	c.typed("\x03")
	if code := c.exit(); code != exitInterrupted {
		t.Errorf("ended with %d; the screen:\n%s", code, c.screen())
	}
}

func TestCtrlCAtAQuestionCancelsTheTurn(t *testing.T) {
	t.Parallel()
	c := atTerminal(t, pushes, "run", "go on")
	c.expect("[y]es")
	c.typed("\x03")
	if code := c.exit(); code != exitInterrupted {
		t.Errorf("ended with %d; the screen:\n%s", code, c.screen())
	}
}

const removes = `
turns:
  - text: Let me look first.
    calls: [{name: bash, args: {command: sleep 1.5}}]
  - calls: [{name: bash, args: {command: rm -r precious}}]
  - text: Over.
  - text: Thanks.
`

// startRemoval starts a chat that asks to remove a directory soon.
func startRemoval(t *testing.T) *ptySession {
	c := atTerminal(t, removes)
	for i := range 201 { // more than are removed without a question
		if err := os.MkdirAll(filepath.Join(c.work(), "precious"), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(c.work(), "precious", strconv.Itoa(i)), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	c.expect("›")
	c.typed("clean up\r")
	c.expect("● bash")
	return c
}

func (c *ptySession) exists(name string) bool {
	_, err := os.Stat(filepath.Join(c.work(), name))
	return err == nil
}

func TestWhatIsTypedWhileTheModelWorksAnswersNoRequest(t *testing.T) {
	t.Parallel()
	for name, typed := range map[string][]string{
		"a word that is typed on":       {"actually y", "ou ", "may y", "\r", "y\r", "y"},
		"an Enter before the request":   {"y\ry\ryes\r"},
		"a paste before the request":    {"\x1b[200~y\ny\n\x1b[201~\r"},
		"letters without an Enter":      {"yyyyyyyy"},
		"an Enter just after the drawn": {"y", "", "", "", "", "\r"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := startRemoval(t)
			for _, keys := range typed {
				c.typed(keys)
				time.Sleep(300 * time.Millisecond)
			}
			c.expect("rm -r precious")
			c.expect("Run it?")
			if !c.exists("precious") {
				t.Fatalf("it was removed; the screen:\n%s", c.screen())
			}
			c.typed("n\r")
			c.expect("Over.")
			if !c.exists("precious") {
				t.Errorf("it was removed; the screen:\n%s", c.screen())
			}
			c.expect("› ")
			c.typed("\x15\x04")
			c.exit()
		})
	}
}

func TestAnAnswerAfterTheRequestCounts(t *testing.T) {
	t.Parallel()
	c := startRemoval(t)
	c.typed("typed ahead")
	c.expect("Run it?")
	c.typed("y\r")
	c.expect("Over.")
	if c.exists("precious") {
		t.Errorf("it was not removed; the screen:\n%s", c.screen())
	}
	c.expect("› typed ahead") // kept for the prompt
	c.typed("!\r")
	c.expect("Thanks.")
	c.typed("\x04")
	c.exit()
}

// sent returns the messages of the user in the session.
func (c *ptySession) sent() (all []string) {
	c.t.Helper()
	for e, err := range journal.Read(filepath.Join(newDirsAt(c).Sessions, c.session(), journal.FileName)) {
		if err != nil {
			c.t.Fatal(err)
		}
		if e.Kind == event.Prompted {
			all = append(all, e.Text)
		}
	}
	return all
}

const listens = `
turns:
  - text: One.
  - text: Two.
  - text: Three.
`

func TestThePromptTakesLongLinesAndPastes(t *testing.T) {
	t.Parallel()
	c := atTerminal(t, listens)
	c.expect("›")
	long := strings.Repeat("0123456789", 1000)
	for at := range 10 {
		c.typed(long[at*1000 : at*1000+1000])
		time.Sleep(20 * time.Millisecond) // the terminal itself holds 4,095 bytes that nobody has read
	}
	c.typed("\r")
	c.expect("One.")
	c.expect("›")
	c.typed("\x1b[200~first line\n\nsecond line\n\x1b[201~\x1b[Dx\x7f\r")
	c.expect("Two.")
	c.expect("›")
	c.typed("\r  \r") // blank: nothing is sent
	c.typed("\x1b[A\x1b[A\x1b[B!\r")
	c.expect("Three.")
	c.typed("\x04")
	if code := c.exit(); code != 0 {
		t.Errorf("ended with %d", code)
	}
	sent := c.sent()
	if len(sent) != 3 || sent[0] != long || sent[1] != "first line\n\nsecond line" || !strings.HasSuffix(sent[2], "!") {
		t.Errorf("sent %.200q", sent)
	}
}

func TestOneCtrlCAtThePromptIsNotTheEnd(t *testing.T) {
	t.Parallel()
	c := atTerminal(t, listens)
	c.expect("›")
	c.typed("half a line\x03\x03")
	c.expect("Ctrl-C again")
	c.expect("›")
	c.typed("still here\r")
	c.expect("One.")
	c.expect("›")
	c.typed("\x03")
	c.expect("Ctrl-C again")
	c.typed("\x03")
	if code := c.exit(); code != 0 {
		t.Errorf("ended with %d", code)
	}
}

const stays = `
turns:
  - text: Look here.
    calls: [{name: bash, args: {command: sleep 100, background: true}}]
  - text: It runs.
  - text: Back again.
`

func TestLeavingSaysHowToComeBackAndContinuingShowsWhereItWas(t *testing.T) {
	t.Parallel()
	c := atTerminal(t, stays, "--mode", "full")
	c.expect("›")
	c.typed("start the server\r")
	c.expect("It runs.")
	c.expect("› ")
	c.typed("\x04")
	c.expect("job1 ends with the session: sleep 100")
	id := c.session()
	c.expect("Session " + id + ". To come back: rein --resume " + id)
	if code := c.exit(); code != 0 {
		t.Errorf("ended with %d", code)
	}
	again := exec.Command("rein", append([]string{"-c"}, c.cmd.Args[1:]...)...)
	again.Env = c.cmd.Env
	c = onConsole(t, again)
	c.expect("job1 ended with the program that ran it: sleep 100")
	c.expect("session " + id + " was here")
	c.expect("> start the server")
	c.expect("It runs.")
	c.expect("› ")
	c.typed("and now?\r")
	c.expect("Back again.")
	c.typed("\x04")
	c.exit()
}

func TestAnEmptyChatLeavesNoWordsBehind(t *testing.T) {
	t.Parallel()
	c := atTerminal(t, listens)
	c.expect("› ")
	c.typed("\x04")
	if code := c.exit(); code != 0 || strings.Contains(c.screen(), "To come back") {
		t.Errorf("ended with %d; the screen:\n%s", code, c.screen())
	}
}

func TestARunAtATerminalShowsTheAnswerOnce(t *testing.T) {
	t.Parallel()
	c := atTerminal(t, "turns:\n  - text: Streamed words.\n", "run", "go")
	c.expect("■ done")
	if code := c.exit(); code != 0 || strings.Count(c.screen(), "Streamed words.") != 1 {
		t.Errorf("ended with %d; the screen:\n%s", code, c.screen())
	}
	if shown := c.screen(); strings.Index(shown, "Streamed words.") > strings.Index(shown, "■ done") {
		t.Errorf("the answer came after the end:\n%s", shown)
	}
}

func TestAFailingRunShowsItsErrorOnce(t *testing.T) {
	t.Parallel()
	c := atTerminal(t, "turns:\n  - expect: [{contains: nonsense}]\n    text: x\n", "run", "go")
	c.expect("nonsense")
	if code := c.exit(); code != exitError || strings.Count(c.screen(), "nonsense") != 1 {
		t.Errorf("ended with %d; the screen:\n%s", code, c.screen())
	}
}
