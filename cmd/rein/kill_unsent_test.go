//go:build unix

package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
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
	cmd := l.command("acp", "--model", "script/"+l.model)
	in, wrong := cmd.StdinPipe()
	out, err := cmd.StdoutPipe()
	if err := errors.Join(wrong, err, cmd.Start()); err != nil {
		t.Fatal(err)
	}
	answers := json.NewDecoder(out)
	ask := func(id int, method, params string) {
		fmt.Fprintf(in, `{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`+"\n", id, method, params)
	}
	ask(1, "initialize", `{"protocolVersion":1,"clientCapabilities":{}}`)
	ask(2, "session/new", fmt.Sprintf(`{"cwd":%q,"mcpServers":[]}`, l.work))
	var a struct {
		ID     int
		Result struct{ SessionID string }
	}
	for a.ID != 2 {
		if err := answers.Decode(&a); err != nil {
			t.Fatal(err)
		}
	}
	ask(3, "session/prompt", fmt.Sprintf(`{"sessionId":%q,"prompt":[{"type":"text","text":"first words"}]}`, a.Result.SessionID))
	for range 2000 {
		if _, err := os.Stat(filepath.Join(l.work, "began")); err == nil {
			break
		}
		time.Sleep(5 * time.Millisecond) // another process: there is no fake clock here
	}
	cmd.Process.Kill()
	cmd.Wait()
	writeAll(t, map[string]string{filepath.Join(l.work, "fast"): ""})
	if out, code := l.run("run", "-c"); code != 0 || !strings.Contains(out, "Done.") {
		t.Errorf("ended with %d:\n%s", code, out)
	}
	text, err := os.ReadFile(l.journal())
	if n := strings.Count(string(text), `"kind":"prompt"`); err != nil || n != 1 || !strings.Contains(string(text), "first words") {
		t.Errorf("%d messages, %v:\n%s", n, err, text)
	}
}
