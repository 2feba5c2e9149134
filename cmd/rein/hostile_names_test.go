//go:build linux

package main

import (
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/creack/pty"
)

// TestNamesAreShownWithoutTheirControlCharacters is injection-12 of docs/maintainers/attacks.md: names of directories, files, tools and
// models hold what a terminal would obey, and commands show them at a terminal.
func TestNamesAreShownWithoutTheirControlCharacters(t *testing.T) {
	t.Parallel()
	const bad = "\x1b]52;c;QQ==\x07\x1b[2J\u202e\u009b2J"
	dir := t.TempDir()
	work, model := filepath.Join(dir, "w"+bad), filepath.Join(dir, "m"+bad+".yaml")
	write := func(name, content string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(filepath.Join(work, "f"+bad+".txt"), "needle"+bad)
	write(filepath.Join(work, bad+".env"), "NEEDLE=needle\n")
	write(filepath.Join(work, ".rein", "settings.json"), `{"nokey":1}`)
	script, err := json.Marshal(map[string]any{"turns": []any{
		map[string]any{"text": bad, "calls": []any{map[string]any{"name": "no" + bad}, map[string]any{"name": "list_dir"}}}, map[string]any{"text": "done" + bad}}})
	if err != nil {
		t.Fatal(err)
	}
	write(model, string(script))
	for _, args := range [][]string{
		{"run", "--trust", "--model", "script/" + model, "go" + bad}, {"stats"}, {"sessions", "list"}, {"sessions", "search", "go"}, {"rules", "check"}, {"prompt"},
		{"doctor"}, {"call", "grep", `{"pattern":"needle"}`}, {"call", "--json", "list_dir", "{}"}, {"call", "no" + bad, "{}"}, {"guard", "judge", "rm " + bad}, {"trust"}, {"undo", "--list"},
	} {
		cmd := exec.Command("rein", args...)
		cmd.Dir, cmd.Env = work, append(os.Environ(), "REIN_HOME="+filepath.Join(dir, "home"), "TERM=xterm")
		tty, err := pty.Start(cmd)
		if err != nil {
			t.Fatal(err)
		}
		seen, _ := io.ReadAll(tty) // a terminal ends with an error when its program has ended
		tty.Close()
		_ = cmd.Wait() // some of them fail
		for _, mark := range []string{"\x1b]52", "\x1b[2J", "\u202e", "\u009b"} {
			if k := strings.Index(string(seen), mark); k >= 0 || len(seen) == 0 {
				t.Errorf("injection-12 %q shows %q in %q", args[:1], mark, seen[max(0, k-80):max(0, k)])
				break
			}
		}
	}
}
