//go:build unix

package main

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"rein/event"
	"rein/journal"
)

const marks = `
turns:
  - calls: [{name: bash, args: {command: 'echo ran >> marks; sleep 0; pkill -x nothing'}}]
  - {text: Done., repeat: 9}
`

// lives is one session that is killed and continues in other processes.
type lives struct {
	t                *testing.T
	dir, work, model string
}

func newLives(t *testing.T) *lives {
	t.Helper()
	dir := t.TempDir()
	l := &lives{t: t, dir: dir, work: filepath.Join(dir, "work"), model: filepath.Join(dir, "script.yaml")}
	if err := errors.Join(os.Mkdir(l.work, 0o700), os.WriteFile(l.model, []byte(marks), 0o600)); err != nil {
		t.Fatal(err)
	}
	return l
}

func (l *lives) command(args ...string) *exec.Cmd {
	cmd := exec.Command("rein", args...)
	cmd.Dir = l.work
	cmd.Env = append(os.Environ(), "HOME="+filepath.Join(l.dir, "user"), "REIN_HOME="+filepath.Join(l.dir, "home"))
	return cmd
}

func (l *lives) run(args ...string) (string, int) {
	l.t.Helper()
	out, err := l.command(args...).CombinedOutput()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		return string(out), exit.ExitCode()
	} else if err != nil {
		l.t.Fatal(err)
	}
	return string(out), 0
}

// journal returns the path of the session's journal, and "" while there is none.
func (l *lives) journal() string {
	all, _ := filepath.Glob(filepath.Join(l.dir, "home", "*", "*", journal.FileName)) // the pattern is a good one
	if len(all) == 0 {
		all, _ = filepath.Glob(filepath.Join(l.dir, "home", "*", "*", "*", journal.FileName))
	}
	if len(all) != 1 {
		return ""
	}
	return all[0]
}

func (l *lives) session() string { return filepath.Base(filepath.Dir(l.journal())) }

// killAt starts rein and kills it as soon as its journal holds that many events of the kind. It may come too late, when
// the next event is there already: then the test is about that one, and no less true.
func (l *lives) killAt(kind event.Kind, count int, args ...string) {
	l.t.Helper()
	cmd := l.command(args...)
	if err := cmd.Start(); err != nil {
		l.t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		cmd.Wait()
		close(ended)
	}()
	mark := []byte(`"kind":"` + string(kind) + `"`)
	for range 20_000 {
		text, _ := os.ReadFile(l.journal()) // there is none at first
		if bytes.Count(text, mark) >= count {
			cmd.Process.Kill()
			<-ended
			return
		}
		select {
		case <-ended:
			return
		default:
			time.Sleep(500 * time.Microsecond) // another process: there is no fake clock here
		}
	}
	cmd.Process.Kill()
	<-ended
	l.t.Fatalf("no event %s", kind)
}

func (l *lives) ran() int {
	text, err := os.ReadFile(filepath.Join(l.work, "marks"))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		l.t.Fatal(err)
	}
	return strings.Count(string(text), "ran\n")
}

// answer approves the pending request, and reports whether there was one.
func (l *lives) answer() bool {
	l.t.Helper()
	out, err := l.command("approve", l.session()).Output()
	if err != nil {
		l.t.Fatal(err)
	}
	id, _, waits := strings.Cut(string(out), "\t")
	if !waits {
		return false
	}
	printed, code := l.run("approve", l.session(), id)
	if code != 0 && !strings.Contains(printed, "answered already") {
		l.t.Fatalf("approve ended with %d: %s", code, printed)
	}
	return true
}

// TestKilledAtEachStep kills the process at each event of a call that needs an approval: before the session is
// suspended, and after the request was answered. Then it resumes the session until it is done.
func TestKilledAtEachStep(t *testing.T) {
	t.Parallel()
	rows := []struct {
		rule      string
		suspended event.Kind // the first process is killed at this event; "" lets it suspend the session
		going     event.Kind // the process that resumes after the approval is killed at this event; "" lets it end
		most      int        // runs; the least is one less where the outcome may be unknown
		least     int
	}{
		{"approval-20 not killed at all", "", "", 1, 1},
		{"approval-20 killed after it was called", event.Called, "", 1, 1},
		{"approval-20 killed while the request was pending", event.ApprovalRequested, "", 1, 1},
		{"approval-20 killed when the turn had stopped", event.Stopped, "", 1, 1},
		{"approval-20 killed when the request was repeated", "", event.ApprovalRequested, 1, 0},
		{"approval-20 killed after it was granted", "", event.Granted, 1, 0},
		{"approval-20 killed after it had replied", "", event.Replied, 1, 1},
		{"approval-20 killed before and after", event.ApprovalRequested, event.Granted, 1, 0},
	}
	for _, row := range rows {
		t.Run(row.rule, func(t *testing.T) {
			t.Parallel()
			l := newLives(t)
			first := []string{"run", "--model", "script/" + l.model, "--suspend", "go"}
			if row.suspended != "" {
				l.killAt(row.suspended, 1, first...)
			} else if out, code := l.run(first...); code != exitWaiting {
				t.Fatalf("ended with %d: %s", code, out)
			}
			again := []string{"run", "--model", "script/" + l.model, "--suspend", "--resume", l.session()}
			if row.suspended == event.Called || row.suspended == event.ApprovalRequested { // the request may not be stored yet
				l.run(again...)
			}
			if !l.answer() {
				t.Fatal("nothing waits")
			}
			if row.going != "" {
				l.killAt(row.going, l.count(row.going)+1, again...)
			}
			l.toTheEnd(again)
			if n := l.ran(); n > row.most || n < row.least {
				t.Errorf("it ran %d times", n)
			}
			repeatAll(t, filepath.Join(l.dir, "home"))
		})
	}
}

// count is how many events of a kind the journal holds.
func (l *lives) count(kind event.Kind) int {
	text, err := os.ReadFile(l.journal())
	if err != nil {
		l.t.Fatal(err)
	}
	return bytes.Count(text, []byte(`"kind":"`+string(kind)+`"`))
}

// toTheEnd resumes the session, and approves repeated requests, until it is done.
func (l *lives) toTheEnd(again []string) {
	l.t.Helper()
	for range 4 {
		out, code := l.run(again...)
		if code == exitUsage && strings.Contains(out, "nothing to do") {
			out, code = l.run(append(again, "go on")...)
		}
		if code == 0 {
			return
		}
		if code != exitWaiting {
			l.t.Fatalf("ended with %d: %s", code, out)
		}
		l.answer()
	}
	l.t.Fatal("it never ends")
}
