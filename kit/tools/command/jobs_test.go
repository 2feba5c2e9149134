//go:build unix

package command

import (
	"encoding/json"
	"errors"
	"regexp"
	"strings"
	"testing"
	"time"

	"rein/kit/sandbox"
	"rein/tool"
)

func jobShell(t *testing.T) Shell {
	s := Shell{Dir: t.TempDir(), Jobs: &sandbox.Jobs{}}
	t.Cleanup(func() { s.Jobs.Close() })
	return s
}

func TestBackgroundJobIsReadAndKilled(t *testing.T) {
	s := jobShell(t)
	text, err := callTool(t, s.Bash(), `{"command":"echo up; read x < <(sleep 0.6); echo ready; sleep 60","background":true}`)
	if err != nil || !strings.HasPrefix(text, "up\n[running in the background as job1 ") {
		t.Fatalf("got %q, %v", text, err)
	}
	text, err = callTool(t, s.JobOutput(), `{"job":"job1","until":"^ready"}`)
	if err != nil || !strings.HasPrefix(text, "ready\n[job1 is running (") {
		t.Errorf("got %q, %v", text, err)
	}
	text, err = callTool(t, s.JobOutput(), `{"job":"job1"}`)
	if err != nil || !strings.HasPrefix(text, "(no new output)\n") {
		t.Errorf("got %q, %v", text, err)
	}
	text, err = callTool(t, s.JobKill(), `{"job":"job1"}`)
	if err != nil || !regexp.MustCompile(`ended by signal 15 .*\(job1\)\]`).MatchString(text) {
		t.Errorf("got %q, %v", text, err)
	}
	var e *tool.Error
	if _, err = callTool(t, s.JobKill(), `{"job":"job9"}`); !errors.As(err, &e) || e.Kind != tool.NotFound || !strings.Contains(e.Text, "job1") {
		t.Errorf("got %v", err)
	}
}

func TestSlowCommandGoesToTheBackground(t *testing.T) {
	s := jobShell(t)
	s.Background = 1500 * time.Millisecond
	text, err := callTool(t, s.Bash(), `{"command":"echo a; sleep 4; echo b; exit 3"}`)
	if err != nil || !strings.HasPrefix(text, "a\n[running in the background as job1") {
		t.Errorf("got %q, %v", text, err)
	}
	text, err = callTool(t, s.JobOutput(), `{"job":"job1","wait":60}`)
	if err != nil || !regexp.MustCompile(`^b\n\[exit code 3 after .*\(job1\)\]\n$`).MatchString(text) {
		t.Errorf("got %q, %v", text, err)
	}
}

func TestCommandThatEndsInTimeIsNotAJob(t *testing.T) {
	s := jobShell(t)
	for name, row := range map[string]struct{ args, want string }{
		"foreground":                {`{"command":"echo a"}`, `^a\n\[exit code 0 after`},
		"background that fails":     {`{"command":"echo no; exit 1","background":true}`, `^no\n\[exit code 1 after`},
		"a terminal that ends soon": {`{"command":"[ -t 1 ] && echo tty","tty":true}`, `^tty\r?\n\[exit code 0 after`},
	} {
		text, err := callTool(t, s.Bash(), row.args)
		if err != nil || !regexp.MustCompile(row.want).MatchString(text) {
			t.Errorf("%s: got %q, %v", name, text, err)
		}
	}
	if n := len(s.Jobs.List()); n != 0 {
		t.Errorf("%d jobs are listed", n)
	}
}

func TestJobPromptIsReportedAndAnswered(t *testing.T) {
	s := jobShell(t)
	text, err := callTool(t, s.Bash(), `{"command":"read -p 'Overwrite? [y/N] ' x; echo \"it was $x\"","tty":true}`)
	if err != nil || !strings.Contains(text, "wait for an answer to: Overwrite? [y/N]") {
		t.Errorf("got %q, %v", text, err)
	}
	text, err = callTool(t, s.JobInput(), `{"job":"job1","text":"y"}`)
	if err != nil || !strings.Contains(text, "it was y\n[exit code 0") {
		t.Errorf("got %q, %v", text, err)
	}
}

