//go:build unix

package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"rein/event"
	"rein/journal"
)

// TestAMessageIsNotLost kills the process while something is at work between what the user wrote and its event. The session is listed
// with the message, and goes on with it under the same terms.
func TestAMessageIsNotLost(t *testing.T) {
	t.Parallel()
	const wait = "touch began; test -e fast || sleep 60"
	for _, row := range []struct{ what, prompt, hook, command, sent string }{
		{"a hook for the start", "first words", `{"SessionStart":[{"hooks":[{"type":"command","command":"` + wait + `"}]}]}`, "", "first words"},
		{"a hook for the message", "first words", `{"UserPromptSubmit":[{"hooks":[{"type":"command","command":"` + wait + `"}]}]}`, "", "first words"},
		{"a slash command", "/slow words", "{}", "Say $1.\n\n!`" + wait + "`\n", "Say words."},
	} {
		t.Run(row.what, func(t *testing.T) {
			t.Parallel()
			l := newLives(t)
			config := filepath.Join(l.dir, "home", "config")
			writeAll(t, map[string]string{
				filepath.Join(config, "settings.json"):       `{"permissions":{"allow":["Bash(touch:*)","Bash(test:*)","Bash(sleep:*)"]},"hooks":` + row.hook + `}`,
				filepath.Join(config, "commands", "slow.md"): row.command,
				l.model: "turns: [{text: Done., repeat: 9}]\n",
			})
			began := filepath.Join(l.work, "began")
			cmd := l.command("run", "--model", "script/"+l.model, "--mode", "ask", "--allow", "Bash(touch:*)", row.prompt)
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			for range 2000 {
				if _, err := os.Stat(began); err == nil {
					break
				}
				time.Sleep(5 * time.Millisecond) // another process: there is no fake clock here
			}
			cmd.Process.Kill()
			cmd.Wait()
			if out, _ := l.run("sessions"); !strings.Contains(out, row.prompt) {
				t.Errorf("the list has no session with the message:\n%s", out)
			}
			writeAll(t, map[string]string{filepath.Join(l.work, "fast"): ""})
			if out, code := l.run("run", "-c"); code != 0 || !strings.Contains(out, "Done.") || !strings.Contains(out, "mode ask") {
				t.Errorf("ended with %d:\n%s", code, out)
			}
			prompts := 0
			for e, err := range journal.Read(l.journal()) {
				if err != nil {
					t.Fatal(err)
				}
				if e.Kind == event.Prompted {
					prompts++
					if !strings.HasPrefix(e.Text, row.sent) {
						t.Errorf("sent was %q", e.Text)
					}
				}
			}
			if out, _ := l.run("sessions"); prompts != 1 || strings.Count(out, l.session()[len(l.session())-5:]) != 1 {
				t.Errorf("%d messages:\n%s", prompts, out)
			}
			if out, code := l.run("run", "-c"); code != exitUsage {
				t.Errorf("it is sent again: %d\n%s", code, out)
			}
		})
	}
}

func writeAll(t *testing.T, files map[string]string) {
	t.Helper()
	for name, text := range files {
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// TestAPromptOfAnEditorIsNotLost: what a client of ACP has written is there after a kill, too.
func TestAPromptOfAnEditorIsNotLost(t *testing.T) {
	t.Parallel()
	l := newLives(t)
	writeAll(t, map[string]string{
		filepath.Join(l.dir, "home", "config", "settings.json"): `{"permissions":{"allow":["Bash(touch:*)","Bash(test:*)","Bash(sleep:*)"]},"hooks":{"UserPromptSubmit":[{"hooks":[{"type":"command","command":"touch began; test -e fast || sleep 60"}]}]}}`,
		l.model: "turns: [{text: Done., repeat: 9}]\n",
	})
	e := l.editor()
	e.ask("session/prompt", fmt.Sprintf(`{"sessionId":%q,"prompt":[{"type":"text","text":"first words"}]}`, e.session))
	e.began()
	e.kill()
	writeAll(t, map[string]string{filepath.Join(l.work, "fast"): ""})
	if out, code := l.run("run", "-c"); code != 0 || !strings.Contains(out, "Done.") {
		t.Errorf("ended with %d:\n%s", code, out)
	}
	text, err := os.ReadFile(l.journal())
	if n := strings.Count(string(text), `"kind":"prompt"`); err != nil || n != 1 || !strings.Contains(string(text), "first words") {
		t.Errorf("%d messages, %v:\n%s", n, err, text)
	}
}

// TestWhatWaitsIsNotLost kills the process while messages wait for a turn: before the first one was sent, and while a hook looks at one of them. Each
// is sent once, in its order, by a process that comes later.
func TestWhatWaitsIsNotLost(t *testing.T) {
	t.Parallel()
	for _, after := range []int{0, 1, 3} { // messages that were sent when it is killed
		t.Run(strconv.Itoa(after), func(t *testing.T) {
			t.Parallel()
			l := newLives(t)
			writeAll(t, map[string]string{
				filepath.Join(l.dir, "home", "config", "settings.json"): `{"permissions":{"allow":["Bash(touch:*)","Bash(test:*)","Bash(sleep:*)"]},"hooks":{"UserPromptSubmit":[{"hooks":[{"type":"command","command":"` +
					fmt.Sprintf("echo x >> asked; if test $(wc -l < asked) -eq %d; then while ! test -e fast; do sleep 0.02; done; fi", after+2) + `"}]}]}}`,
				l.model: "turns: [{calls: [{name: bash, args: {command: 'touch began; while ! test -e first; do sleep 0.02; done'}}]}, {text: Done., repeat: 99}]\n",
			})
			e := l.editor()
			e.ask("session/prompt", fmt.Sprintf(`{"sessionId":%q,"prompt":[{"type":"text","text":"first"}]}`, e.session))
			e.began()
			want := []string{"first"}
			file := filepath.Join(filepath.Dir(l.journal()), journal.UnsentName)
			wait := func() int {
				text, _ := os.ReadFile(file) // no file: none waits
				return strings.Count(string(text), `"waits"`)
			}
			for i := range 5 {
				text := fmt.Sprintf("words %d", i/2) // some of them are the same
				want = append(want, text)
				e.ask("session/prompt", fmt.Sprintf(`{"sessionId":%q,"prompt":[{"type":"text","text":%q}]}`, e.session, text))
				for n := 0; n < 2000 && wait() <= i; n++ { // requests that come at once are in no order
					time.Sleep(5 * time.Millisecond) // another process: there is no fake clock here
				}
			}
			let := func(name string) { writeAll(t, map[string]string{filepath.Join(l.work, name): ""}) }
			if after > 0 {
				let("first")
				for n := 0; n < 2000 && (len(l.prompts()) <= after || wait() > 5-after); n++ {
					time.Sleep(5 * time.Millisecond) // as above
				}
			}
			before, waited := l.prompts(), wait()
			e.kill()
			if len(before) != 1+after || waited != 5-after {
				t.Fatalf("%d waited, and sent was %q", waited, before)
			}
			let("first")
			let("fast")
			if out, code := l.run("run", "-c"); code != 0 {
				t.Errorf("ended with %d:\n%s", code, out)
			}
			sent := l.prompts()
			if !slices.Equal(sent, want) {
				t.Errorf("sent was %q, before the kill %q", sent, before)
			}
			if text, err := os.ReadFile(file); !errors.Is(err, os.ErrNotExist) {
				t.Errorf("something is left: %v\n%s", err, text)
			}
			if out, code := l.run("run", "-c"); code != exitUsage {
				t.Errorf("they are sent again: %d\n%s", code, out)
			}
		})
	}
}

// prompts are the messages of the session, in their order.
func (l *lives) prompts() (texts []string) {
	for e, err := range journal.Read(l.journal()) {
		if err == nil && e.Kind == event.Prompted {
			texts = append(texts, e.Text)
		}
	}
	return texts
}

// editorOfLives is a client of ACP with a session.
type editorOfLives struct {
	l       *lives
	cmd     *exec.Cmd
	in      io.Writer
	id      int
	session string
}

func (l *lives) editor() *editorOfLives {
	l.t.Helper()
	e := &editorOfLives{l: l, cmd: l.command("acp", "--model", "script/"+l.model)}
	in, wrong := e.cmd.StdinPipe()
	out, err := e.cmd.StdoutPipe()
	if err := errors.Join(wrong, err, e.cmd.Start()); err != nil {
		l.t.Fatal(err)
	}
	e.in = in
	e.ask("initialize", `{"protocolVersion":1,"clientCapabilities":{}}`)
	e.ask("session/new", fmt.Sprintf(`{"cwd":%q,"mcpServers":[]}`, l.work))
	answers := json.NewDecoder(out)
	for e.session == "" {
		var a struct{ Result struct{ SessionID string } }
		if err := answers.Decode(&a); err != nil {
			l.t.Fatal(err)
		}
		e.session = a.Result.SessionID
	}
	go io.Copy(io.Discard, io.MultiReader(answers.Buffered(), out))
	return e
}

func (e *editorOfLives) ask(method, params string) {
	e.id++
	fmt.Fprintf(e.in, `{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`+"\n", e.id, method, params)
}

// began waits until the command of the session has begun.
func (e *editorOfLives) began() {
	for range 2000 {
		if _, err := os.Stat(filepath.Join(e.l.work, "began")); err == nil {
			return
		}
		time.Sleep(5 * time.Millisecond) // another process: there is no fake clock here
	}
	e.l.t.Fatal("nothing began")
}

func (e *editorOfLives) kill() {
	e.cmd.Process.Kill()
	e.cmd.Wait()
}