// A command that ends by itself when it is asked to stop has still run out of time, whatever its exit code.
func TestACommandThatGivesInHasTimedOut(t *testing.T) {
	for name, s := range map[string]Shell{"a job": jobShell(t), "without jobs": {}} {
		_, err := callTool(t, s.Bash(), `{"command":"trap 'exit 0' TERM; while :; do sleep 0.1; done","timeout":1}`)
		if e, ok := errors.AsType[*tool.Error](err); !ok || e.Kind != tool.TimedOut {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

func TestBashTimeoutWithJobs(t *testing.T) {
	text, err := callTool(t, jobShell(t).Bash(), `{"command":"echo begun; sleep 60","timeout":1}`)
	var e *tool.Error
	if !errors.As(err, &e) || e.Kind != tool.TimedOut || text != "begun\n" {
		t.Errorf("got %q, %v", text, err)
	}
}

func TestJobIntents(t *testing.T) {
	s := jobShell(t)
	intent, err := s.JobInput().Intent(json.RawMessage(`{"job":"job1","text":"rm -rf /"}`))
	if err != nil || intent.Command != "rm -rf /" {
		t.Errorf("the typed text is not judged: %+v, %v", intent, err)
	}
	if intent, err := s.JobOutput().Intent(json.RawMessage(`{"job":"job1"}`)); err != nil || !intent.IsZero() {
		t.Errorf("got %+v, %v", intent, err)
	}
	if _, err := s.Bash().Intent(json.RawMessage(`{"command":"x","background":true}`)); err != nil {
		t.Error(err)
	}
}

func TestJobDetails(t *testing.T) {
	s := jobShell(t)
	c := commandDetail(t, s.Bash(), `{"command":"sleep 60","background":true}`)
	if c.Job != "job1" || !c.Running || c.Cwd != s.Dir || c.Failed() || c.Duration <= 0 {
		t.Errorf("in the background: %+v", c)
	}
	c = commandDetail(t, s.JobKill(), `{"job":"job1"}`)
	if c.Job != "job1" || c.Running || c.Signal != "terminated" || !c.Failed() {
		t.Errorf("killed: %+v", c)
	}
}

// A control character edits the line in the terminal: a shell would run another command than the one that was judged.
func TestJobInputRefusesControlCharacters(t *testing.T) {
	s := jobShell(t)
	if _, err := callTool(t, s.Bash(), `{"command":"cat","tty":true}`); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"kill line": "echo hi\u0015rm -rf x", "backspace": "lsx\u007f", "escape sequence": "a\u001b[D", "interrupt": "\u0003"} {
		var e *tool.Error
		if _, err := callTool(t, s.JobInput(), `{"job":"job1","text":"`+text+`"}`); !errors.As(err, &e) || e.Kind != tool.BadArguments {
			t.Errorf("%s: got %v", name, err)
		}
	}
	if _, err := callTool(t, s.JobInput(), `{"job":"job1","text":"two\n\tlines"}`); err != nil {
		t.Errorf("lines and tabs: %v", err)
	}
}

func TestBashDescribesWhenItGoesToTheBackground(t *testing.T) {
	s := jobShell(t)
	if d := s.Bash().Description; !strings.Contains(d, "longer than 60 seconds goes to the background") {
		t.Error(d)
	}
	s.Background = -1
	if d := s.Bash().Description; strings.Contains(d, "goes to the background") {
		t.Error(d)
	}
}

// The user moves a command that a call waits for to the background; the model reads that.
func TestTheUserMovesACommandToTheBackground(t *testing.T) {
	s := jobShell(t)
	moved := make(chan bool)
	go func() {
		for begin := time.Now(); time.Since(begin) < time.Minute; time.Sleep(10 * time.Millisecond) {
			if all := s.Jobs.Running(); len(all) == 1 && all[0].Waited() {
				all[0].Leave()
				all[0].Leave()
				moved <- true
				return
			}
		}
		moved <- false
	}()
	text, err := callTool(t, s.Bash(), `{"command":"echo a; sleep 300"}`)
	if !<-moved || err != nil || !strings.Contains(text, "[running in the background as job1") || !strings.Contains(text, "the user moved it") {
		t.Fatalf("got %q, %v", text, err)
	}
	if all := s.Jobs.Running(); len(all) != 1 || all[0].Waited() {
		t.Errorf("%d jobs", len(all))
	}
}
